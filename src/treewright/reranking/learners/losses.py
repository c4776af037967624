"""ExpLoss and LogLoss of margins, and the weight α₀ of the base model that minimizes ExpLoss.

Collins and Koo (2005), equations 9, 10 and 12.
"""

from __future__ import annotations

from math import exp, log

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.kernels import kernel
from treewright.reranking.learners.differences import Differences

__all__ = ["ALPHAS", "exp_loss", "fit_alpha", "log_loss", "partition"]

#: The range of α₀ (section 4.4).
ALPHAS = (0.001, 10.0)


def exp_loss(differences: Differences, margins: Floats) -> float:
    """Compute Σ S_{i,j} exp(−M_{i,j})."""
    return float(differences.importance @ np.exp(-margins))


def log_loss(differences: Differences, margins: Floats) -> float:
    """Compute Σ_i log(1 + Σ_j exp(−M_{i,j})) (equation 9)."""
    return float(_log_loss(differences.offsets, margins))


def fit_alpha(differences: Differences) -> float:
    """Find the α₀ that minimizes ExpLoss when all other weights are zero (equation 12).

    The article tries all values between 0.001 and 10 in steps of 0.001.  The loss is convex, so the sign of its slope
    shows on which side of a value the minimum lies.  If log-probabilities do not differ at all, α₀ is 1.

    Examples
    --------
    >>> from treewright.reranking import CandidatesBuilder
    >>> from treewright.reranking.learners.differences import find_differences
    >>> builder = CandidatesBuilder()
    >>> builder.add([0.0, -1.0, 2.0], [1.0, 0.0, 0.6], [[], [], []])
    >>> round(fit_alpha(find_differences(builder.build())), 6)  # of exp(−α) + 0.4 exp(2α)
    0.074381
    """
    change, importance = differences.log_probability, differences.importance
    if not change.any():
        return 1.0
    low, high = ALPHAS
    while high - low > 1e-9:
        middle = (low + high) / 2
        exponents = -middle * change
        slope = -(importance * change) @ np.exp(exponents - exponents.max())  # only its sign counts
        low, high = (middle, high) if slope < 0 else (low, middle)
    return (low + high) / 2


@kernel
def partition(margins: Floats, first: int, end: int) -> tuple[float, float]:
    """Return m and Σ with 1 + Σ_j exp(−M_j) = exp(m) Σ over pairs ``first`` to ``end``; nothing overflows."""
    highest = 0.0
    for p in range(first, end):
        highest = max(highest, -margins[p])
    total = exp(-highest)
    for p in range(first, end):
        total += exp(-margins[p] - highest)
    return highest, total


@kernel
def _log_loss(offsets: Ints, margins: Floats) -> float:
    loss = 0.0
    for i in range(len(offsets) - 1):
        highest, total = partition(margins, offsets[i], offsets[i + 1])
        loss += highest + log(total)
    return loss
