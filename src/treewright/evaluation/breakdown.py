"""Scores by relation and by dependency length."""

from __future__ import annotations

from typing import Final

import numpy as np

from treewright.arrays import Heads, Ints, Mask
from treewright.evaluation.agreement import Agreement
from treewright.evaluation.score import Score

__all__ = ["score_lengths", "score_relations"]

# The first length in each bin after "root".
_LENGTHS: Final = {"1": 1, "2": 2, "3-6": 3, "7+": 7}


def score_relations(words: Agreement) -> dict[str, Score]:
    """Score labelled arcs by relation, the most frequent in the gold standard first."""
    size = len(words.relations)
    scores = _score_groups(words.gold.relations, words.system.relations, words.labelled, words.aligned, size)
    named = [(name, score) for name, score in zip(words.relations, scores, strict=True) if score.gold or score.system]
    return dict(sorted(named, key=lambda item: (-item[1].gold, item[0])))


def score_lengths(words: Agreement) -> dict[str, Score]:
    """Score unlabelled arcs by the distance between head and modifier; arcs from the root are a group of their own.

    Recall is over the gold arcs of each length, precision over the system's.  Lengths are counted in words,
    which must be the same on both sides.
    """
    bins = ["root", *_LENGTHS]
    gold, system = (_bins(side.heads, side.word) for side in (words.gold, words.system))
    return dict(zip(bins, _score_groups(gold, system, words.attached, None, len(bins)), strict=True))


def _bins(heads: Heads, modifiers: Ints) -> Ints:
    """Find the bin of each arc: 0 for arcs from the root, -1 for words without a head."""
    bins = np.searchsorted(list(_LENGTHS.values()), np.abs(heads - modifiers), side="right")
    return np.where(heads > 0, bins, np.minimum(heads, 0))


def _score_groups(gold: Ints, system: Ints, correct: Mask, aligned: Mask | None, size: int) -> list[Score]:
    """Count each group; a correct item has the same group on both sides."""
    groups = [gold[correct], gold, system, *([] if aligned is None else [gold[aligned]])]
    counts = (np.bincount(group[group >= 0], minlength=size).tolist() for group in groups)
    return [Score(*numbers) for numbers in zip(*counts, strict=True)]
