"""How to train a reranker: the choices, with what each means."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal

from treewright.errors import UsageError
from treewright.options import Options, option

__all__ = ["DEFAULT_ROUNDS", "Distinct", "RerankingLearner", "RerankingOptions", "Ties"]

RerankingLearner = Literal["boost", "log-bound", "log-selection", "log-linear", "perceptron"]

#: Which of several candidates with the highest score are the best: all of them, or the most probable one alone.
Ties = Literal["all", "one"]

#: Which candidates of a list are duplicates: those that no score can tell apart, or equal trees only.
Distinct = Literal["scored", "trees"]

#: Rounds, iterations or epochs by default.
DEFAULT_ROUNDS: dict[str, int] = {
    "boost": 100_000,
    "log-bound": 100_000,
    "log-selection": 1000,
    "log-linear": 1000,
    "perceptron": 10,
}


@dataclass(frozen=True)
class RerankingOptions(Options):
    """How to train a reranker.

    The first four learners, sections and appendices are those of Collins and Koo (2005).
    """

    learner: RerankingLearner = option(
        "boost",
        "Boosting on ExpLoss; boosting on the bound on LogLoss of Appendix B; selection by LogLoss itself (section "
        "4.6); all features with an L2 penalty; the averaged perceptron.",
    )
    rounds: int | None = option(
        None,
        "Rounds of boosting or selection, iterations of log-linear, or epochs of the perceptron, at most.",
        min=0,
        shown="by learner, see `DEFAULT_ROUNDS`",
    )
    smoothing: float = option(0.0025, "The smoothing of boosting, ε.", min=0.0)
    importance: Literal["score", "uniform"] = option(
        "score", "Let pairs of candidates count by their difference in score, or the same.", see="S of boosting"
    )
    ties: Ties = option(
        "all", "Of candidates that are equally good: let all be the best, or the most probable one alone."
    )
    alpha: float | None = option(
        None, "The weight of the base model, α₀; by default it is found, or 1 for log-bound and log-selection."
    )
    fit_alpha: bool = option(False, "Of log-bound and log-selection: find α₀ instead, without features.")
    patience: int | None = option(None, "Stop after this many rounds without a better score on dev.", min=1)
    C: float = option(1.0, "How much the data count against the penalty.")
    seed: int = option(0, "The order of the sentences, where a learner shuffles them.", min=0)

    def __post_init__(self) -> None:
        """Check the values; see `Options`."""
        super().__post_init__()
        if self.alpha is not None and not isfinite(self.alpha):
            raise UsageError(f"alpha, the weight of the base model, must be finite, not {self.alpha}")

    @property
    def number(self) -> int:
        """The number of rounds, iterations or epochs to run."""
        return DEFAULT_ROUNDS[self.learner] if self.rounds is None else self.rounds
