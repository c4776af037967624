"""Training a linear reranker: one function for all learners, which records how the model was made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Literal

from treewright.arrays import Floats
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.evaluation import evaluate_choices
from treewright.reranking.learners.boosting import boost
from treewright.reranking.learners.differences import find_differences
from treewright.reranking.learners.history import History
from treewright.reranking.learners.log_linear import log_linear
from treewright.reranking.learners.losses import fit_alpha
from treewright.reranking.learners.perceptron import perceptron
from treewright.reranking.learners.selection import select_features
from treewright.reranking.linear import LinearReranker
from treewright.reranking.options import RerankingOptions

__all__ = ["train_reranker"]

#: The options that each learner reads, and its model records.
_READ = {
    "boost": ("rounds", "smoothing", "importance", "patience"),
    "log-bound": ("rounds", "smoothing", "ties", "fit_alpha", "patience"),
    "log-selection": ("rounds", "ties", "fit_alpha", "patience"),
    "log-linear": ("rounds", "ties", "C"),
    "perceptron": ("rounds", "seed"),
}


def train_reranker(
    candidates: Candidates,
    options: RerankingOptions | None = None,
    dev: Candidates | None = None,
    report: Callable[[int], None] | None = None,
) -> LinearReranker:
    """Train a reranker.

    Parameters
    ----------
    candidates : Candidates
    options : RerankingOptions, optional
    dev : Candidates, optional
        Dev data with the same features.  Boosting and selection keep the rounds that are best on it, and the model
        records its scores.
    report : function, optional
        Called now and then with the number of rounds, iterations or epochs done.

    Examples
    --------
    >>> from treewright.reranking import CandidatesBuilder
    >>> builder = CandidatesBuilder()
    >>> for _ in range(9):
    ...     builder.add([-1.0, -2.0], [0.5, 1.0], [["low"], ["high"]])
    >>> train_reranker(builder.build(), RerankingOptions(rounds=20))
    <LinearReranker: 1 features>
    """
    options = options or RerankingOptions()
    alpha, weights, found, history = _learn(candidates, options, dev, report)
    given = {**asdict(options), "rounds": options.number}
    about: dict[str, Any] = {
        "learner": options.learner,
        "options": {name: given[name] for name in _READ[options.learner]},
        "alpha": alpha,
        "sentences": candidates.sentences,
        "candidates": len(candidates),
        "features": candidates.feature_count,
        **found,
    }
    if candidates.origin is not None:
        about["origin"] = candidates.origin.to_dict()
    model = LinearReranker.of(candidates, alpha, weights, about, history)
    if dev is not None:
        about["dev"] = evaluate_choices(dev, model.best(dev)).summary()
    return model


def _learn(
    candidates: Candidates,
    options: RerankingOptions,
    dev: Candidates | None,
    report: Callable[[int], None] | None,
) -> tuple[float, Floats, dict[str, Any], History | None]:
    """Return α₀, the other weights, facts to record, and the rounds if the learner has any."""
    if options.learner == "log-linear":
        alpha, weights = log_linear(candidates, options.C, ties=options.ties, iterations=options.number, report=report)
        return alpha, weights, {}, None
    if options.learner == "perceptron":
        alpha = options.alpha if options.alpha is not None else _calibrated(candidates)
        weights = perceptron(candidates, options.number, alpha=alpha, seed=options.seed, report=report)
        return alpha, weights, {}, None
    given: float | Literal["fit"] | None = "fit" if options.fit_alpha else options.alpha
    if options.learner == "log-selection":
        boosted = select_features(
            candidates,
            options.number,
            alpha=1.0 if given is None else given,
            ties=options.ties,
            dev=dev,
            patience=options.patience,
            report=report,
        )
    else:
        boosted = boost(
            candidates,
            options.number,
            smoothing=options.smoothing,
            importance=options.importance,
            loss="exp" if options.learner == "boost" else "log",
            alpha=given,
            ties=options.ties,
            dev=dev,
            patience=options.patience,
            report=report,
        )
    about = {"rounds": boosted.best_rounds, "passes": round(boosted.passes(), 2)}
    return boosted.alpha, boosted.weights(), about, boosted.history


def _calibrated(candidates: Candidates) -> float:
    """Find α₀ as boosting does, from the log-probabilities alone."""
    only = Candidates(
        candidates.offsets,
        candidates.log_probability,
        candidates.gold,
        candidates.feature_offsets * 0,
        candidates.features[:0],
        size=candidates.size,
    )
    return fit_alpha(find_differences(only))
