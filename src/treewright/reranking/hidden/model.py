"""Hidden-variable rerankers: trained, asked, saved and opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from treewright.errors import UsageError
from treewright.features.weights import Weights
from treewright.learning.training import Epoch, Learner, Progress, train
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.evaluation import evaluate_choices
from treewright.reranking.hidden.arrays import BASE, Floats, HiddenTrees
from treewright.reranking.hidden.features import HiddenFeatures, HiddenSettings
from treewright.reranking.hidden.learning import HiddenProblem, StochasticDescent, base_unit, score_trees
from treewright.reranking.hidden.lists import TreeLists
from treewright.reranking.hidden.supersenses import Supersenses
from treewright.reranking.reranker import BASE_MODEL, Arrays, Lists, Reason, Reranker

__all__ = ["HiddenReranker", "train_hidden"]

#: What everything but the log-probability is called among reasons.
HIDDEN = "features with hidden values"


class HiddenReranker(Reranker):
    """A hidden-variable model (Koo and Collins 2005).

    Parameters
    ----------
    features : HiddenFeatures
    weights : Weights
    unit : float
        What base log-probabilities are divided by, where their weight is learned.
    info : mapping
        How it was trained, and its scores.
    """

    KIND: ClassVar[str] = "hidden-variable-reranker"

    def __init__(self, features: HiddenFeatures, weights: Weights, unit: float, info: Mapping[str, Any]) -> None:
        self.features, self.weights, self.unit, self.info = features, weights, unit, dict(info)

    @property
    def base_weight(self) -> float:
        """The weight of the base log-probability."""
        return 1 + float(self.weights.values[BASE]) * self.weights.scale / self.unit

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """It reads features of its own."""
        return ()

    @property
    def needs_trees(self) -> bool:
        """It looks at the trees themselves."""
        return True

    def read(
        self, lists: Lists, candidates: Candidates, on_sentence: Callable[[int], None] = lambda done: None
    ) -> HiddenTrees:
        """Make arrays of candidates, with the features that this model knows; tell how many sentences are done."""
        return self.features.read(lists, candidates, on_sentence=on_sentence)

    def scores(self, candidates: Candidates, lists: Lists | None = None) -> Floats:
        """Give log p(t | s) of every candidate (Eq. 2); without lists the trees are read from the texts."""
        features = self.features.anew()
        return self.log_probabilities(features.read(TreeLists(candidates) if lists is None else lists, candidates))

    def log_probabilities(self, trees: HiddenTrees, *, threads: int = 1) -> Floats:
        """Give log p(t | s) of every candidate (Eq. 2)."""
        scores = score_trees(trees, self.weights, self.unit, threads)
        for first, last in zip(trees.candidates[:-1].tolist(), trees.candidates[1:].tolist(), strict=True):
            scores[first:last] -= np.logaddexp.reduce(scores[first:last])
        return scores

    def explain(self, candidates: Candidates, first: int, second: int, lists: Lists | None = None) -> list[Reason]:
        """Tell how much the base model adds, and how much everything that sees hidden values."""
        scores, base = self.scores(candidates, lists), candidates.log_probability
        reasons = [Reason(BASE_MODEL, float(base[first] - base[second]), self.base_weight)]
        rest = float(scores[first] - scores[second]) - reasons[0].contribution
        reasons.append(Reason(HIDDEN, rest, 1.0))
        return sorted(reasons, key=lambda reason: -abs(reason.contribution))

    def describe(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Take the model apart into a manifest and arrays."""
        features = self.features
        manifest = {"kind": self.KIND, "settings": asdict(features.settings), "unit": self.unit, "info": self.info}
        arrays: dict[str, npt.NDArray[Any]] = {
            "keys": features.keys.astype("<u8").view(np.uint32),
            "widths": features.widths,
            "weights": self.weights.decoded().astype(np.float32),
        }
        if features.supersenses is not None:
            arrays["supersenses"] = features.supersenses.describe()
        return manifest, arrays

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> HiddenReranker:
        """Put together what `describe` took apart."""
        senses = Supersenses.restore(arrays["supersenses"]) if "supersenses" in arrays else None
        settings, keys = HiddenSettings(**manifest["settings"]), arrays["keys"].view(np.uint64)
        features = HiddenFeatures(settings, senses, keys, arrays["widths"])
        # As in learning, so that no kernels are compiled for weights of another type.
        weights = Weights(arrays["weights"].astype(np.float64))
        if len(weights.values) != features.size or (np.diff(keys) == 0).any():
            raise ValueError("the weights do not fit the features")
        return cls(features, weights, float(manifest["unit"]), manifest["info"])


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
        Such candidates to choose the best epoch by, and to stop early; by the mean gold score of what is chosen.
    settings : HiddenSettings, optional
    supersenses : Supersenses, optional
        Needed for hidden values of the kind ``supersense``.
    learner : StochasticDescent or ConjugateGradient, optional
    epochs, patience, seed, on_progress, on_epoch
        See `treewright.learning.train`.
    on_sentence : function
        Called while candidates are read, with the number of sentences done; those of dev come after the others.
    """
    if len(candidates.undecided()) == candidates.sentences:
        raise UsageError("nothing to learn from: in no list is one candidate better than another (is there a gold?)")
    features = HiddenFeatures(settings or HiddenSettings(), supersenses)
    trees = features.read(lists, candidates, learn=True, on_sentence=on_sentence)
    unit = base_unit(trees)
    held_out = None
    if dev is not None:
        held_out = features.read(*dev, on_sentence=lambda done: on_sentence(len(trees.best) + done))
    evaluate = None if dev is None or held_out is None else _evaluation(held_out, dev[1], unit)
    problem = HiddenProblem(trees, features.size, unit)
    result = train(
        problem,
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
    epochs_done = [{"loss": epoch.loss, "dev": epoch.dev, "best": epoch.best} for epoch in result.epochs]
    info: dict[str, Any] = {
        "learner": "hidden",
        "options": asdict(features.settings),
        "sentences": len(problem),
        "candidates": len(candidates),
        "epochs": epochs_done,
    }
    if candidates.origin is not None:
        info["origin"] = candidates.origin.to_dict()
    weights = Weights(result.weights.decoded().astype(np.float32).astype(np.float64))  # as they will be in a file
    if dev is not None and held_out is not None:
        model = HiddenReranker(features, weights, unit, info)
        info["dev"] = evaluate_choices(dev[1], dev[1].best(model.log_probabilities(held_out))).summary()
    return HiddenReranker(features, weights, unit, info)


def _evaluation(trees: HiddenTrees, candidates: Candidates, unit: float) -> Callable[[Weights], dict[str, float]]:
    """Give the function that scores weights on a dev set: the mean gold score of what they choose."""

    def evaluate(weights: Weights) -> dict[str, float]:
        chosen = candidates.best(score_trees(trees, weights, unit))
        return {"gold": float(trees.gain[chosen].mean())}

    return evaluate
