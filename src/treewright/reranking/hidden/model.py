"""Hidden-variable rerankers as models: scores, reasons, files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, ClassVar, Self

import numpy as np

from treewright.arrays import Array, Arrays, Floats
from treewright.features.weights import Weights
from treewright.model import Described, Manifest
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.hidden.features import HiddenFeatures
from treewright.reranking.hidden.learning import score_trees
from treewright.reranking.hidden.lists import TreeLists
from treewright.reranking.hidden.supersenses import Supersenses
from treewright.reranking.hidden.trees import BASE, HiddenTrees
from treewright.reranking.options import HiddenSettings
from treewright.reranking.reranker import BASE_MODEL, Lists, Reason, Reranker, read_info

__all__ = ["HiddenReranker"]

#: The name of everything but the log-probability among reasons.
HIDDEN = "features with hidden values"


class HiddenReranker(Reranker):
    """A hidden-variable model (Koo and Collins 2005).

    Parameters
    ----------
    features : HiddenFeatures
    weights : Weights
    unit : float
        The unit of base log-probabilities in learning.
    info : mapping
        How it was trained, and its scores on dev data.
    """

    KIND: ClassVar[str] = "hidden-variable-reranker"

    def __init__(self, features: HiddenFeatures, weights: Weights, unit: float, info: Mapping[str, Any]) -> None:
        self.features, self.weights, self.unit, self.info = features, weights, unit, dict(info)

    @property
    def base_weight(self) -> float:
        """The weight of the base log-probability; 0 if it is not a feature."""
        if not self.features.settings.base_feature:
            return 0.0
        return 1 + float(self.weights.values[BASE]) * self.weights.scale / self.unit

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The names of the features of candidates it uses: none, it reads the trees."""
        return ()

    @property
    def needs_trees(self) -> bool:
        """Whether it reads the trees of candidates: yes."""
        return True

    def read(
        self, lists: Lists, candidates: Candidates, on_sentence: Callable[[int], None] = lambda done: None
    ) -> HiddenTrees:
        """Turn candidates into arrays, with the features of this model; ``on_sentence`` gets the sentences done."""
        return self.features.read(lists, candidates, on_sentence=on_sentence)

    def scores(self, candidates: Candidates, lists: Lists | None = None) -> Floats:
        """Compute log p(t | s) of each candidate (Eq. 2); by default the trees are read from the texts."""
        features = self.features.anew()
        return self.log_probabilities(features.read(TreeLists(candidates) if lists is None else lists, candidates))

    def log_probabilities(self, trees: HiddenTrees, *, threads: int = 1) -> Floats:
        """Compute log p(t | s) of each candidate (Eq. 2) from its arrays."""
        scores = score_trees(trees, self.weights, self.unit, threads)
        for first, last in zip(trees.candidates[:-1].tolist(), trees.candidates[1:].tolist(), strict=True):
            scores[first:last] -= np.logaddexp.reduce(scores[first:last])
        return scores

    def explain(self, candidates: Candidates, first: int, second: int, lists: Lists | None = None) -> list[Reason]:
        """List what the base model contributes, and what the features with hidden values do."""
        scores, base = self.scores(candidates, lists), candidates.log_probability
        reasons = [Reason(BASE_MODEL, float(base[first] - base[second]), self.base_weight)]
        rest = float(scores[first] - scores[second]) - reasons[0].contribution
        reasons.append(Reason(HIDDEN, rest, 1.0))
        return sorted(reasons, key=lambda reason: -abs(reason.contribution))

    def describe(self) -> Described:
        """Describe the model as a manifest and arrays."""
        features = self.features
        manifest = {"kind": self.KIND, "settings": asdict(features.settings), "unit": self.unit, "info": self.info}
        arrays: dict[str, Array] = {
            "keys": features.keys.astype("<u8").view(np.uint32),
            "widths": features.widths,
            "weights": self.weights.decoded().astype(np.float32),
        }
        if features.supersenses is not None:
            arrays["supersenses"] = features.supersenses.describe()
        return manifest, arrays

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Build a model from its description."""
        senses = Supersenses.restore(arrays["supersenses"]) if "supersenses" in arrays else None
        settings, keys = HiddenSettings(**manifest["settings"]), arrays["keys"].view(np.uint64)
        features = HiddenFeatures(settings, senses, keys, arrays["widths"])
        # float64 as in learning, so that no kernels are compiled for another type.
        weights = Weights(arrays["weights"].astype(np.float64))
        if keys.ndim != 1 or len(weights.values) != features.size or (np.diff(keys) == 0).any():
            raise ValueError("its weights do not fit its features")
        if not isinstance(settings.rules, str):
            raise TypeError(f"its head rules are {settings.rules!r}")
        return cls(features, weights, float(manifest["unit"]), read_info(manifest))
