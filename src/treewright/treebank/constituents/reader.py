"""Read bracketed trees: some at a time, strictly, and as deep as they come.

The stream is cut after closing brackets that close a whole tree, which takes a count of brackets and no reading of
labels.  Only where the trees of such a window are refused are they taken one by one, to say which is wrong.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Literal, get_args

import numpy as np
import numpy.typing as npt

from treewright.errors import TreebankError, UsageError
from treewright.files import READ_ERRORS, PathLike, describe_read_error, open_input
from treewright.treebank.conllu.blocks import BOM, reading
from treewright.treebank.conllu.diagnosis import diagnose_bytes
from treewright.treebank.conllu.reader import name_of
from treewright.treebank.constituents.brackets import BLANKS, Spaces, parse_trees
from treewright.treebank.constituents.diagnosis import Place, diagnose_tree
from treewright.treebank.constituents.tree import ConstituentTree

__all__ = ["TreeReader", "read_trees", "read_trees_string"]

#: A tree beyond this size is refused: it is a broken file, and no parser could take it.
MAX_TREE_BYTES = 1 << 24

_CHUNK = 1 << 18
_BLANK_BYTES = BLANKS.encode()
_NEXT_TREE = re.compile(rb"(?<=\n)(?=\()")  # where to go on after a tree that is not closed

Kind = Literal["trees", "broken", "dropped"]
OnSkip = Callable[[TreebankError], object]


def read_trees(
    source: PathLike | BinaryIO,
    *,
    spaces: Spaces = "refuse",
    on_error: Literal["raise", "skip"] = "raise",
    on_skip: OnSkip | None = None,
    name: str | None = None,
) -> TreeReader:
    """Read the bracketed trees of a file, one at a time.

    Trees may share a line or take several; white space between brackets means nothing.  The empty bracket around a
    Penn tree is a node with an empty label: `simplify` removes it, and much else.

    Parameters
    ----------
    source : path or binary stream
        A file, plain or compressed with gzip or xz, or an open stream of plain bytes.
    spaces : {"refuse", "keep"}
        Whether several words in one bracket, as in ``(NP the dog)``, are wrong, or one word with spaces in it.
    on_error : {"raise", "skip"}
        What to do with a malformed tree: raise the error, or leave the tree out.  After one that is not closed, reading
        goes on at the next line that starts with a bracket.
    on_skip : callable, optional
        Called with the error of each tree left out.
    name : str, optional
        What to call the source in messages; its own name unless given.

    Raises
    ------
    TreebankError
        While iterating: a tree is malformed, or the rest of the file cannot be read.
    UsageError
        While iterating: there is no such file, or it may not be read.

    Examples
    --------
    >>> for tree in read_trees("tests/data/trees.mrg"):
    ...     print(len(tree), tree.labels[:3])
    7 ('', 'S', 'NP-SBJ')
    5 ('', 'SBARQ', 'WHNP-1')
    """
    if spaces not in get_args(Spaces):
        raise UsageError(f"spaces is {spaces!r}; it must be 'refuse' or 'keep'")
    if on_error not in ("raise", "skip"):
        raise UsageError(f"on_error is {on_error!r}; it must be 'raise' or 'skip'")
    return TreeReader(source, spaces, on_error == "skip", on_skip, name)


def read_trees_string(text: str, *, spaces: Spaces = "refuse") -> list[ConstituentTree]:
    """Read the bracketed trees in a string.

    Examples
    --------
    >>> [tree] = read_trees_string("(NP (DT the) (NN wood))")
    >>> tree.words
    ('the', 'wood')
    """
    raw = text.encode("utf-8", "surrogatepass")
    return list(read_trees(io.BytesIO(raw), spaces=spaces, name="<string>"))


class TreeReader(Iterator[ConstituentTree]):
    """An iterator over the trees of a file, as `read_trees` makes it.

    Attributes
    ----------
    skipped : int
        How many malformed trees have been left out so far.
    """

    def __init__(
        self,
        source: PathLike | BinaryIO,
        spaces: Spaces,
        is_skipping: bool,
        on_skip: OnSkip | None,
        name: str | None,
    ) -> None:
        self.skipped = 0
        self._spaces: Spaces = spaces
        self._is_skipping = is_skipping
        self._on_skip = on_skip
        self._name = name if name is not None else name_of(source)
        self._place = Place()
        self._trees = self._open(source)

    def __next__(self) -> ConstituentTree:
        return next(self._trees)

    def _open(self, source: PathLike | BinaryIO) -> Iterator[ConstituentTree]:
        if isinstance(source, str | os.PathLike):
            with open_input(source) as stream:
                yield from self._read(stream)
        else:
            yield from self._read(source)

    def _read(self, stream: BinaryIO) -> Iterator[ConstituentTree]:
        windows = _windows(reading(stream, self._name))
        while True:
            try:
                kind, window = next(windows)
            except StopIteration:
                return
            except READ_ERRORS as error:
                place = self._place
                raise TreebankError(describe_read_error(error), self._name, place.line, place.column) from None
            if kind == "dropped":
                self._place = self._place.after(window.decode(errors="replace"))
            elif kind == "trees" and (trees := self._parse(window)) is not None:
                yield from trees
            else:
                yield from self._read_singly(_single_trees(window) if kind == "trees" else _NEXT_TREE.split(window))

    def _read_singly(self, pieces: Iterable[bytes]) -> Iterator[ConstituentTree]:
        for raw in pieces:
            trees = self._parse(raw)
            if trees is None:
                self._refuse(raw)
            else:
                yield from trees

    def _parse(self, raw: bytes) -> list[ConstituentTree] | None:
        """Read whole trees, and go past them; None where something is wrong."""
        if len(raw) > MAX_TREE_BYTES + _CHUNK:
            return None
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return None
        body = text.removeprefix(BOM) if self._place == Place() else text
        trees = parse_trees(body.lstrip(BLANKS), self._spaces)
        if trees is not None:
            self._place = self._place.after(text)
        return trees

    def _refuse(self, raw: bytes) -> None:
        """Raise what is wrong with a tree, or count it, and go past it."""
        error = self._diagnose(raw)
        self._place = self._place.after(raw.decode(errors="replace"))
        if not self._is_skipping:
            raise error
        self.skipped += 1
        if self._on_skip is not None:
            self._on_skip(error)

    def _diagnose(self, raw: bytes) -> TreebankError:
        blanks = len(raw) - len(raw.lstrip(_BLANK_BYTES))
        start = self._place.after(raw[:blanks].decode())
        if len(raw) > MAX_TREE_BYTES:
            reason = f"a tree of more than {MAX_TREE_BYTES:,} bytes; a closing bracket may be missing"
            return TreebankError(reason, self._name, start.line, start.column)
        try:
            text = raw[blanks:].decode()
        except UnicodeDecodeError as error:
            found = diagnose_bytes(raw[blanks:], error, self._name, start.line)
            shift = start.column - 1 if found.line == start.line else 0
            return TreebankError(found.reason, self._name, found.line, found.column + shift)
        if start == Place():
            text = text.removeprefix(BOM)
        return diagnose_tree(text, self._spaces, self._name, start)


def _windows(read: Callable[[int], bytes]) -> Iterator[tuple[Kind, bytes]]:
    """Cut a stream into windows, which put together are the stream but for the white space at its end.

    Usually a window ends with a bracket that closes a whole tree.  One that is *broken* is too big or ends the stream;
    what follows it, up to the next line that starts with a bracket, is *dropped*.
    """
    parts: list[bytes] = []
    size = depth = 0
    is_dropping = False
    while chunk := read(_CHUNK):
        if is_dropping:
            chunk = b"".join([*parts, chunk])
            match = _NEXT_TREE.search(chunk)
            end = match.start() if match else len(chunk) - 1  # a line end at the border is looked at again
            yield "dropped", chunk[:end]
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
            yield "trees", b"".join(parts)
            parts, size = [rest], len(rest)
        elif size > MAX_TREE_BYTES:
            yield "broken", b"".join(parts)
            parts, size, is_dropping = [], 0, True
    rest = b"".join(parts)
    if rest.strip(_BLANK_BYTES) not in (b"", BOM.encode()):
        yield "dropped" if is_dropping else "broken", rest


def _count(raw: bytes, depth: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """Give the number of open brackets after each byte, and the closing brackets that leave none open.

    A bracket that closes nothing counts as the end of a tree, and the count goes on from 0.
    """
    characters = np.frombuffer(raw, np.uint8)
    closing = characters == ord(")")
    sums = depth + np.cumsum((characters == ord("(")).astype(np.int64) - closing)
    depths = sums - np.minimum(np.minimum.accumulate(sums), 0)
    return depths, np.flatnonzero(closing & (depths == 0))


def _single_trees(window: bytes) -> Iterator[bytes]:
    start = 0
    for end in (_count(window, 0)[1] + 1).tolist():
        yield window[start:end]
        start = end
