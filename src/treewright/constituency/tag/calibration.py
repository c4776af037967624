"""Honest probabilities of constituent trees: temperatures under which the best tree is as probable as correct."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Floats
from treewright.constituency.tag import search
from treewright.constituency.tag.parser import ConstituentParser
from treewright.evaluation import has_same_phrases
from treewright.parsing.calibration import fit_mixture
from treewright.parsing.mixture import Mixture
from treewright.treebank import ConstituentTree, Sentence

__all__ = ["tree_temperatures"]


def tree_temperatures(parser: ConstituentParser, known: Sequence[tuple[Sentence, ConstituentTree]]) -> Mixture:
    """Fit the temperatures under which the best tree is as probable as it is often correct, tags aside.

    ``known`` are sentences that the parser has not learned from, tagged as when they are parsed, with their trees.
    """
    examples = []
    for sentence, tree in known:
        space, scores, found = parser.explore(sentence, keep_tags=True)
        score, _ = search.best(space, scores)
        examples.append((space, scores, score, has_same_phrases(found, tree)))
    is_right = np.array([one[-1] for one in examples], bool)

    def correct_judgements(factor: float) -> Floats:
        logs = [score * factor - search.log_total(space, scores * factor) for space, scores, score, _ in examples]
        stated = np.exp(np.minimum(logs, 0.0))
        return np.where(is_right, stated, 1 - stated)

    return fit_mixture(correct_judgements, bounds=(-2, 10))
