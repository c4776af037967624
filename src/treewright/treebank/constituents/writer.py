"""Write bracketed trees, one on each line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from treewright.files import PathLike
from treewright.treebank.constituents.tree import ConstituentTree
from treewright.treebank.writing import write_texts

__all__ = ["format_tree", "write_trees"]


def write_trees(trees: Iterable[ConstituentTree], target: PathLike | BinaryIO) -> int:
    r"""Write trees to a file or a binary stream, one on each line, and return how many there were.

    Files are written, and errors raised, as by `treewright.treebank.write`.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> write_trees([ConstituentTree.from_string("(NP (NNS trees))")], stream)
    1
    >>> stream.getvalue()
    b'(NP (NNS trees))\n'
    """
    return write_texts((format_tree(tree) + "\n" for tree in trees), target, "tree")


def format_tree(tree: ConstituentTree) -> str:
    """Write a tree as one line of brackets, without a line end.

    Raises
    ------
    UsageError
        If the line could not be read back: a label or word has a bracket in it, or a word has a line end.  A word may
        have single spaces in it; reading it back requires ``spaces="keep"``.

    Examples
    --------
    >>> format_tree(ConstituentTree(["", "NP", "NN"], [-1, 0, 1], ["wood"]))
    '( (NP (NN wood)))'
    """
    return str(tree)
