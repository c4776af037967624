"""Fitting mixtures of temperatures, to sentences that a model has not learned from."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import numpy as np

from treewright.arrays import Floats
from treewright.learning.calibration import SMALLEST, fit_temperature, minimum
from treewright.parsing.mixture import Mixture

__all__ = ["fit_mixture"]

#: What the best single temperature is multiplied by to find two that are better.
_MULTIPLES = np.geomspace(1 / 3, 4, 12)

#: What two more parameters must gain in log-likelihood (Akaike 1974).
_LEAST_GAIN = 2.0


def fit_mixture(likelihoods: Callable[[float], Floats], bounds: tuple[float, float] = (-4.0, 4.0)) -> Mixture:
    """Find the mixture of at most two temperatures with the least log loss.

    Both are among a few multiples of the best single temperature.  For each pair of them the log-likelihood is concave
    in their shares.

    Parameters
    ----------
    likelihoods : function
        Returns the probability of what is right, of each case, when scores are multiplied by a factor: one over the
        temperature.
    bounds : pair of float
        Those of the logarithm of the best single temperature.
    """

    def loss(right: Floats) -> float:
        return -float(np.log(np.maximum(right, SMALLEST)).sum())

    def mixed_loss(sure: Floats, doubtful: Floats, share: float) -> float:
        return loss(share * sure + (1 - share) * doubtful)

    single = fit_temperature(lambda factor: loss(likelihoods(factor)), bounds)
    least, best = loss(likelihoods(1 / single)) - _LEAST_GAIN, Mixture((single,))
    tables = [(single * multiple, likelihoods(1 / (single * multiple))) for multiple in _MULTIPLES.tolist()]
    for (low, sure), (high, doubtful) in itertools.combinations(tables, 2):
        share = minimum(partial(mixed_loss, sure, doubtful), (0.0, 1.0))
        found = mixed_loss(sure, doubtful, share)
        if found < least:
            least, best = found, Mixture((low, high), (share, 1 - share))
    return best
