"""What the readers of all formats share: where bytes come from, places in a file, and skipping what is malformed."""

from __future__ import annotations

import contextlib
import io
import os
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Generic, Literal, TypeVar, get_args

from treewright.errors import TreebankError, UsageError
from treewright.files import PathLike, open_input

__all__ = ["BOM", "CHUNK", "OnError", "OnSkip", "Place", "Source", "TreebankReader", "decode", "read_method", "shorten"]

T = TypeVar("T")

OnError = Literal["raise", "skip"]
OnSkip = Callable[[TreebankError], object]

#: The byte-order mark, which may only stand at the very beginning of a file.
BOM = "\ufeff"

#: How many bytes to read at once.
CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file: a line, and a character within that line, both counted from 1."""

    line: int = 1
    column: int = 1

    def after(self, text: str) -> Place:
        """Return the place just after a text that starts here."""
        lines = text.count("\n")
        if not lines:
            return Place(self.line, self.column + len(text))
        return Place(self.line + lines, len(text) - text.rfind("\n"))

    def error(self, reason: str, path: str) -> TreebankError:
        """Make the error to raise about this place."""
        return TreebankError(reason, path, self.line, self.column)


@dataclass(slots=True)
class Source:
    """Where sentences or trees come from, and what to do with malformed ones."""

    file: PathLike | BinaryIO  # plain or compressed; a stream has plain bytes
    on_error: OnError = "raise"
    on_skip: OnSkip | None = None  # called with the error of each one that is skipped
    name: str | None = None  # in messages; by default its own name

    def __post_init__(self) -> None:
        if self.on_error not in get_args(OnError):
            raise UsageError(f"on_error is {self.on_error!r}; it must be 'raise' or 'skip'")

    def open(self) -> contextlib.AbstractContextManager[BinaryIO]:
        """Open the file; a stream is left open at the end."""
        if isinstance(self.file, str | os.PathLike):
            return open_input(self.file)
        return contextlib.nullcontext(self.file)

    def full_name(self) -> str:
        """Return what to call the source in messages."""
        if self.name is not None:
            return self.name
        name = os.fspath(self.file) if isinstance(self.file, str | os.PathLike) else getattr(self.file, "name", None)
        return name if isinstance(name, str) else "<stream>"


class TreebankReader(Iterator[T], Generic[T]):
    """An iterator over the sentences or trees of a source.

    Attributes
    ----------
    skipped : int
        How many malformed sentences or trees have been skipped so far.
    """

    def __init__(self, source: Source) -> None:
        self.skipped = 0
        self._source = source
        self._name = source.full_name()
        self._items = self._open()

    def __next__(self) -> T:
        return next(self._items)

    def _open(self) -> Iterator[T]:
        with self._source.open() as stream:
            yield from self._read(stream)

    @abstractmethod
    def _read(self, stream: BinaryIO) -> Iterator[T]:
        """Yield the sentences or trees of a stream."""

    def _refuse(self, error: TreebankError) -> None:
        """Raise an error, or count and report it where errors are skipped."""
        if self._source.on_error == "raise":
            raise error
        self.skipped += 1
        if self._source.on_skip is not None:
            self._source.on_skip(error)


def decode(raw: bytes, path: str, line: int = 1, column: int = 1) -> str:
    """Decode bytes that start at a place in a file; a `TreebankError` says where they are not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        place = Place(line, column).after(raw[: error.start].decode())
        reason = f"byte 0x{raw[error.start]:02x} is not UTF-8; convert the file to UTF-8"
        raise place.error(reason, path) from None


def read_method(stream: BinaryIO, name: str) -> Callable[[int], bytes]:
    """Return the method that reads what is available, if possible without waiting for more."""
    given: object = stream
    if isinstance(given, io.TextIOBase):
        raise UsageError(f"{name} is open as text; open it in binary mode")
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    return read


def shorten(text: str) -> str:
    """Quote a text of any length for a message."""
    return repr(text if len(text) <= 20 else text[:20] + "...")
