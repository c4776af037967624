"""Log-linear reranking with an L2 penalty: all features at once, instead of a few that are selected.

::

    L(α) = −C Σᵢ log Σ_{b best} P(x_{i,b} | sᵢ, α) + ½ Σ_{k>0} α_k²

with P(x_{i,q} | sᵢ, α) proportional to exp F(x_{i,q}, α) (Collins and Koo 2005, sections 4.2.2 and 6.3; Johnson et al.
1999; several best candidates as in Riezler et al. 2002).  α₀, the weight of the base model, is learned with the others,
but not penalised.  With one best candidate in each list, L is convex; with several, L-BFGS finds a local minimum, from
the base model on.  Features may have any values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treewright.arrays import Floats, Ints, Places, Singles
from treewright.kernels import kernel
from treewright.learning.batch import Objective, minimize_smooth
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.candidates.scoring import add_features, feature_values, score_candidates
from treewright.reranking.learners.losses import to_errors
from treewright.reranking.options import Ties

__all__ = ["CandidateLosses", "log_linear"]


class CandidateLosses:
    """The losses −log P of the best candidates, for `treewright.learning.batch.Objective` of (α₀, α₁, …, α_m)."""

    def __init__(self, candidates: Candidates, ties: Ties = "all") -> None:
        self._candidates = candidates
        self._is_best, self._values = candidates.is_best(ties), feature_values(candidates)

    def __call__(self, vector: Floats, scale: float, gradient: Floats) -> list[float]:
        """Add ``scale`` times the gradient of the losses to ``gradient``, and return their sum."""
        candidates = self._candidates
        scores = score_candidates(candidates, vector[0], vector[1:])
        loss = to_errors(candidates.offsets, self._is_best, scores)  # which turns scores into a gradient
        scores *= scale
        gradient[0] += scores @ candidates.log_probability
        _add_all(candidates.feature_offsets, candidates.features, self._values, scores, gradient[1:])
        return [loss]


def log_linear(
    candidates: Candidates,
    C: float = 1.0,
    *,
    ties: Ties = "all",
    iterations: int = 1000,
    tolerance: float = 1e-4,
    report: Callable[[int], None] | None = None,
) -> tuple[float, Floats]:
    """Minimise L; return α₀ and the other weights.

    Parameters
    ----------
    candidates : Candidates
    C : float
        The weight of the data relative to the penalty.
    ties : {"all", "one"}
        Which of several best candidates to make probable; see `Candidates.is_best`.
    iterations : int
        The most iterations of L-BFGS.
    tolerance : float
        The optimum is found when the largest entry of the gradient, relative to C, is below this.
    report : function, optional
        Called after each iteration with its number.
    """
    objective = Objective(CandidateLosses(candidates, ties), C, unpenalized=1)
    candidates.require_choices(ties)
    done = 0

    def finished(vector: Floats, value: float) -> None:
        nonlocal done
        done += 1
        if report:
            report(done)

    start = np.zeros(candidates.feature_count + 1)
    start[0] = 1.0
    found, _ = minimize_smooth(objective, start, "l-bfgs", tolerance * C, finished, iterations)
    return float(found[0]), found[1:]


@kernel
def _add_all(offsets: Ints, features: Places, values: Singles, scales: Floats, table: Floats) -> None:
    """Add the features of all candidates, each times its scale, to a table."""
    for c in range(len(scales)):
        if scales[c]:
            add_features(offsets, features, values, c, scales[c], table)
