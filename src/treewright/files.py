"""Reading and writing files: compressed files are recognized, and an output file is complete or absent.

Compression is recognized by the first bytes of a file, or else by its suffix, so a compressed file may have any name.
Output goes to a temporary file in the same folder, which is renamed once everything has been written: after a crash the
old file is unchanged.
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import os
import secrets
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from treewright.errors import UsageError

__all__ = [
    "READ_ERRORS",
    "PathLike",
    "atomic_output",
    "check_writable",
    "describe_read_error",
    "find_bad_byte",
    "lines_of",
    "open_input",
    "position",
    "unfinished",
]

PathLike = str | os.PathLike[str]

#: What reading a damaged file can raise.
READ_ERRORS = (EOFError, OSError, zlib.error, lzma.LZMAError)

_GZIP_MAGIC = b"\x1f\x8b"
_XZ_MAGIC = b"\xfd7zXZ\x00"

#: How the names of temporary files begin.
_UNFINISHED = ".treewright-"


def open_input(path: PathLike) -> BinaryIO:
    """Open a file for reading bytes, decompressing gzip and xz.

    Reading from the result may still raise one of ``READ_ERRORS``, which `describe_read_error` describes.

    Raises
    ------
    UsageError
        If there is no such file, or it is a directory or may not be read.

    Examples
    --------
    >>> with open_input("tests/data/README.md") as file:
    ...     file.read(11)
    b'# Test data'
    """
    name = _name_of(path)
    try:
        file = open(name, "rb")  # noqa: SIM115 (the caller closes it)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {_reason(error)}") from error
    try:
        magic = file.peek(len(_XZ_MAGIC))
    except OSError as error:
        file.close()
        raise UsageError(f"cannot read {name}: {_reason(error)}") from error
    if magic.startswith(_GZIP_MAGIC) or name.endswith(".gz"):
        return cast(BinaryIO, _OwningGzipFile(file, is_empty=not magic))
    if magic.startswith(_XZ_MAGIC) or name.endswith(".xz"):
        return cast(BinaryIO, _OwningXzFile(file))
    return file


def lines_of(file: BinaryIO, longest: int = 1 << 26) -> Iterator[bytes]:
    """Yield the lines of a file; one that is longer than any text has is an `OSError`, before it fills the memory."""
    while line := file.readline(longest + 1):
        if len(line) > longest:
            raise OSError(f"a line is longer than {longest:,} bytes")
        yield line


def position(file: BinaryIO) -> int:
    """Return how many bytes of the file on disk have been read, for a file from `open_input`."""
    under: BinaryIO = getattr(file, "_under", file)
    return under.tell()


class _OwningGzipFile(gzip.GzipFile):
    """A gzip file for reading that closes the underlying file, and treats an empty file as cut short."""

    def __init__(self, file: BinaryIO, is_empty: bool) -> None:
        super().__init__(fileobj=file, mode="rb")
        self._under = file
        self._is_empty = is_empty

    def read(self, size: int | None = -1) -> bytes:
        if self._is_empty:
            raise EOFError
        return super().read(size)

    def read1(self, size: int = -1) -> bytes:
        if self._is_empty:
            raise EOFError
        return super().read1(size)

    def close(self) -> None:
        super().close()
        self._under.close()


class _OwningXzFile(lzma.LZMAFile):
    """An xz file for reading that closes the underlying file."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, "rb")
        self._under = file

    def close(self) -> None:
        super().close()
        self._under.close()


def describe_read_error(error: BaseException) -> str:
    """Describe in a few words what went wrong while reading a file.

    Examples
    --------
    >>> describe_read_error(EOFError())
    'the compressed data is cut short; copy the file again'
    """
    if isinstance(error, UnicodeDecodeError):
        return find_bad_byte(error.object)[1]
    if isinstance(error, EOFError):
        return "the compressed data is cut short; copy the file again"
    if isinstance(error, gzip.BadGzipFile | zlib.error | lzma.LZMAError):
        return f"the compressed data is damaged ({error}); copy the file again"
    return f"the file cannot be read: {_reason(error)}"


