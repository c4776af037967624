"""Fitting mixtures of temperatures, to sentences that a model has not learned from."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from treewright.arrays import Floats, Mask
from treewright.learning.calibration import SMALLEST, fit_temperature, minimum
from treewright.parsing.mixture import Mixture

__all__ = ["fit_discounted", "fit_mixture"]

#: What the best single temperature is multiplied by to find two that are better.
_MULTIPLES = np.geomspace(1 / 3, 4, 12)

#: What two more parameters must gain in log-likelihood (Akaike 1974).
_LEAST_GAIN = 2.0

#: Powers of a probability that something else is right.
_POWERS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0)


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
    return _best_mixture(_tables(likelihoods, bounds), _loss)[1]


def fit_discounted(
    likelihoods: Callable[[float], Floats], is_right: Mask, logs: Floats, bounds: tuple[float, float] = (-4.0, 4.0)
) -> tuple[Mixture, float]:
    """Find a mixture for statements that also depend on something else, and the power of the probability of that.

    What is stated with probability p under the mixture is right with p qᵞ, where q is the probability of what it
    depends on.

    Parameters
    ----------
    likelihoods, bounds
        As for `fit_mixture`: p if a statement is right, and 1 - p if it is wrong.
    is_right : boolean array
        Whether each statement is right.
    logs : float array
        The logarithm of q for each.

    Returns
    -------
    mixture : Mixture
    power : float
        γ, from 0 to 1; 0 if it does not gain more than one parameter must (Akaike 1974).
    """

    def discounted(power: float, right: Floats) -> float:
        discount = np.exp(power * logs)
        return _loss(np.where(is_right, right * discount, 1 - (1 - right) * discount))

    tables = _tables(likelihoods, bounds)
    found = []
    for power in _POWERS if logs.any() else _POWERS[:1]:
        loss, mixture = _best_mixture(tables, partial(discounted, power))
        found.append((loss + (power > 0), power, mixture))
    _, power, mixture = min(found, key=lambda one: one[0])
    return mixture, power


def _loss(right: Floats) -> float:
    """Compute the log loss, given the probability of what is right in each case."""
    return -float(np.log(np.maximum(right, SMALLEST)).sum())


def _tables(likelihoods: Callable[[float], Floats], bounds: tuple[float, float]) -> list[tuple[float, Floats]]:
    """Find the best single temperature, and compute the likelihoods at it and at some multiples of it."""
    single = fit_temperature(lambda factor: _loss(likelihoods(factor)), bounds)
    return [(single * multiple, likelihoods(1 / (single * multiple))) for multiple in (1.0, *_MULTIPLES.tolist())]


def _best_mixture(tables: Sequence[tuple[float, Floats]], loss: Callable[[Floats], float]) -> tuple[float, Mixture]:
    """Find the best of all single temperatures and all pairs; return its loss, with that of its parameters, and it."""

    def mixed_loss(sure: Floats, doubtful: Floats, share: float) -> float:
        return loss(share * sure + (1 - share) * doubtful)

    single, right = min(tables, key=lambda one: loss(one[1]))
    least, best = loss(right), Mixture((single,))
    for (low, sure), (high, doubtful) in itertools.combinations(tables[1:], 2):
        share = minimum(partial(mixed_loss, sure, doubtful), (0.0, 1.0))
        found = mixed_loss(sure, doubtful, share) + _LEAST_GAIN
        if found < least:
            least, best = found, Mixture((low, high), (share, 1 - share))
    return least, best
