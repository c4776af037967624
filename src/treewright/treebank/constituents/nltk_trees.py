"""Convert to and from NLTK trees, if NLTK is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.errors import UsageError
from treewright.treebank.constituents.tree import ConstituentTree

if TYPE_CHECKING:
    import nltk

__all__ = ["from_nltk", "to_nltk"]


def to_nltk(tree: ConstituentTree) -> nltk.Tree:
    """Convert a tree to an NLTK tree.

    Raises
    ------
    UsageError
        If NLTK is not installed.
    """
    make = _tree_class()
    nodes: list[Any] = [make(label, []) for label in tree.labels]
    for leaf, word in zip(tree.leaves.tolist(), tree.words, strict=True):
        nodes[leaf].append(word)
    for node, parent in enumerate(tree.parents[1:].tolist(), 1):
        nodes[parent].append(nodes[node])
    top: nltk.Tree = nodes[0]
    return top


def from_nltk(tree: nltk.Tree) -> ConstituentTree:
    """Convert an NLTK tree, in which every word must be the only child of its tag.

    Raises
    ------
    UsageError
        If NLTK is not installed, or a word has other words or constituents beside it.
    """
    kind = _tree_class()
    labels: list[str] = []
    parents: list[int] = []
    words: list[str] = []
    waiting: list[tuple[Any, int]] = [(tree, -1)]
    while waiting:
        node, parent = waiting.pop()
        children = list(node)
        labels.append(str(node.label()))
        parents.append(parent)
        if len(children) == 1 and not isinstance(children[0], kind):
            words.append(str(children[0]))
        elif not children or not all(isinstance(child, kind) for child in children):
            raise UsageError(
                f"{labels[-1]!r} has words beside other children, or nothing below it; give each word a tag"
            )
        else:
            waiting += [(child, len(labels) - 1) for child in reversed(children)]
    return ConstituentTree(labels, parents, words)


def _tree_class() -> Any:
    try:
        from nltk.tree import Tree
    except ImportError:
        raise UsageError("this needs NLTK, which is not installed: pip install nltk") from None
    return Tree
