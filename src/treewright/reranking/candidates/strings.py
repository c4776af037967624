"""Many strings in two arrays: their bytes, and where each string begins.

Python strings take a hundred bytes each beyond their text.  These take eight, and have the same form in a file as in
memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints
from treewright.errors import UsageError
from treewright.reranking.candidates.offsets import gather

__all__ = ["Strings"]


class Strings(Sequence[str]):
    """A read-only sequence of strings.

    Parameters
    ----------
    offsets : array of int64
        Where each string begins in ``data``, and at the end the length of ``data``.
    data : array of uint8
        UTF-8.

    Examples
    --------
    >>> strings = Strings.of(["tree", "", "дерево"])
    >>> len(strings), strings[2], list(strings[:2])
    (3, 'дерево', ['tree', ''])
    """

    def __init__(self, offsets: Ints, data: npt.NDArray[np.uint8]) -> None:
        if offsets.dtype.kind not in "iu" or data.dtype != np.uint8:
            raise ValueError("the offsets of strings must be whole numbers, and their data bytes")
        if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or offsets[-1] != len(data):
            raise ValueError("the offsets of strings must begin at 0 and end at the length of the data")
        if (offsets[1:] < offsets[:-1]).any():
            raise ValueError("the offsets of strings must not decrease")
        self.offsets, self.data = offsets, data

    @classmethod
    def of(cls, strings: Iterable[str]) -> Strings:
        """Pack strings."""
        data, offsets = bytearray(), [0]
        for string in strings:
            data += string.encode("utf-8", "surrogatepass")
            offsets.append(len(data))
        return cls(np.array(offsets, np.int64), np.frombuffer(bytes(data), np.uint8))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Strings: ...
    def __getitem__(self, index: int | slice) -> str | Strings:
        if isinstance(index, slice):
            return self.take(np.arange(len(self), dtype=np.int64)[index])
        place = range(len(self))[index]
        piece = self.data[self.offsets[place] : self.offsets[place + 1]]
        try:
            return piece.tobytes().decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise UsageError(f"string {place} is not UTF-8: the archive is damaged; make it again") from None

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Strings):
            return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.data, other.data)
        return isinstance(other, list | tuple) and len(self) == len(other) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Strings: {len(self):,}>"

    def take(self, places: Ints) -> Strings:
        """Return the strings at these places, in this order."""
        offsets, bytes_of = gather(self.offsets, places)
        return Strings(offsets, self.data[bytes_of])
