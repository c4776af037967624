"""From lists of trees to candidates with features and gold scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from treewright.reranking.candidates.builder import CandidatesBuilder
from treewright.reranking.candidates.kinds import Kind
from treewright.reranking.candidates.listing import CandidateList

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
    for tree, candidates in zip(gold, lists, strict=True):
        accuracies, size = kind.score(tree, candidates.trees)
        builder.add(
            candidates.log_probabilities,
            accuracies,
            [features(candidate) for candidate in candidates.trees],
            [float(size)] * len(candidates.trees),
            list(map(kind.format, candidates.trees)) if texts else None,
        )
