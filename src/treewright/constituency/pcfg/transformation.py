"""From trees to derivations of a binary grammar and back, without loss.

Two orders shape the grammar (Klein and Manning 2003, section 2).  With *vertical* order v, a symbol has the labels of
the v - 1 constituents above it (v = 2 is the parent annotation of Johnson 1998).  With *horizontal* order h, a child
depends on the h children before it: the children of X are generated from left to right,

    X -> c1 @X[c1],   @X[c1] -> c2 @X[c1 c2],   ...,   @X[...] -> c(m-1) cm,

where a state @X[...] remembers the last h of them.  They are not generated from the head outward, because from left to
right each tree has exactly one derivation, however rules are recombined: the probability of a derivation is that of its
tree, the k best derivations are k different trees, and no head rules are needed.

A derivation is a list in preorder of the binary tree, with an entry for each span: the chain of unary rules at it, from
the top down to the symbol that is a tag or has two children.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from treewright.errors import UsageError
from treewright.treebank.constituents.tree import ConstituentTree

__all__ = ["Annotation", "Chain", "Symbol", "restore", "transform"]

Kind = Literal["phrase", "tag", "state"]


class Symbol(NamedTuple):
    """A symbol of the grammar: a label, and the labels around it that it remembers.

    Attributes
    ----------
    kind : {"phrase", "tag", "state"}
        A constituent, the tag of a word, or the rest of the children of a constituent.
    label : str
        As in the treebank; that of the constituent, for a state.
    context : tuple of str
        The labels above, nearest first, ``""`` where there are none; for a state also those of the last children.
    """

    kind: Kind
    label: str
    context: tuple[str, ...] = ()


Chain = tuple[Symbol, ...]


@dataclass(frozen=True)
class Annotation:
    """What symbols remember.

    Attributes
    ----------
    vertical : int
        v: a constituent and those above it, counted together; 1 remembers nothing.
    horizontal : int or None
        h: how many of the children before; None is all, so that only the rules of the treebank are in the grammar.
    tags : bool
        Whether tags also remember the constituents above them.
    """

    vertical: int = 2
    horizontal: int | None = 2
    tags: bool = False

    def __post_init__(self) -> None:
        if self.vertical < 1:
            raise UsageError(f"vertical is {self.vertical}; it must be at least 1, which remembers no parents")
        if self.horizontal is not None and self.horizontal < 0:
            raise UsageError(f"horizontal is {self.horizontal}; it must be at least 0, or None for all children")

    def symbols(self, tree: ConstituentTree) -> list[Symbol]:
        """Find the symbol of each node of a tree."""
        labels, parents, leaf = tree.labels, tree.parents.tolist(), tree.is_leaf.tolist()
        above: list[tuple[str, ...]] = []
        for parent in parents:
            nearest = (labels[parent], *above[parent]) if parent >= 0 else ("",) * self.vertical
            above.append(nearest[: self.vertical - 1])
        return [
            Symbol("tag", label, context if self.tags else ()) if is_leaf else Symbol("phrase", label, context)
            for label, context, is_leaf in zip(labels, above, leaf, strict=True)
        ]

    def state(self, parent: Symbol, before: Sequence[str]) -> Symbol:
        """Return the state of a constituent after the children with these labels."""
        last = before if self.horizontal is None else before[max(len(before) - self.horizontal, 0) :]
        return Symbol("state", parent.label, (*parent.context, *last))


def transform(tree: ConstituentTree, annotation: Annotation) -> list[Chain]:
    """Turn a tree into its derivation.

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow)))")
    >>> for chain in transform(tree, Annotation(vertical=1)):
    ...     print(" ".join(symbol.label for symbol in chain))
    S
    NP NNS
    VP VBP
    """
    symbols, children = annotation.symbols(tree), tree.children()
    derivation: list[Chain] = []
    todo = [(0, 0)]  # a node, and how many of its children have been generated
    while todo:
        node, done = todo.pop()
        if done:
            before = [tree.labels[child] for child in children[node][:done]]
            derivation.append((annotation.state(symbols[node], before),))
        else:
            path = [node]
            while len(children[node]) == 1:
                node = children[node][0]
                path.append(node)
            derivation.append(tuple(symbols[step] for step in path))
        rest = children[node][done:]
        if rest:
            todo.append((rest[1], 0) if len(rest) == 2 else (node, done + 1))
            todo.append((rest[0], 0))
    return derivation


def restore(derivation: Iterable[Chain], words: Iterable[str], root: str | None = None) -> ConstituentTree:
    """Turn a derivation back into its tree; the inverse of `transform`.

    Parameters
    ----------
    derivation : chains in preorder
    words : iterable of str
    root : str, optional
        The label of a constituent to put above several consecutive derivations.
    """
    labels, parents = ([], []) if root is None else ([root], [-1])
    top = len(labels) - 1
    open_places: list[int] = []
    for chain in derivation:
        parent = open_places.pop() if open_places else top
        for symbol in chain:
            if symbol.kind != "state":
                parents.append(parent)
                parent = len(labels)
                labels.append(symbol.label)
        if chain[-1].kind != "tag":
            open_places += (parent, parent)
    return ConstituentTree.trusted(labels, parents, words)
