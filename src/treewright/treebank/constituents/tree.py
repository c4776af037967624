"""A constituent tree in memory: arrays in preorder, not an object for each node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from treewright.arrays import Heads, Mask
from treewright.errors import TreebankError, UsageError
from treewright.treebank.constituents.brackets import BLANKS, format_brackets, parse_brackets
from treewright.treebank.constituents.diagnosis import diagnose
from treewright.treebank.drawn import Drawn
from treewright.treebank.reading import BOM, Place, decode

__all__ = ["ConstituentTree"]

A = TypeVar("A", Heads, Mask)


@dataclass(frozen=True, eq=False, repr=False)
class ConstituentTree(Drawn):
    """The constituents of a sentence, in the order in which their brackets open.

    Node 0 is the top, and every node comes before the nodes below it.  A node without children is a *leaf*: its
    label is the tag of one word.  Trees are immutable; what depends on their shape is computed once.

    Parameters
    ----------
    labels : sequence of str
        The label of each node.  Only the top may go without one: the empty bracket around a Penn tree is a node
        with the label ``""``.
    parents : int array, shape (nodes,)
        The node above each node, and -1 above the top.
    words : sequence of str
        The words, one for each leaf.

    Raises
    ------
    UsageError
        If this is not a tree in preorder, or there is not one word for each leaf.

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow)))")
    >>> tree.labels
    ('S', 'NP', 'NNS', 'VP', 'VBP')
    >>> tree.parents.tolist(), tree.words, tree.tags
    ([-1, 0, 1, 0, 3], ('Trees', 'grow'), ('NNS', 'VBP'))
    >>> print(tree)
    (S (NP (NNS Trees)) (VP (VBP grow)))
    """

    labels: tuple[str, ...]
    parents: Heads
    words: tuple[str, ...]

    def __init__(self, labels: Iterable[str], parents: npt.ArrayLike, words: Iterable[str]) -> None:
        self._fill(tuple(labels), np.array(parents, np.int32), tuple(words))
        if (fault := _find_fault(self)) is not None:
            raise UsageError(f"not a constituent tree: {fault}")

    def _fill(self, labels: tuple[str, ...], parents: Heads, words: tuple[str, ...]) -> None:
        parents.flags.writeable = False
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "words", words)

    @classmethod
    def trusted(cls, labels: Iterable[str], parents: Sequence[int] | Heads, words: Iterable[str]) -> ConstituentTree:
        """Make a tree from parts that are known to fit together, without checking them again."""
        tree = object.__new__(cls)
        tree._fill(tuple(labels), np.array(parents, np.int32), tuple(words))
        return tree

    @classmethod
    def from_string(cls, text: str) -> ConstituentTree:
        """Read one bracketed tree.

        Raises
        ------
        TreebankError
            If the text is not exactly one tree.
        """
        path = "<string>"
        text = decode(text.encode("utf-8", "surrogatepass"), path).removeprefix(BOM)
        trees = parse_brackets(text.lstrip(BLANKS))
        if trees is None:
            raise diagnose(text, "refuse", path, Place())
        if len(trees) != 1:
            raise TreebankError(f"{len(trees)} trees where one was expected", path, 1)
        return cls.trusted(*trees[0])

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.words)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConstituentTree):
            return NotImplemented
        same = self.labels == other.labels and self.words == other.words
        return same and self.parents.tobytes() == other.parents.tobytes()

    def __hash__(self) -> int:
        return hash((self.labels, self.words, self.parents.tobytes()))

    def __str__(self) -> str:
        return format_brackets(self.labels, self.depths, self.words)

    def __repr__(self) -> str:
        text = str(self)
        return f"<ConstituentTree {text if len(text) <= 60 else text[:57] + '...'}>"

    @property
    def tags(self) -> tuple[str, ...]:
        """The tag of each word: the labels of the leaves."""
        return tuple(map(self.labels.__getitem__, self.leaves.tolist()))

    @cached_property
    def is_leaf(self) -> Mask:
        """Whether each node is a leaf: the node after it, if any, is not below it."""
        leaf = np.ones(len(self.labels), np.bool_)
        leaf[:-1] = self.parents[1:] != np.arange(len(self.labels) - 1)
        return _frozen(leaf)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """The number of nodes above each node."""
        depths = [0] * len(self.labels)
        for node, parent in enumerate(self.parents[1:].tolist(), 1):
            depths[node] = depths[parent] + 1
        return tuple(depths)

    @cached_property
    def leaves(self) -> Heads:
        """The node of each word."""
        return _frozen(np.flatnonzero(self.is_leaf).astype(np.int32))

    @cached_property
    def starts(self) -> Heads:
        """The number of words before each node; node *i* covers ``words[starts[i]:ends[i]]``."""
        return _frozen((np.cumsum(self.is_leaf) - self.is_leaf).astype(np.int32))

    @cached_property
    def ends(self) -> Heads:
        """The number of words up to the end of each node."""
        ends = (self.starts + 1).tolist()
        for node, parent in zip(range(len(ends) - 1, 0, -1), self.parents[:0:-1].tolist(), strict=True):
            if ends[node] > ends[parent]:  # in reverse, the last child comes first
                ends[parent] = ends[node]
        return _frozen(np.array(ends, np.int32))

    def children(self) -> list[list[int]]:
        """List the children of every node, from left to right.

        Examples
        --------
        >>> ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow)))").children()
        [[1, 3], [2], [], [4], []]
        """
        below: list[list[int]] = [[] for _ in self.labels]
        for node, parent in enumerate(self.parents[1:].tolist(), 1):
            below[parent].append(node)
        return below

    def relabel(self, labels: Iterable[str]) -> ConstituentTree:
        """Copy the tree with other labels."""
        return ConstituentTree(labels, self.parents, self.words)

    def respell(self, words: Iterable[str]) -> ConstituentTree:
        """Copy the tree with other words."""
        return ConstituentTree(self.labels, self.parents, words)


def _find_fault(tree: ConstituentTree) -> str | None:
    """Find what is wrong with a tree; None if nothing is."""
    parents = tree.parents
    n = len(tree.labels)
    if parents.shape != (n,):
        return f"{n} labels and parents of shape {parents.shape}"
    if n == 0:
        return "it has no nodes"
    if parents[0] != -1:
        return f"the parent of the top is {parents[0]}; it must be -1"
    path = [0]  # from the top to the previous node
    for node, parent in enumerate(parents.tolist()[1:], 1):
        while path and path[-1] != parent:
            path.pop()
        if not path:
            return f"node {node} stands below {parent}, which is not open there; nodes go in preorder"
        path.append(node)
    if len(tree.words) != len(tree.leaves):
        return f"{len(tree.leaves)} leaves and {len(tree.words)} words"
    if not all(tree.labels[1:]) or (n == 1 and not tree.labels[0]):
        return "only a top with something below it can go without a label"
    if not all(tree.words):
        return f"word {tree.words.index('') + 1} is empty"
    return None


def _frozen(array: A) -> A:
    array.flags.writeable = False
    return array
