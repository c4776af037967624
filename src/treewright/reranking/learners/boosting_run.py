"""Boosting under way: rounds are run in portions, and recorded.

The kernels count in units (see `treewright.reranking.learners.rounds`).  When ExpLoss has become so small that a unit
is not small against it any more, a smaller unit is taken, and all weights are computed anew from the margins.
"""

from __future__ import annotations

import numpy as np

from treewright.arrays import Floats, Ints, Places
from treewright.errors import UsageError
from treewright.reranking.learners.champions import make_champions
from treewright.reranking.learners.differences import Differences
from treewright.reranking.learners.rounds import Pairs, State, naive_rounds, rounds, start, weigh_all

__all__ = ["Booster", "Record", "joined"]

#: Z in units in the beginning, and when it is time to take a smaller unit.
_FULL, _FLOOR = float(1 << 60), 1 << 40

#: A round: feature, δ, Z before it, and the sums it took.
Record = tuple[Places, Floats, Floats, Ints]


class Booster:
    """Runs rounds.

    Parameters
    ----------
    differences : Differences
    alpha, smoothing : float
        α₀ and ε.
    loss : {"exp", "log"}
    algorithm : {"efficient", "naive"}

    Attributes
    ----------
    margins : (pairs,) float64
        Those of the model so far.
    number : int
        How many rounds have been run.
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
                total = float(differences.importance @ np.exp(-self.margins))
            if not np.isfinite(total) or not total:
                raise UsageError(f"with alpha = {self._alpha:g} the loss is {total}: choose another value for alpha")
            self._unit = _FULL / total
            scaled, sentence = differences.importance * self._unit, np.zeros(0, np.int32)
        else:  # where Z may rise, but is never more than the number of sentences
            self._unit = _FULL / sentences
            scaled = np.full(len(differences), self._unit)
            sentence = np.repeat(np.arange(sentences, dtype=np.int32), np.diff(differences.offsets))
        self._pairs = Pairs(
            differences.offsets,
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
        """Run so many rounds, or fewer where no feature helps any more; give their features and steps."""
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
        """Give what was recorded of all rounds: features, steps, Z before each, and the sums made."""
        return joined(self._records)


def joined(records: list[Record]) -> Record:
    """Put records together."""
    none: Record = (np.zeros(0, np.int32), np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
    features, steps, totals, work = zip(none, *records, strict=True)
    return np.concatenate(features), np.concatenate(steps), np.concatenate(totals), np.concatenate(work)
