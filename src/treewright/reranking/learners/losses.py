"""ExpLoss and LogLoss, and the weight α₀ of the base model that minimizes either.

Collins and Koo (2005), equations 9, 10 and 12.  Where several candidates of a list are equally good, LogLoss is minus
the logarithm of the probability of all of them together,

::

    LogLoss(α) = −Σ_i log Σ_{b best} P(x_{i,b} | s_i, α)

so that none of them is pushed down.  With one best candidate that is equation 9.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log

import numpy as np

from treewright.arrays import Floats, Ints, Mask
from treewright.kernels import exact_kernel, kernel
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.learners.differences import Differences

__all__ = ["ALPHAS", "exp_loss", "fit_alpha", "fit_log_alpha", "pair_chances", "to_errors"]

#: The range of α₀ (section 4.4).
ALPHAS = (0.001, 10.0)


def exp_loss(differences: Differences, margins: Floats) -> float:
    """Compute Σ S_{i,j} exp(−M_{i,j})."""
    return float(differences.importance @ np.exp(-margins))


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

    def slope(alpha: float) -> float:
        exponents = -alpha * change
        return float(-(importance * change) @ np.exp(exponents - exponents.max()))  # only its sign counts

    return _lowest(slope) if change.any() else 1.0


def fit_log_alpha(candidates: Candidates, is_best: Mask) -> float:
    """Find the α₀ that minimizes LogLoss when all other weights are zero; see `fit_alpha`.

    With several best candidates LogLoss need not be convex; then the minimum is a local one.
    """
    base = candidates.log_probability

    def slope(alpha: float) -> float:
        errors = alpha * base
        to_errors(candidates.offsets, is_best, errors)
        return float(errors @ base)

    first = np.repeat(base[candidates.offsets[:-1]], np.diff(candidates.offsets))
    return _lowest(slope) if (base != first).any() else 1.0


def _lowest(slope: Callable[[float], float]) -> float:
    """Find where in the range of α₀ a loss with this slope is lowest, by bisection."""
    low, high = ALPHAS
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return (low + high) / 2


@kernel
def to_errors(offsets: Ints, is_best: Mask, scores: Floats) -> float:
    """Turn scores into the gradient of LogLoss, P(x) − P(x | a best one); return LogLoss.  Nothing overflows."""
    loss = 0.0
    for i in range(len(offsets) - 1):
        highest, top = -np.inf, -np.inf
        for c in range(offsets[i], offsets[i + 1]):
            highest = max(highest, scores[c])
            if is_best[c]:
                top = max(top, scores[c])
        total, best = 0.0, 0.0
        for c in range(offsets[i], offsets[i + 1]):
            total += exp(scores[c] - highest)
            if is_best[c]:
                best += exp(scores[c] - top)
        loss += highest - top + log(total) - log(best)
        for c in range(offsets[i], offsets[i + 1]):
            share = exp(scores[c] - top) / best if is_best[c] else 0.0
            scores[c] = exp(scores[c] - highest) / total - share
    return loss


@exact_kernel
def pair_chances(margins: Floats, first: int, end: int, best_count: int) -> Floats:
    """Return P(x_j) P(x_b | a best one) of pairs ``first`` to ``end``, of each best candidate b with each worse one j.

    All is relative to the score of the first best candidate: that of b is M_{b,j} − M_{1,j}, that of j is −M_{1,j}.
    """
    chances, width = np.empty(end - first), (end - first) // best_count
    top = 0.0
    for p in range(first, end, width):
        top = max(top, margins[p] - margins[first])
    highest = top
    for p in range(first, first + width):
        highest = max(highest, -margins[p])
    best, others = 0.0, 0.0
    for p in range(first, end, width):
        best += exp(margins[p] - margins[first] - top)
    for p in range(first, first + width):
        others += exp(-margins[p] - highest)
    total = best * exp(top - highest) + others
    for b in range(best_count):
        share = exp(margins[first + b * width] - margins[first] - top) / best
        for j in range(width):
            chances[b * width + j] = share * (exp(-margins[first + j] - highest) / total)
    return chances
