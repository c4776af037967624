"""From lists of trees to candidates with features and gold scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from treewright.reranking.candidates.builder import CandidatesBuilder
from treewright.reranking.candidates.kinds import Kind
from treewright.reranking.candidates.listing import CandidateList
from treewright.reranking.options import Distinct

__all__ = ["add_lists"]

T = TypeVar("T")


def add_lists(
    builder: CandidatesBuilder,
    gold: Iterable[T],
    lists: Iterable[CandidateList[T]],
    kind: Kind[T],
    features: Callable[[T], Iterable[str]],
    *,
    texts: bool = True,
    distinct: Distinct = "scored",
) -> None:
    """Add the candidates of many sentences, one list per gold tree.

    Parameters
    ----------
    builder : CandidatesBuilder
    gold : iterable of trees
    lists : iterable of CandidateList
        Read one at a time, so that they can be parsed while they are read.
    kind : Kind
        Scores and writes trees.
    features : function
        Extracts the features of a tree, such as `ConstituentTreeFeatures`.
    texts : bool
        Whether to keep the trees, as the ids of candidates.
    distinct : {"scored", "trees"}
        Whether to drop trees with the scored brackets (or heads and relations) of a more probable one: they would have
        its score, whatever the gold tree.

    Examples
    --------
    >>> from treewright.reranking.features import ConstituentTreeFeatures
    >>> from treewright.reranking.candidates.kinds import Constituents
    >>> from treewright.treebank import ConstituentTree
    >>> tree = ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow)))")
    >>> builder, features = CandidatesBuilder(), ConstituentTreeFeatures(kinds=["rule"])
    >>> add_lists(builder, [tree], [CandidateList([tree], [-2.5])], Constituents(), features)
    >>> list(builder.build().names)
    ['rule S -> NP *VP', 'rule NP -> *NNS', 'rule VP -> *VBP']
    """
    for tree, found in zip(gold, lists, strict=True):
        trees, log_probabilities = _without_equals(tree, found, kind) if distinct == "scored" else found
        accuracies, size = kind.score(tree, trees)
        builder.add(
            log_probabilities,
            accuracies,
            list(map(features, trees)),
            [float(size)] * len(trees),
            list(map(kind.format, trees)) if texts else None,
        )


def _without_equals(gold: T, found: CandidateList[T], kind: Kind[T]) -> CandidateList[T]:
    """Keep the first, and most probable, of the trees that no score can tell apart."""
    first = {key: place for place, key in reversed(list(enumerate(kind.scored_keys(gold, found.trees))))}
    places = sorted(first.values())
    return CandidateList([found.trees[p] for p in places], [found.log_probabilities[p] for p in places])
