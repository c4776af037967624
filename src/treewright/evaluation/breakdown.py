"""Scores by relation, by dependency length, and for content words."""

from __future__ import annotations

from typing import Final

import numpy as np

from treewright.arrays import Heads, Ints, Mask
from treewright.evaluation.agreement import Agreement, universal
from treewright.evaluation.score import Score

__all__ = ["score_content", "score_lengths", "score_relations"]

# CLAS is defined over these relations (Nivre and Fang 2017): the universal relations except punct and those of function
# words (aux, case, cc, clf, cop, det, mark).  Relations outside Universal Dependencies are not content relations.
# fmt: off
_CONTENT: Final = frozenset(
    [
        "acl", "advcl", "advmod", "amod", "appos", "ccomp", "compound", "conj", "csubj", "dep",
        "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "nmod",
        "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "reparandum", "root", "vocative",
        "xcomp",
    ]
)
# fmt: on

# The first length in each bin after "root".
_LENGTHS: Final = {"1": 1, "2": 2, "3-6": 3, "7+": 7}


def score_content(words: Agreement) -> Score:
    """Score labelled arcs with a content relation: CLAS.

    Each side's own relations determine its content words.
    """
    content = np.array([name in _CONTENT for name in universal(words.relations)], np.bool_)
    gold, system = content[words.gold_relations], content[words.system_relations]
    return Score(
        correct=int(np.count_nonzero(gold & words.labelled)),
        gold=int(np.count_nonzero(gold)),
        system=int(np.count_nonzero(system)),
    )


def score_relations(words: Agreement) -> dict[str, Score]:
    """Score labelled arcs by relation, the most frequent in the gold standard first."""
    size = len(words.relations)
    scores = _score_groups(words.gold_relations, words.system_relations, words.labelled, size)
    named = [(name, score) for name, score in zip(words.relations, scores, strict=True) if score.gold or score.system]
    return dict(sorted(named, key=lambda item: (-item[1].gold, item[0])))


def score_lengths(words: Agreement) -> dict[str, Score]:
    """Score unlabelled arcs by the distance between head and modifier; arcs from the root are a group of their own.

    Recall is over the gold arcs of each length, precision over the system's.
    """
    bins = ["root", *_LENGTHS]
    gold, system = _bins(words.gold_heads, words.word), _bins(words.system_heads, words.word)
    return dict(zip(bins, _score_groups(gold, system, words.attached, len(bins)), strict=True))


def _bins(heads: Heads, modifiers: Ints) -> Ints:
    """Find the bin of each arc: 0 for arcs from the root, -1 for words without a head."""
    bins = np.searchsorted(list(_LENGTHS.values()), np.abs(heads - modifiers), side="right")
    return np.where(heads > 0, bins, np.minimum(heads, 0))


def _score_groups(gold: Ints, system: Ints, correct: Mask, size: int) -> list[Score]:
    """Count each group; a correct item has the same group on both sides."""
    counts = [np.bincount(groups[groups >= 0], minlength=size).tolist() for groups in (gold[correct], gold, system)]
    return [Score(*triple) for triple in zip(*counts, strict=True)]
