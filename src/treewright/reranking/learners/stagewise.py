"""Stagewise learning: rounds that each change the weight of one feature, followed on dev data, and recorded.

Boosting and the selection of features share everything but the round itself, which a `Stepper` takes.  Every round is
recorded, so that the model after any number of rounds can be recovered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from treewright.arrays import Floats, Ints, Places
from treewright.errors import UsageError
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.learners.differences import Differences
from treewright.reranking.learners.history import History
from treewright.reranking.learners.learning_curve import LearningCurve

__all__ = ["Boosted", "Record", "Stepper", "joined", "run_rounds"]

#: Rounds between two reports.
_CHUNK = 500

#: Rounds: the feature of each, δ, Z before it, and the sums it took.
Record = tuple[Places, Floats, Floats, Ints]


@dataclass(frozen=True, eq=False)
class Boosted:
    """The result of boosting: all rounds.

    Attributes
    ----------
    alpha : float
        α₀, the weight of the log-probability of the base model.
    features, steps : (rounds,) int32 and float64
        The feature of each round, and the δ added to its weight.
    totals : (rounds,) float64
        Z before each round: ExpLoss, or for LogLoss Σ q_{i,j} (equation B.1).
    work : (rounds,) int64
        C_t: the number of sums each round took (section 5.4.3).
    full_work : int
        T: the number of sums of a pass over all pairs.
    feature_count : int
    dev_scores : (rounds + 1,) float64, optional
        The score on dev data after 0, 1, 2, … rounds.
    """

    alpha: float
    features: Places
    steps: Floats
    totals: Floats
    work: Ints
    full_work: int
    feature_count: int
    dev_scores: Floats | None = None

    def __len__(self) -> int:
        """Return the number of rounds."""
        return len(self.features)

    @property
    def best_rounds(self) -> int:
        """The number of rounds that is best on dev data; all rounds if there is none."""
        return len(self) if self.dev_scores is None else int(np.argmax(self.dev_scores))

    def weights(self, rounds: int | None = None) -> Floats:
        """Return α_1, …, α_m after this many rounds; by default after `best_rounds`."""
        return self.history.weights(self.best_rounds if rounds is None else rounds, self.feature_count)

    @property
    def history(self) -> History:
        """The features and steps of all rounds."""
        return History(self.features, self.steps)

    def passes(self, rounds: int | None = None) -> float:
        """Return Work(n) (equation 24): the number of passes over all pairs that n rounds amount to."""
        return float(self.work[:rounds].sum() / self.full_work) if self.full_work else 0.0

    def savings(self, first: int = 1, last: int | None = None) -> float:
        """Return Savings(a, b) (equation 26): the work of Figure 3 in rounds a to b, from 1, over the work done."""
        work = self.work[first - 1 : last]
        return float(len(work) * self.full_work / work.sum()) if work.any() else float("inf")


class Stepper(Protocol):
    """Runs rounds; see `Booster`."""

    number: int

    def advance(self, count: int) -> tuple[Places, Floats]:
        """Run this many rounds, or fewer if no feature helps; return their features and steps."""

    def records(self) -> Record:
        """Return the record of all rounds."""


def run_rounds(
    stepper: Stepper,
    rounds: int,
    alpha: float,
    differences: Differences,
    dev: Candidates | None = None,
    patience: int | None = None,
    report: Callable[[int], None] | None = None,
    portion: int = _CHUNK,
) -> Boosted:
    """Run rounds, and follow them on dev data; see `boost`."""
    if dev is not None and dev.feature_count != differences.feature_count:
        raise UsageError("the dev data must have the features of the training data; read them with its names")
    curve = None if dev is None else LearningCurve(dev, alpha)
    while stepper.number < rounds:
        features, steps = stepper.advance(min(portion, rounds - stepper.number))
        if not len(features):
            break
        if report:
            report(stepper.number)
        if curve is not None:
            curve.extend(features, steps)
            if patience is not None and stepper.number - curve.best >= patience:
                break
    scores = None if curve is None else np.array(curve.scores)
    return Boosted(alpha, *stepper.records(), len(differences.entries), differences.feature_count, scores)


def joined(records: list[Record]) -> Record:
    """Concatenate records."""
    none: Record = (np.zeros(0, np.int32), np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
    features, steps, totals, work = zip(none, *records, strict=True)
    return np.concatenate(features), np.concatenate(steps), np.concatenate(totals), np.concatenate(work)
