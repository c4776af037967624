"""Features of constituent trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from treewright.arrays import Heads
from treewright.reranking.features.extraction import KINDS, Extractor
from treewright.reranking.features.headed import CLOSED_TAGS, TOP, HeadedTree, Preposition
from treewright.treebank import ConstituentTree, HeadRules, find_head_children, find_head_words

__all__ = ["ConstituentTreeFeatures", "with_head_children"]


class ConstituentTreeFeatures:
    """Extracts the features of constituent trees (Collins and Koo 2005, section 5.2).

    Parameters
    ----------
    rules : HeadRules, optional
        The rules that find the head of each constituent; by default those of Collins.
    kinds, closed_tags : iterable of str
        See `Extractor`.

    Examples
    --------
    >>> features = ConstituentTreeFeatures(kinds=["rule", "lexical-bigram"])
    >>> for feature in features(ConstituentTree.from_string("(S (NP (PRP We)) (VP (VBD saw) (NP (NNS trees))))")):
    ...     print(feature)
    rule S -> NP *VP
    lexical-bigram S left NP/We STOP
    rule NP -> *PRP
    rule VP -> *VBD NP
    lexical-bigram VP right NP/trees STOP
    rule NP -> *NNS
    """

    def __init__(
        self,
        rules: HeadRules | None = None,
        kinds: Iterable[str] = KINDS,
        closed_tags: Iterable[str] = CLOSED_TAGS,
    ) -> None:
        self.rules = rules or HeadRules.load("collins")
        self.extractor = Extractor(kinds, closed_tags)

    def __call__(self, tree: ConstituentTree) -> list[str]:
        """List the features of a tree, without repetition."""
        return self.extractor(with_head_children(tree, find_head_children(tree, self.rules)))


def with_head_children(tree: ConstituentTree, head_children: Heads) -> HeadedTree:
    """Combine a tree with its head children, as found by `find_head_children`."""
    labels = (tree.labels[0] or TOP, *tree.labels[1:])
    parents, children, heads = tree.parents.tolist(), tree.children(), head_children.tolist()
    head_words = (find_head_words(tree, head_children) - 1).tolist()
    found = HeadedTree(labels, parents, children, heads, head_words, labels, tree.words, tree.tags, ())
    return replace(found, prepositions=list(_prepositions(found)))


def _prepositions(tree: HeadedTree) -> Iterator[Preposition]:
    """Find the prepositional phrases that modify something, with the arguments after the preposition."""
    labels, heads = tree.labels, tree.head_children
    for node, label in enumerate(labels):
        above = tree.parents[node]
        if not label.startswith("PP") or above < 0 or heads[above] == node or heads[node] < 0:
            continue
        for child in tree.children[node]:
            if child > heads[node] and heads[child] >= 0:
                names = f"{labels[above]} {labels[heads[above]]} {label} {labels[child]}"
                yield names, tree.head_words[above], tree.head_words[node], tree.head_words[child]
