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

__all__ = ["BOM", "CHUNK", "OnError", "OnSkip", "Place", "TreebankReader", "read_method", "shorten"]

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

    def decode(self, raw: bytes, path: str) -> str:
        """Decode bytes that start here; a `TreebankError` says where they are not UTF-8."""
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            place = self.after(raw[: error.start].decode())
            reason = f"byte 0x{raw[error.start]:02x} is not UTF-8; convert the file to UTF-8"
            raise place.error(reason, path) from None


class TreebankReader(Iterator[T], Generic[T]):
    """An iterator over the sentences or trees of a file.

    Parameters
    ----------
    source : path or binary stream
        A file, plain or compressed with gzip or xz, or an open stream of plain bytes.
    on_error : {"raise", "skip"}
        What to do with a malformed sentence or tree: raise the error, or skip it and go on.
    on_skip : callable, optional
        Called with the error of each one that is skipped.
    name : str, optional
        What to call the source in messages; by default its own name.

    Attributes
    ----------
    skipped : int
        How many malformed sentences or trees have been skipped so far.
    """

    def __init__(
        self,
        source: PathLike | BinaryIO,
        on_error: OnError = "raise",
        on_skip: OnSkip | None = None,
        name: str | None = None,
    ) -> None:
        if on_error not in get_args(OnError):
            raise UsageError(f"on_error is {on_error!r}; it must be 'raise' or 'skip'")
        self.skipped = 0
        self._is_skipping = on_error == "skip"
        self._on_skip = on_skip
        self._name = name if name is not None else _name_of(source)
        self._items = self._open(source)

    def __next__(self) -> T:
        return next(self._items)

    def _open(self, source: PathLike | BinaryIO) -> Iterator[T]:
        opened: contextlib.AbstractContextManager[BinaryIO] = (
            open_input(source) if isinstance(source, str | os.PathLike) else contextlib.nullcontext(source)
        )
        with opened as stream:
            yield from self._read(stream)

    @abstractmethod
    def _read(self, stream: BinaryIO) -> Iterator[T]:
        """Yield what a stream holds."""

    def _refuse(self, error: TreebankError) -> None:
        """Raise an error, or count and report it where errors are skipped."""
        if not self._is_skipping:
            raise error
        self.skipped += 1
        if self._on_skip is not None:
            self._on_skip(error)


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


def _name_of(source: PathLike | BinaryIO) -> str:
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"
