"""ExpLoss and LogLoss of margins, and the weight α₀ of the base model that makes ExpLoss least.

Collins and Koo (2005), equations 9, 10 and 12.
"""

from __future__ import annotations

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.kernels import kernel
from treewright.reranking.learners.differences import Differences

__all__ = ["ALPHAS", "exp_loss", "fit_alpha", "log_loss"]

#: Between which values α₀ is sought (section 4.4).
ALPHAS = (0.001, 10.0)


def exp_loss(differences: Differences, margins: Floats) -> float:
    """Compute Σ S_{i,j} exp(−M_{i,j})."""
    return float(differences.importance @ np.exp(-margins))


def log_loss(differences: Differences, margins: Floats) -> float:
    """Compute Σ_i log(1 + Σ_j exp(−M_{i,j})) (equation 9)."""
    return float(_log_loss(differences.offsets, margins))


def fit_alpha(differences: Differences) -> float:
    """Find the α₀ that makes ExpLoss least when all other weights are zero (equation 12).

    The article tries all values between 0.001 and 10 in steps of 0.001.  The loss is convex, so that its slope tells
    on which side of a value the least one is.  Where log-probabilities do not differ at all, α₀ is one.

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
        slope = -(importance * change) @ np.exp(exponents - exponents.max())  # of which only the sign counts
        low, high = (middle, high) if slope < 0 else (low, middle)
    return (low + high) / 2


@kernel
def _log_loss(offsets: Ints, margins: Floats) -> float:
    loss = 0.0
    for i in range(len(offsets) - 1):
        highest = 0.0
        for p in range(offsets[i], offsets[i + 1]):
            highest = max(highest, -margins[p])
        total = np.exp(-highest)
        for p in range(offsets[i], offsets[i + 1]):
            total += np.exp(-margins[p] - highest)
        loss += highest + np.log(total)
    return loss