def find_bad_byte(raw: bytes) -> tuple[int, str]:
    r"""Find the first byte that is not UTF-8: its line, counted from 1, and what is wrong.

    Examples
    --------
    >>> find_bad_byte(b"tree\ncaf\xe9 b")
    (2, 'byte 4 of the line, 0xe9, is not UTF-8; convert the file to UTF-8')
    """
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        place = error.start - before.rfind(b"\n")
        reason = f"byte {place} of the line, 0x{raw[error.start]:02x}, is not UTF-8; convert the file to UTF-8"
        return before.count(b"\n") + 1, reason
    raise ValueError("all bytes are UTF-8")


def check_writable(path: PathLike) -> None:
    """Check early that a file can be written, rather than fail after an hour of work.

    Raises
    ------
    UsageError
        If the name is that of a folder, or the folder of the file does not exist or may not be written to.
    """
    name = _name_of(path)
    folder = os.path.dirname(name) or os.curdir
    if os.path.isdir(name):
        raise UsageError(f"cannot write {name}: it is a directory")
    if not os.path.isdir(folder):
        raise UsageError(f"cannot write {name}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {name}: the folder may not be written to")


@contextlib.contextmanager
def atomic_output(path: PathLike) -> Iterator[BinaryIO]:
    """Write a file that appears under its name only if the block ends without an error.

    The file is compressed if its name ends in ``.gz`` or ``.xz``; the same bytes always make the same file.  A device
    or pipe, such as ``/dev/null``, is written directly.

    Raises
    ------
    UsageError
        If the file cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "greeting.txt.gz")
    >>> with atomic_output(path) as file:
    ...     _ = file.write(b"hello")
    >>> with open_input(path) as file:
    ...     file.read()
    b'hello'
    >>> folder.cleanup()
    """
    name = _name_of(path)
    try:
        target = os.path.realpath(name)  # a symbolic link stays one
        mode = _mode_of(target)
        if mode is not None and stat.S_ISDIR(mode):
            raise UsageError(f"cannot write {name}: it is a directory")
        if mode is not None and not stat.S_ISREG(mode):
            with open(target, "wb") as device, _compressing(device, name) as output:
                yield output
        else:
            with _replacing(target, mode) as file, _compressing(file, name) as output:
                yield output
    except OSError as error:
        raise UsageError(f"cannot write {name}: {_reason(error)}") from error


def unfinished(folder: PathLike) -> list[Path]:
    """List the temporary files in a folder: those of processes that are writing there now, or were killed."""
    return list(Path(folder).glob(f"{_UNFINISHED}*.tmp"))


@contextlib.contextmanager
def _replacing(target: str, mode: int | None) -> Iterator[BinaryIO]:
    """Open a temporary file beside ``target`` that replaces it at the end."""
    temporary = os.path.join(os.path.dirname(target), f"{_UNFINISHED}{secrets.token_hex(6)}.tmp")
    file = open(temporary, "xb")  # noqa: SIM115 (closed before it is renamed)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _compressing(file: BinaryIO, name: str) -> contextlib.AbstractContextManager[BinaryIO]:
    if name.endswith(".gz"):
        zipped = gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0)
        return cast("contextlib.AbstractContextManager[BinaryIO]", zipped)
    if name.endswith(".xz"):
        return cast("contextlib.AbstractContextManager[BinaryIO]", lzma.LZMAFile(file, "wb"))
    return contextlib.nullcontext(file)


def _name_of(path: PathLike) -> str:
    name = os.fspath(path)
    if not name or "\0" in name:
        raise UsageError(f"{name!r} is not the name of a file")
    return name


def _mode_of(target: str) -> int | None:
    try:
        return os.stat(target).st_mode
    except FileNotFoundError:
        return None


def _reason(error: BaseException) -> str:
    """Return the system's message for an error, such as ``No such file or directory``."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
