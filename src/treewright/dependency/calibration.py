"""Calibration: from scores that only rank trees to honest probabilities.

A log-linear model is learned as a distribution over trees, and its marginals are probabilities as they are.  The scores
of other learners are divided by a *temperature* before they are exponentiated (Platt 1999; Guo et al. 2017): the one
under which the gold heads of the dev set are most likely, arc by arc.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treewright.arrays import Heads
from treewright.inference import Scores
from treewright.threads import in_order

if TYPE_CHECKING:
    from treewright.dependency.parser import Parser
    from treewright.treebank import Sentence

__all__ = ["fit_temperature"]


#: Sentences that are enough to fit one number.
ENOUGH = 400

#: A probability that no arc falls below: the gold arc may have been pruned.
SMALLEST = 1e-6


def fit_temperature(parser: Parser, dev: Sequence[Sentence], threads: int | None = None) -> float:
    """Find the temperature under which the gold heads are most likely.

    Parameters
    ----------
    parser : Parser
        Its own temperature does not matter.
    dev : sequence of Sentence
        Tagged as they are when they are parsed, with gold heads.
    threads : int, optional
    """
    from scipy.optimize import minimize_scalar  # takes a while to import, and only training needs it

    scored = [(parser.scores(sentence), sentence.rooted_heads()) for sentence in dev[:: max(1, len(dev) // ENOUGH)]]

    def loss(log_temperature: float) -> float:
        factor = math.exp(-log_temperature)

        def one(example: tuple[Scores, Heads]) -> float:
            scores, heads = example
            marginals = parser.trees.marginals(scores.scaled(factor))
            return -float(np.log(np.maximum(marginals.of_arcs(heads), SMALLEST)).sum())

        return sum(in_order(one, scored, threads))

    return math.exp(minimize_scalar(loss, bounds=(-4, 4), method="bounded", options={"xatol": 0.02}).x)
