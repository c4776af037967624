"""Write bracketed trees, each on a line of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import BinaryIO

from treewright.errors import UsageError
from treewright.files import PathLike, atomic_output
from treewright.treebank.conllu.columns import shorten
from treewright.treebank.constituents.brackets import BLANKS
from treewright.treebank.constituents.tree import ConstituentTree

__all__ = ["format_tree", "write_trees"]

#: What cannot be told from a bracket or from the space after a label, and what no reader takes.
_BAD_LABEL = re.compile(rf"[(){BLANKS}\0]")
_BAD_WORD = re.compile(r"[()\t\r\n\0]|^ | $|  ")


def write_trees(trees: Iterable[ConstituentTree], target: PathLike | BinaryIO) -> int:
    r"""Write trees to a file or a binary stream, a line for each.

    A file is compressed when its name ends in ``.gz`` or ``.xz``, and appears only once the last tree has been written.

    Returns
    -------
    int
        How many trees were written.

    Raises
    ------
    UsageError
        When the file cannot be written, or a tree could not be read back.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> write_trees([ConstituentTree.from_string("(NP (NNS trees))")], stream)
    1
    >>> stream.getvalue()
    b'(NP (NNS trees))\n'
    """
    if isinstance(target, str | os.PathLike):
        with atomic_output(target) as stream:
            return _write(trees, stream)
    return _write(trees, target)


def _write(trees: Iterable[ConstituentTree], stream: BinaryIO) -> int:
    number = 0
    for number, tree in enumerate(trees, 1):
        try:
            stream.write(format_tree(tree).encode() + b"\n")
        except UnicodeEncodeError as error:
            raise UsageError(f"tree {number} is not Unicode text: {error}") from error
    return number


def format_tree(tree: ConstituentTree) -> str:
    """Give a tree as one line of brackets.

    Raises
    ------
    UsageError
        When the line could not be read back: a label or word has a bracket in it, or a word a line end.  A word may
        have single spaces in it; reading it again takes ``spaces="keep"``.

    Examples
    --------
    >>> format_tree(ConstituentTree(["", "NP", "NN"], [-1, 0, 1], ["wood"]))
    '( (NP (NN wood)))'
    """
    if _BAD_LABEL.search("".join(tree.labels)) or any(map(_BAD_WORD.search, tree.words)):
        raise UsageError(_fault(tree))
    pieces = [f"({label}" for label in tree.labels]
    depths = _depths(tree.parents.tolist())
    for leaf, word in zip(tree.leaves.tolist(), tree.words, strict=True):
        closed = depths[leaf] - (depths[leaf + 1] if leaf + 1 < len(depths) else 0) + 1
        pieces[leaf] += f" {word}{')' * closed}"
    return " ".join(pieces)


def _depths(parents: list[int]) -> list[int]:
    depths = [0] * len(parents)
    for node in range(1, len(parents)):
        depths[node] = depths[parents[node]] + 1
    return depths


def _fault(tree: ConstituentTree) -> str:
    for label in tree.labels:
        if _BAD_LABEL.search(label):
            return f"label {shorten(label)} has a bracket, space, line end or NUL in it"
    word = next(word for word in tree.words if _BAD_WORD.search(word))
    if "(" in word or ")" in word:
        return f"word {shorten(word)} has a bracket in it; write -LRB- and -RRB- (escape_brackets does)"
    return f"word {shorten(word)} has a line end, tab, NUL or outer or double space in it"
