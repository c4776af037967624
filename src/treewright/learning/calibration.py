"""Calibration: from scores that only rank trees to honest probabilities.

Scores are divided by a *temperature* before they are exponentiated (Platt 1999; Guo et al. 2017): the one under which
what is known of sentences that the model has not learned from is most likely.  The scores of margin-based learners have
no scale of their own; a log-linear model is learned as a distribution, but is somewhat too sure of sentences that it
has not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["SMALLEST", "fit_temperature", "minimum", "sample_of"]

T = TypeVar("T")

#: A probability that nothing right falls below: it may have been pruned.
SMALLEST = 1e-6


def sample_of(sentences: Sequence[T], enough: int) -> Sequence[T]:
    """Take sentences at equal distances, at least ``enough`` of them where there are as many."""
    return sentences[:: max(1, len(sentences) // enough)]


def fit_temperature(loss: Callable[[float], float], bounds: tuple[float, float] = (-4.0, 4.0)) -> float:
    """Find the temperature with the least loss, between two bounds on its logarithm.

    The loss is minus the log-likelihood of what is right when scores are multiplied by one over the temperature.
    """
    return math.exp(minimum(lambda log_temperature: loss(math.exp(-log_temperature)), bounds))


def minimum(function: Callable[[float], float], bounds: tuple[float, float]) -> float:
    """Find where a function of one number is least."""
    from scipy.optimize import minimize_scalar  # takes a while to import, and only training needs it

    return float(minimize_scalar(function, bounds=bounds, method="bounded", options={"xatol": 0.02}).x)
