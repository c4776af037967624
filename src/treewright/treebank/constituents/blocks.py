"""Cut a stream of bytes into blocks of whole trees, in bounded memory.

This only takes a count of brackets: labels and words are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, Literal, NamedTuple

import numpy as np

from treewright.arrays import Ints
from treewright.files import READ_ERRORS, describe_read_error
from treewright.treebank.constituents.brackets import BLANKS
from treewright.treebank.reading import BOM, CHUNK, read_method

__all__ = ["MAX_TREE_BYTES", "Block", "blocks"]

#: A larger tree is refused: the file must be broken, and no parser could take it.
MAX_TREE_BYTES = 1 << 24

_BLANK_BYTES = BLANKS.encode()
_NEXT_TREE = re.compile(rb"(?<=\n)(?=\()")  # where to go on after a tree that is not closed


class Block(NamedTuple):
    """Some bytes of a stream.

    Attributes
    ----------
    kind : {"trees", "broken", "dropped", "unreadable"}
        Usually a block is whole *trees*: it ends with a bracket that leaves none open.  A *broken* one is too big or
        ends the stream with brackets open; what follows it, up to the next line that starts with a bracket, is
        *dropped*.  After an *unreadable* one nothing can be read.
    raw : bytes
        The bytes; of an unreadable block, the reason.
    """

    kind: Literal["trees", "broken", "dropped", "unreadable"]
    raw: bytes

    def trees(self) -> Iterator[bytes]:
        """Yield the trees of the block one by one; of a broken block, what starts on a new line as a tree would."""
        if self.kind == "broken":
            yield from _NEXT_TREE.split(self.raw)
            return
        start = 0
        for end in (_count(self.raw, 0)[1] + 1).tolist():
            yield self.raw[start:end]
            start = end


def blocks(stream: BinaryIO, name: str) -> Iterator[Block]:
    """Yield the blocks of a stream, which put together are the stream but for the white space at its end."""
    try:
        yield from _cut(read_method(stream, name))
    except READ_ERRORS as error:
        yield Block("unreadable", describe_read_error(error).encode())


def _cut(read: Callable[[int], bytes]) -> Iterator[Block]:
    parts: list[bytes] = []
    size = depth = 0
    is_dropping = False
    while chunk := read(CHUNK):
        if is_dropping:
            chunk = b"".join([*parts, chunk])
            match = _NEXT_TREE.search(chunk)
            end = match.start() if match else len(chunk) - 1  # a line end at the border is looked at again
            yield Block("dropped", chunk[:end])
            parts, size, is_dropping = [chunk[end:]], len(chunk) - end, match is None
            if is_dropping:
                continue
            parts, size, depth, chunk = [], 0, 0, chunk[end:]
        depths, ends = _count(chunk, depth)
        depth = int(depths[-1])
        parts.append(chunk)
        size += len(chunk)
        if ends.size:
            rest = chunk[ends[-1] + 1 :]
            parts[-1] = chunk[: ends[-1] + 1]
            yield Block("trees", b"".join(parts))
            parts, size = [rest], len(rest)
        elif size > MAX_TREE_BYTES:
            yield Block("broken", b"".join(parts))
            parts, size, is_dropping = [], 0, True
    rest = b"".join(parts)
    if rest.strip(_BLANK_BYTES) not in (b"", BOM.encode()):
        yield Block("dropped" if is_dropping else "broken", rest)


def _count(raw: bytes, depth: int) -> tuple[Ints, Ints]:
    """Count the brackets open after each byte, and find the closing brackets that leave none open.

    A bracket that closes nothing counts as the end of a tree, and the count goes on from 0.
    """
    characters = np.frombuffer(raw, np.uint8)
    closing = characters == ord(")")
    sums = depth + np.cumsum((characters == ord("(")).astype(np.int64) - closing)
    depths = sums - np.minimum(np.minimum.accumulate(sums), 0)
    return depths, np.flatnonzero(closing & (depths == 0))
