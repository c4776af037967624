"""Read bracketed trees: some at a time, strictly, and of any depth.

The trees of a block are read together.  Only if that fails are they read one by one, to find the one that is wrong.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO, get_args

from treewright.errors import TreebankError, UsageError
from treewright.files import PathLike
from treewright.treebank.constituents.blocks import MAX_TREE_BYTES, blocks
from treewright.treebank.constituents.brackets import BLANKS, Spaces, parse_brackets
from treewright.treebank.constituents.diagnosis import diagnose
from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.reading import BOM, CHUNK, OnError, OnSkip, Place, Source, TreebankReader, decode

__all__ = ["TreeReader", "read_trees", "read_trees_string"]


def read_trees(
    source: PathLike | BinaryIO,
    *,
    spaces: Spaces = "refuse",
    on_error: OnError = "raise",
    on_skip: OnSkip | None = None,
    name: str | None = None,
) -> TreeReader:
    """Read the bracketed trees of a file, one at a time.

    Several trees may share a line, and a tree may take several lines; white space between brackets means nothing.  The
    empty bracket around a Penn tree is a node with an empty label, which `simplify` removes.

    Parameters
    ----------
    source, on_error, on_skip, name
        As for `treewright.treebank.read`, which also lists the errors.  After a tree that is not closed, reading goes
        on at the next line that starts with a bracket.
    spaces : {"refuse", "keep"}
        Whether several words in one bracket, as in ``(NP the dog)``, are malformed, or one word with spaces in it.

    Examples
    --------
    >>> for tree in read_trees("tests/data/trees.mrg"):
    ...     print(len(tree), tree.labels[:3])
    7 ('', 'S', 'NP-SBJ')
    5 ('', 'SBARQ', 'WHNP-1')
    """
    return TreeReader(Source(source, on_error, on_skip, name), spaces)


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


class TreeReader(TreebankReader[ConstituentTree]):
    """An iterator over the trees of a file, as `read_trees` returns it; ``skipped`` counts those skipped so far."""

    def __init__(self, source: Source, spaces: Spaces = "refuse") -> None:
        super().__init__(source)
        if spaces not in get_args(Spaces):
            raise UsageError(f"spaces is {spaces!r}; it must be 'refuse' or 'keep'")
        self._spaces: Spaces = spaces
        self._place = Place()

    def _read(self, stream: BinaryIO) -> Iterator[ConstituentTree]:
        for block in blocks(stream, self._name):
            if block.kind == "unreadable":
                raise self._place.error(block.raw.decode(), self._name)
            if block.kind == "dropped":
                self._pass(block.raw)
            elif block.kind == "trees" and (trees := self._parse(block.raw)) is not None:
                yield from trees
            else:
                yield from self._read_singly(block.trees())

    def _read_singly(self, pieces: Iterator[bytes]) -> Iterator[ConstituentTree]:
        for raw in pieces:
            trees = self._parse(raw)
            if trees is not None:
                yield from trees
                continue
            error = self._diagnose(raw)
            self._pass(raw)
            self._refuse(error)

    def _pass(self, raw: bytes) -> None:
        self._place = self._place.after(raw.decode(errors="replace"))

    def _parse(self, raw: bytes) -> list[ConstituentTree] | None:
        """Read whole trees, and move past them; None if something is wrong."""
        if len(raw) > MAX_TREE_BYTES + CHUNK:
            return None
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return None
        body = text.removeprefix(BOM) if self._place == Place() else text
        trees = parse_brackets(body.lstrip(BLANKS), self._spaces)
        if trees is None:
            return None
        self._place = self._place.after(text)
        return [ConstituentTree.trusted(*tree) for tree in trees]

    def _diagnose(self, raw: bytes) -> TreebankError:
        stripped = raw.lstrip(BLANKS.encode())
        start = self._place.after(raw[: len(raw) - len(stripped)].decode())
        if len(raw) > MAX_TREE_BYTES:
            reason = f"a tree of more than {MAX_TREE_BYTES:,} bytes; a closing bracket may be missing"
            return start.error(reason, self._name)
        try:
            text = decode(stripped, self._name, start.line, start.column)
        except TreebankError as error:
            return error
        return diagnose(text.removeprefix(BOM) if start == Place() else text, self._spaces, self._name, start)
