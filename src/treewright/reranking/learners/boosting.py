"""Boosting: features are chosen one by one, each with the weight that lowers the loss most (Collins and Koo 2005).

`boost` runs the algorithm of Figure 4, or of Figure 3 to check it, on ExpLoss, or on the bound on LogLoss of Appendix
B.  Every round is recorded, so that the model after any number of rounds can be had afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from treewright.arrays import Floats, Ints, Places
from treewright.errors import UsageError
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.learners.boosting_run import Booster, Record
from treewright.reranking.learners.differences import Differences, Importance, find_differences
from treewright.reranking.learners.history import History
from treewright.reranking.learners.learning_curve import LearningCurve
from treewright.reranking.learners.losses import fit_alpha

__all__ = ["Boosted", "Stepper", "boost", "run_rounds"]

#: Rounds between two reports.
_CHUNK = 500


@dataclass(frozen=True, eq=False)
class Boosted:
    """What came out of boosting: all rounds.

    Attributes
    ----------
    alpha : float
        α₀, the weight of the log-probability of the base model.
    features, steps : (rounds,) int32 and float64
        The feature of each round, and the δ that was added to its weight.
    totals : (rounds,) float64
        Z before each round: ExpLoss, or for LogLoss Σ q_{i,j} (equation B.1).
    work : (rounds,) int64
        C_t: how many sums each round took (section 5.4.3).
    full_work : int
        T: how many sums a pass over all pairs takes.
    feature_count : int
    dev_scores : (rounds + 1,) float64, optional
        The score on dev data after so many rounds.
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
        """Count the rounds."""
        return len(self.features)

    @property
    def best_rounds(self) -> int:
        """How many rounds are best on dev data, or all where there was none."""
        return len(self) if self.dev_scores is None else int(np.argmax(self.dev_scores))

    def weights(self, rounds: int | None = None) -> Floats:
        """Give α_1, …, α_m after so many rounds; by default those that are best on dev data."""
        return self.history.weights(self.best_rounds if rounds is None else rounds, self.feature_count)

    @property
    def history(self) -> History:
        """The features and steps of all rounds."""
        return History(self.features, self.steps)

    def passes(self, rounds: int | None = None) -> float:
        """Work(n) (equation 24): to how many passes over all pairs so many rounds amount."""
        return float(self.work[:rounds].sum() / self.full_work) if self.full_work else 0.0

    def savings(self, first: int = 1, last: int | None = None) -> float:
        """Savings(a, b) (equation 26): how often the work of rounds a to b, from 1, goes into that of Figure 3."""
        work = self.work[first - 1 : last]
        return float(len(work) * self.full_work / work.sum()) if work.any() else float("inf")


def boost(
    candidates: Candidates,
    rounds: int = 100_000,
    *,
    smoothing: float = 0.0025,
    importance: Importance = "score",
    loss: Literal["exp", "log"] = "exp",
    alpha: float | None = None,
    dev: Candidates | None = None,
    patience: int | None = None,
    algorithm: Literal["efficient", "naive"] = "efficient",
    report: Callable[[int], None] | None = None,
) -> Boosted:
    """Choose features, and weights for them, that rank the best candidate of each sentence first.

    Parameters
    ----------
    candidates : Candidates
        Training data, with features that are there or not.
    rounds : int
        How many to run at most; it ends sooner when no feature helps any more.
    smoothing : float
        ε; it is multiplied with Z and added to W⁺ and W⁻.
    importance : {"score", "uniform"}
        S_{i,j}; see `find_differences`.  LogLoss has none: there all candidates but the best count, and the same.
    loss : {"exp", "log"}
        ExpLoss, or the bound on LogLoss of Appendix B.
    alpha : float, optional
        α₀.  By default the one that makes ExpLoss least; for LogLoss, one (section 4.6).
    dev : Candidates, optional
        With the same features.  The number of rounds that is best on it is used, and with ``patience`` training ends
        when for so many rounds no better one has come.
    algorithm : {"efficient", "naive"}
        Figure 4 or Figure 3.  The result is the same, bit for bit.
    report : function, optional
        Called now and then with the number of rounds so far.

    Raises
    ------
    UsageError
        When there is nothing to learn from, or the request makes no sense.

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
        raise UsageError("boosting needs a smoothing and a number of rounds that are not negative")
    differences = find_differences(candidates, importance if loss == "exp" else "uniform", ties=loss == "log")
    if alpha is None:
        alpha = fit_alpha(differences) if loss == "exp" else 1.0
    booster = Booster(differences, alpha, smoothing, loss, algorithm)
    return run_rounds(booster, rounds, alpha, differences, dev, patience, report)


class Stepper(Protocol):
    """What runs rounds: see `Booster`."""

    number: int

    def advance(self, count: int) -> tuple[Places, Floats]:
        """Run so many rounds, or fewer where no feature helps any more; give their features and steps."""

    def records(self) -> Record:
        """Give what was recorded of all rounds."""


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
        raise UsageError("the dev data must have the features of the training data: read them with its names")
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
