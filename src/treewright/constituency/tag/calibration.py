"""Honest probabilities of constituent trees: the temperature under which the best tree is as probable as correct."""

from __future__ import annotations

import math
from collections.abc import Sequence

from treewright.constituency.tag import search
from treewright.constituency.tag.parser import ConstituentParser
from treewright.evaluation import has_same_phrases
from treewright.learning.calibration import SMALLEST, fit_temperature
from treewright.treebank import ConstituentTree, Sentence

__all__ = ["tree_temperature"]


def tree_temperature(parser: ConstituentParser, known: Sequence[tuple[Sentence, ConstituentTree]]) -> float:
    """Fit the temperature under which the best tree is as probable as it is often correct, tags aside.

    ``known`` are sentences that the parser has not learned from, tagged as when they are parsed, with their trees.
    """
    examples = []
    for sentence, tree in known:
        space, scores, found = parser.explore(sentence, keep_tags=True)
        score, _ = search.best(space, scores)
        examples.append((space, scores, score, has_same_phrases(found, tree)))

    def loss(factor: float) -> float:
        total = 0.0
        for space, scores, score, is_right in examples:
            probability = math.exp(score * factor - search.log_total(space, scores * factor))
            total -= math.log(max(probability if is_right else 1 - probability, SMALLEST))
        return total

    return fit_temperature(loss, bounds=(-2, 10))
