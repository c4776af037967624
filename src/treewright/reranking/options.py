"""How to train a reranker, and what a hidden-variable model observes: the choices, with what each means."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal

from treewright.errors import UsageError
from treewright.options import Options, option

__all__ = ["DEFAULT_ROUNDS", "Distinct", "HiddenSettings", "RerankingLearner", "RerankingOptions", "Structure", "Ties"]

RerankingLearner = Literal["boost", "log-bound", "log-selection", "log-linear", "perceptron"]

#: Head-modifier dependencies, and sibling dependencies (Koo and Collins 2005, section 4.2).
Structure = Literal["head", "sibling"]

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
        if self.alpha is not None and self.fit_alpha:
            raise UsageError("alpha, the weight of the base model, is either given or found: leave one of the two out")

    @property
    def number(self) -> int:
        """The number of rounds, iterations or epochs to run."""
        return DEFAULT_ROUNDS[self.learner] if self.rounds is None else self.rounds


@dataclass(frozen=True)
class HiddenSettings(Options):
    """What a hidden-variable model observes (Koo and Collins 2005)."""

    domains: str = option(
        "tag",
        "The hidden values of words: lexical, tag, highest or supersense, or several, such as lexical+tag:3, where 3 "
        "is a number of sub-values other than the paper's.",
    )
    structure: Structure = option(
        "head",
        "Which words have hidden values that are scored together: heads and modifiers, or siblings.",
        see="section 4.2",
    )
    cutoff: int = option(2, "The number of sentences a feature must occur in to be kept.", min=1)
    rules: str = option(
        "collins", "Head rules of constituents, as `HeadRules.describe` describes them.", python_only=True
    )
    most_senses: int | None = option(None, "The maximum number of supersenses of a word.", min=1, python_only=True)
    base_feature: bool = option(
        True,
        "Make the base log-probability a feature of a hidden-variable model; without it, mix the model with the base "
        "model, as the paper does.",
        see="section 4.3",
    )
