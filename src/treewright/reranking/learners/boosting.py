"""Boosting: choose features one by one, each with the weight that lowers the loss most (Collins and Koo 2005).

`boost` runs the algorithm of Figure 4, or of Figure 3 to check it, on ExpLoss or on the bound on LogLoss of Appendix B.
The kernels count in units (see `treewright.reranking.learners.rounds`).  When ExpLoss has become so small that a unit
is no longer small against it, a smaller unit is chosen, and all weights are recomputed from the margins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from treewright.arrays import Floats, Places
from treewright.errors import UsageError
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.learners.champions import make_champions
from treewright.reranking.learners.differences import Differences, Importance, find_differences
from treewright.reranking.learners.losses import exp_loss, fit_alpha, fit_log_alpha
from treewright.reranking.learners.rounds import Pairs, State, naive_rounds, rounds, start, weigh_all
from treewright.reranking.learners.stagewise import Boosted, Record, joined, run_rounds
from treewright.reranking.options import Ties

__all__ = ["Booster", "boost"]

#: Z in units at the beginning, and when to choose a smaller unit.
_FULL, _FLOOR = float(1 << 60), 1 << 40


def boost(
    candidates: Candidates,
    rounds: int = 100_000,
    *,
    smoothing: float = 0.0025,
    importance: Importance = "score",
    loss: Literal["exp", "log"] = "exp",
    alpha: float | Literal["fit"] | None = None,
    ties: Ties = "all",
    dev: Candidates | None = None,
    patience: int | None = None,
    report: Callable[[int], None] | None = None,
    algorithm: Literal["efficient", "naive"] = "efficient",
) -> Boosted:
    """Choose features, and their weights, that rank the best candidates of each sentence first.

    Parameters
    ----------
    candidates : Candidates
        Training data, with binary features.
    rounds : int
        The maximum number of rounds; boosting ends sooner if no feature lowers the loss.
    smoothing : float
        ε, which is multiplied by Z and added to W⁺ and W⁻.
    importance : {"score", "uniform"}
        S_{i,j}; see `find_differences`.  LogLoss has none: all candidates but the best count the same.  ExpLoss
        compares the most probable of the best candidates with the worse ones.
    loss : {"exp", "log"}
        ExpLoss, or the bound on LogLoss of Appendix B.
    alpha : float or "fit", optional
        α₀.  By default the minimum of ExpLoss; for LogLoss, 1 (section 4.6), or with ``"fit"`` its minimum.
    ties : {"all", "one"}
        For LogLoss, which of several best candidates to make probable: all of them together, or the most probable one
        alone, against the others.
    dev : Candidates, optional
        Dev data with the same features, which chooses the number of rounds.
    patience : int, optional
        End training after this many rounds without a better score on dev data.
    report : function, optional
        Called now and then with the number of rounds so far.
    algorithm : {"efficient", "naive"}
        Figure 4 or Figure 3.  The results are the same, bit for bit.

    Raises
    ------
    UsageError
        If there is nothing to learn from, or an argument is out of range.

    Examples
    --------
    >>> from treewright.reranking import CandidatesBuilder
    >>> builder = CandidatesBuilder()
    >>> builder.add([-1.0, -2.0], [0.5, 1.0], [["bad", "both"], ["good", "both"]])
    >>> builder.add([-1.0, -2.0], [1.0, 0.5], [["both"], ["bad"]])
    >>> boosted = boost(builder.build(), rounds=1)
    >>> boosted.features.tolist(), boosted.weights().round(3).tolist()
    ([0], [-2.997, 0.0, 0.0])
    """
    if not smoothing >= 0 or rounds < 0:
        raise UsageError(f"smoothing and rounds must be at least 0, not {smoothing:g} and {rounds}")
    if loss == "exp":
        differences = find_differences(candidates, importance)
        alpha = fit_alpha(differences) if alpha is None or alpha == "fit" else alpha
    else:
        differences = find_differences(candidates, "uniform", "each-worse" if ties == "all" else "one-other")
        alpha = fit_log_alpha(candidates, candidates.is_best(ties)) if alpha == "fit" else alpha
        alpha = 1.0 if alpha is None else alpha
    booster = Booster(differences, alpha, smoothing, loss, algorithm)
    return run_rounds(booster, rounds, alpha, differences, dev, patience, report)


class Booster:
    """Runs rounds of boosting with α₀ and ε, ``alpha`` and ``smoothing``; for the other arguments see `boost`.

    ``margins`` are those under the model so far, and ``number`` is that of the rounds so far.
    """

    def __init__(
        self, differences: Differences, alpha: float, smoothing: float, loss: str = "exp", algorithm: str = "efficient"
    ) -> None:
        self._differences, self._alpha, self._smoothing = differences, alpha, smoothing
        self._is_exp, self._is_naive = loss == "exp", algorithm == "naive"
        self._floor = _FLOOR if self._is_exp else 0
        self.margins = alpha * differences.log_probability
        self.number = 0
        self._records: list[Record] = []
        count = differences.feature_count
        self._state = State(
            self.margins,
            np.zeros(len(differences), np.int64),
            np.zeros(2 * count, np.int64),
            np.zeros(1, np.int64),
            np.full(count, -1, np.int64),
            np.zeros(count, np.int32),
        )
        self._begin()

    def _begin(self) -> None:
        """Choose the unit, and compute all weights from the margins."""
        differences = self._differences
        sentences = len(differences.offsets) - 1
        if self._is_exp:
            with np.errstate(over="ignore"):
                total = exp_loss(differences, self.margins)
            if not np.isfinite(total) or not total:
                raise UsageError(f"with alpha = {self._alpha:g} the loss is {total}; choose another value for alpha")
            self._unit = _FULL / total
            scaled, sentence = differences.importance * self._unit, np.zeros(0, np.int32)
        else:  # Z may rise, but never exceeds the number of sentences
            self._unit = _FULL / sentences
            scaled = np.full(len(differences), self._unit)
            sentence = np.repeat(np.arange(sentences, dtype=np.int32), np.diff(differences.offsets))
        self._pairs = Pairs(
            differences.offsets,
            differences.best_count,
            differences.pair_offsets,
            differences.entries,
            differences.feature_offsets,
            differences.places,
            scaled,
            sentence,
        )
        weigh_all(self._pairs, self.margins, self._state.weights)
        self._gains = np.zeros(differences.feature_count)
        start(self._pairs, self._state, self._gains)
        self._champions = make_champions(self._gains)

    def advance(self, count: int) -> tuple[Places, Floats]:
        """Run this many rounds, or fewer if no feature helps; return their features and steps."""
        first, end = len(self._records), self.number + count
        while self.number < end and self._differences.feature_count:
            record = self._run(end - self.number)
            self._records.append(record)
            self.number += len(record[0])
            if self.number < end:
                if not 0 < self._state.totals[0] < self._floor:
                    break
                self._begin()
        return joined(self._records[first:])[:2]

    def _run(self, count: int) -> Record:
        chosen, steps = np.empty(count, np.int32), np.empty(count)
        totals, work = np.empty(count, np.int64), np.empty(count, np.int64)
        state, smoothing = self._state, self._smoothing
        if self._is_naive:
            done = naive_rounds(self._pairs, state, self._gains, smoothing, chosen, steps, totals, self._floor)
            work[:] = len(self._differences.entries)
        else:
            done = rounds(
                self._pairs,
                state,
                self._champions,
                smoothing,
                chosen,
                steps,
                totals,
                work,
                self.number,
                self._floor,
            )
        return chosen[:done], steps[:done], totals[:done] / self._unit, work[:done]

    def records(self) -> Record:
        """Return the record of all rounds: features, steps, Z before each, and sums."""
        return joined(self._records)
