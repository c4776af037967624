"""Honest probabilities of arcs: the temperature under which the gold heads are most likely, arc by arc."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Heads
from treewright.dependency.parser import Parser
from treewright.inference import Scores
from treewright.learning.calibration import SMALLEST, fit_temperature, sample_of
from treewright.threads import in_order
from treewright.treebank import Sentence

__all__ = ["arc_temperature"]

#: Sentences that are enough to fit one number.
ENOUGH = 400


def arc_temperature(parser: Parser, dev: Sequence[Sentence], threads: int | None = None) -> float:
    """Fit the temperature of a parser to the gold heads of a dev set, which is tagged as it is when it is parsed."""
    scored = [(parser.scores(sentence), sentence.rooted_heads()) for sentence in sample_of(dev, ENOUGH)]

    def loss(factor: float) -> float:
        def one(example: tuple[Scores, Heads]) -> float:
            scores, heads = example
            marginals = parser.trees.marginals(scores.scaled(factor))
            return -float(np.log(np.maximum(marginals.of_arcs(heads), SMALLEST)).sum())

        return sum(in_order(one, scored, threads))

    return fit_temperature(loss)
