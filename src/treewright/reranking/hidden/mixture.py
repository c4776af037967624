"""Mixtures of models (Koo and Collins 2005, section 4.3): a weighted sum of their log-probabilities.

::

    log p(t | s) = Σₘ λₘ log pₘ(t | s) − Z(s)

MIX is the base model with several hidden-variable models; MIX+ has the scores of a boosted model as well.  The weights
are those with which the chosen candidates of a development set have the best gold scores.  As a function of one weight,
that is a step function, whose steps are known: for each sentence, the weights at which another candidate
comes out on top (Och 2003).  So each weight is set to its optimum, in turns, until none gets better: nothing is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.kernels import kernel
from treewright.reranking.candidates import Candidates

__all__ = ["Mixture", "tune_mixture"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

#: Rounds over all weights at most.
ROUNDS = 20

#: A weight is searched from nothing to this, in units of the spread of the model's scores.
LARGEST = 10.0


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

    Returns
    -------
    Mixture
        At least as good, on this set, as each of the models alone.

    Examples
    --------
    >>> import numpy as np
    >>> nothing = np.zeros(5, np.int64), np.zeros(0, np.int32)
    >>> dev = Candidates(np.array([0, 2, 4]), np.array([-1.0, -2, -1, -3]), np.array([0, 1.0, 1, 0]), *nothing)
    >>> mixture = tune_mixture(["base", "other"], [dev.log_probability, [0, 1.0, 0, 1]], dev)
    >>> mixture.gold, 1 < mixture.weights[1] / mixture.weights[0] < 2
    (1.0, True)
    """
    rows = np.ascontiguousarray(columns, np.float64)
    if rows.shape != (len(names), len(candidates)) or not len(names) or not np.isfinite(rows).all():
        raise ValueError(f"scores must be finite, of shape {(len(names), len(candidates))}; they are {rows.shape}")
    spreads = [_spread(row, candidates) for row in rows]
    scaled = rows / np.array(spreads)[:, None]
    best, best_gold = np.ones(len(names)), -np.inf
    for start in (*np.eye(len(names)), best):
        weights, gold = _ascend(start, scaled, candidates)
        if gold > best_gold:
            best, best_gold = weights, gold
    raw = best / np.array(spreads)
    return Mixture(tuple(names), tuple((raw / raw.sum()).tolist()), best_gold)


def _spread(row: Floats, candidates: Candidates) -> float:
    """Measure how far scores are apart within sentences; 1 where they are not."""
    means = np.add.reduceat(row, candidates.offsets[:-1]) / np.diff(candidates.offsets)
    return float(np.std(row - np.repeat(means, np.diff(candidates.offsets)))) or 1.0


def _ascend(start: Floats, rows: Floats, candidates: Candidates) -> tuple[Floats, float]:
    """Set one weight after the other to its optimum."""
    weights, gold = start, _gold(start, rows, candidates)
    for _ in range(ROUNDS):
        before = gold
        for m in range(len(weights)):
            others = weights.copy()
            others[m] = 0
            found = others.copy()
            found[m] = line_optimum(candidates.offsets, others @ rows, rows[m], candidates.score, LARGEST)
            value = _gold(found, rows, candidates)
            if value > gold and found.any():
                weights, gold = found, value
        if gold <= before:
            break
    return weights, gold


def _gold(weights: Floats, rows: Floats, candidates: Candidates) -> float:
    return float(candidates.score[candidates.best(weights @ rows)].mean())


@kernel
def line_optimum(offsets: Longs, constant: Floats, slope: Floats, gold: Floats, largest: float) -> float:
    """Find the λ from 0 to ``largest`` for which the candidates with the highest constant + λ slope are the best.

    It is the middle of the best interval between two steps, of the widest of several.
    """
    steps, gains = np.empty(len(gold)), np.empty(len(gold))  # a sentence has fewer steps than candidates
    end = 0
    for i in range(len(offsets) - 1):
        at, current = 0.0, offsets[i]
        for c in range(offsets[i], offsets[i + 1]):  # on top at 0, or right after it
            if constant[c] > constant[current] or (constant[c] == constant[current] and slope[c] > slope[current]):
                current = c
        while True:
            following, nearest = -1, largest
            for c in range(offsets[i], offsets[i + 1]):
                if slope[c] <= slope[current]:
                    continue
                crossing = max((constant[current] - constant[c]) / (slope[c] - slope[current]), at)
                if crossing < nearest or (crossing == nearest and following >= 0 and slope[c] > slope[following]):
                    following, nearest = c, crossing
            if following < 0:
                break
            steps[end], gains[end] = nearest, gold[following] - gold[current]
            end += 1
            at, current = nearest, following
    order = np.argsort(steps[:end])
    best, best_width, best_value, total, left = 0.0, -1.0, 0.0, 0.0, 0.0
    for k in range(end + 1):
        right = steps[order[k]] if k < end else largest
        if right > left and (total > best or (total == best and right - left > best_width)):
            best, best_width, best_value = total, right - left, (left + right) / 2
        if k < end:
            total += gains[order[k]]
            left = right
    return best_value
