"""Training a hidden-variable reranker: read the candidates, learn the weights, choose the best epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from treewright.features.weights import Weights
from treewright.learning.training import Epoch, Learner, Progress, train
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.evaluation import evaluate_choices
from treewright.reranking.hidden.features import HiddenFeatures
from treewright.reranking.hidden.learning import HiddenProblem, StochasticDescent, base_unit, score_trees
from treewright.reranking.hidden.model import HiddenReranker
from treewright.reranking.hidden.supersenses import Supersenses
from treewright.reranking.hidden.trees import HiddenTrees
from treewright.reranking.options import HiddenSettings, Ties
from treewright.reranking.reranker import Lists

__all__ = ["train_hidden"]


def train_hidden(
    lists: Lists,
    candidates: Candidates,
    dev: tuple[Lists, Candidates] | None = None,
    *,
    settings: HiddenSettings | None = None,
    supersenses: Supersenses | None = None,
    learner: Learner | None = None,
    epochs: int = 20,
    patience: int = 3,
    seed: int = 1,
    ties: Ties = "all",
    on_sentence: Callable[[int], None] = lambda done: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
) -> HiddenReranker:
    """Train a hidden-variable model.

    Parameters
    ----------
    lists, candidates
        The training candidates: trees, and their log-probabilities and gold scores.
    dev : pair, optional
        Dev candidates of the same form, which choose the best epoch and end training early, by the mean gold score of
        the chosen candidates.
    settings : HiddenSettings, optional
    supersenses : Supersenses, optional
        Required for hidden values of the kind ``supersense``.
    learner : StochasticDescent or ConjugateGradient, optional
    epochs, patience, seed, on_progress, on_epoch
        See `treewright.learning.train`.
    ties : {"all", "one"}
        Which of several best candidates to make probable; see `Candidates.is_best`.
    on_sentence : function
        Called while candidates are read, with the number of sentences done; those of dev count after the others.
    """
    candidates.require_choices(ties)
    features = HiddenFeatures(settings or HiddenSettings(), supersenses)
    trees = features.read(lists, candidates, learn=True, ties=ties, on_sentence=on_sentence)
    unit, held_out, evaluate = base_unit(trees), None, None
    if dev is not None:
        held_out = features.read(*dev, on_sentence=lambda done: on_sentence(candidates.sentences + done))
        evaluate = _evaluation(held_out, dev[1], unit)
    result = train(
        HiddenProblem(trees, features.size, unit),
        learner or StochasticDescent(),
        epochs=epochs,
        patience=patience,
        seed=seed,
        evaluate=evaluate,
        on_progress=on_progress,
        on_epoch=on_epoch,
    )
    if result.best is None:
        raise KeyboardInterrupt
    weights = Weights(result.weights.decoded().astype(np.float32).astype(np.float64))  # as they will be in a file
    model = HiddenReranker(features, weights, unit, _info(features.settings, candidates, result.epochs))
    if dev is not None and held_out is not None:
        model.info["dev"] = evaluate_choices(dev[1], dev[1].best(model.log_probabilities(held_out))).summary()
    return model


def _info(settings: HiddenSettings, candidates: Candidates, epochs: Sequence[Epoch]) -> dict[str, Any]:
    """Describe how a model was trained."""
    info: dict[str, Any] = {
        "learner": "hidden",
        "options": asdict(settings),
        "sentences": candidates.sentences,
        "candidates": len(candidates),
        "epochs": [{"loss": epoch.loss, "dev": epoch.dev, "best": epoch.best} for epoch in epochs],
    }
    if candidates.origin is not None:
        info["origin"] = candidates.origin.to_dict()
    return info


def _evaluation(trees: HiddenTrees, candidates: Candidates, unit: float) -> Callable[[Weights], dict[str, float]]:
    """Return a function that evaluates weights on a dev set, by the mean gold score of the chosen candidates."""

    def evaluate(weights: Weights) -> dict[str, float]:
        chosen = candidates.best(score_trees(trees, weights, unit))
        return {"gold": float(candidates.score[chosen].mean())}

    return evaluate
