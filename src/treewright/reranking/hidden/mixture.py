"""Mixtures of models (Koo and Collins 2005, section 4.3): a weighted sum of their log-probabilities.

::

    log p(t | s) = Σₘ λₘ log pₘ(t | s) − Z(s)

MIX is the base model with several hidden-variable models; MIX+ has the scores of a boosted model as well.  The paper
finds the weights "through optimization of parsing scores on a development set".  The score of what is chosen is a step
function of them, with many narrow optima.  Here they are those under which the best candidates of a development set are
most probable (a logarithmic opinion pool; Smith, Cohn and Osborne 2005): that is convex, so there is one optimum and
nothing is random, and on sentences that were not tuned on it scores as high (``experiments/reranking``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.learners.log_linear import to_errors

__all__ = ["Mixture", "tune_mixture"]


@dataclass(frozen=True)
class Mixture:
    """Weights of models.

    Attributes
    ----------
    names : sequence of str
        Of the models, the base model first.
    weights : sequence of float
        λ of each; they add up to 1, as only ratios matter.
    gold : float
        The mean gold score of what was chosen where they were tuned.
    """

    names: Sequence[str]
    weights: Sequence[float]
    gold: float

    def scores(self, columns: npt.ArrayLike) -> Floats:
        """Combine the scores of models, a row for each."""
        rows = np.asarray(columns, np.float64)
        if rows.ndim != 2 or len(rows) != len(self.weights):
            raise ValueError(f"there must be the scores of {len(self.weights)} models ({', '.join(self.names)})")
        combined: Floats = np.asarray(self.weights) @ rows
        return combined


def tune_mixture(names: Sequence[str], columns: npt.ArrayLike, candidates: Candidates) -> Mixture:
    """Find the weights of models on a development set.

    Parameters
    ----------
    names : sequence of str
    columns : array, shape (models, candidates)
        The scores of each model, such as the base model first.
    candidates : Candidates
        With their gold scores.

    Examples
    --------
    >>> import numpy as np
    >>> nothing = np.zeros(5, np.int64), np.zeros(0, np.int32)
    >>> dev = Candidates(np.array([0, 2, 4]), np.array([-1.0, -2, -1, -3]), np.array([0, 1.0, 1, 0]), *nothing)
    >>> mixture = tune_mixture(["base", "other"], [dev.log_probability, [0, 1.0, 0, 1]], dev)
    >>> mixture.gold, round(sum(mixture.weights), 9)
    (1.0, 1.0)
    """
    rows = np.ascontiguousarray(columns, np.float64)
    if rows.shape != (len(names), len(candidates)) or not len(names) or not np.isfinite(rows).all():
        raise ValueError(f"scores must be finite, of shape {(len(names), len(candidates))}; they are {rows.shape}")
    from scipy.optimize import minimize  # takes a while to import, and most users never tune

    # In units of the spread of each model's scores, so that no model is a hundred times steeper than another.
    spreads = np.array([_spread(row, candidates) for row in rows])
    objective, bounds = _LogLoss(rows / spreads[:, None], candidates), [(0.0, None)] * len(names)
    found = minimize(objective, np.ones(len(names)), jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = (found if found.any() else np.ones(len(names))) / spreads
    weights /= weights.sum()
    gold = float(candidates.score[candidates.best(weights @ rows)].mean())
    return Mixture(tuple(names), tuple(weights.tolist()), gold)


class _LogLoss:
    """−log p of the best candidate of a sentence on average, and its gradient, for weights of models."""

    def __init__(self, rows: Floats, candidates: Candidates) -> None:
        self._rows, self._offsets, self._best = rows, candidates.offsets, candidates.oracle()

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        scores = weights @ self._rows
        loss = to_errors(self._offsets, self._best, scores)  # which turns scores into p(t) − [t is best]
        return loss / len(self._best), self._rows @ scores / len(self._best)


def _spread(row: Floats, candidates: Candidates) -> float:
    """Measure how far scores are apart within sentences; 1 where they are not."""
    means = np.add.reduceat(row, candidates.offsets[:-1]) / np.diff(candidates.offsets)
    return float(np.std(row - np.repeat(means, np.diff(candidates.offsets)))) or 1.0
