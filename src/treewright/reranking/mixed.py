"""Mixtures of rerankers (Koo and Collins 2005, section 4.3): MIX and MIX+, in one model with all that it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats
from treewright.errors import UsageError
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.evaluation import evaluate_choices
from treewright.reranking.hidden.lists import TreeLists
from treewright.reranking.hidden.mixture import Mixture, tune_mixture
from treewright.reranking.reranker import BASE_MODEL, Arrays, Lists, Reason, Reranker, restore_reranker

__all__ = ["MixedReranker", "mix_rerankers"]


class MixedReranker(Reranker):
    """A weighted sum of the base log-probability and of the scores of rerankers.

    Parameters
    ----------
    models : sequence of Reranker
    mixture : Mixture
        The weight of the base model, and that of each reranker.
    info : mapping
    """

    KIND: ClassVar[str] = "reranker-mixture"

    def __init__(self, models: Sequence[Reranker], mixture: Mixture, info: Mapping[str, Any]) -> None:
        self.models, self.mixture, self.info = tuple(models), mixture, dict(info)
        if not len(models) + 1 == len(mixture.names) == len(mixture.weights):
            raise ValueError(f"{len(models)} rerankers and a base model need as many weights")

    def __repr__(self) -> str:
        return f"<MixedReranker: {', '.join(self.mixture.names)}>"

    @property
    def vocabulary(self) -> list[str] | None:
        """The features that any of its rerankers asks for."""
        found: dict[str, None] = {}
        for model in self.models:
            if model.vocabulary is None:
                return None
            found.update(dict.fromkeys(model.vocabulary))
        return list(found)

    @property
    def needs_trees(self) -> bool:
        """Whether any of its rerankers looks at trees."""
        return any(model.needs_trees for model in self.models)

    def scores(self, candidates: Candidates, lists: Lists | None = None) -> Floats:
        """Give Σ λ_m log p_m of each candidate, up to a constant of the sentence."""
        return self.mixture.scores(score_columns(self.models, candidates, lists))

    def explain(self, candidates: Candidates, first: int, second: int, lists: Lists | None = None) -> list[Reason]:
        """Tell how much each model adds."""
        columns = score_columns(self.models, candidates, lists)
        triples = zip(self.mixture.names, columns[:, first] - columns[:, second], self.mixture.weights, strict=True)
        reasons = [Reason(name, float(difference), float(weight)) for name, difference, weight in triples]
        return sorted(reasons, key=lambda reason: -abs(reason.contribution))

    def describe(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Take the model apart into a manifest and arrays, with all of its rerankers."""
        described = [model.describe() for model in self.models]
        arrays = {f"{m}.{name}": array for m, (_, own) in enumerate(described) for name, array in own.items()}
        manifest = {
            "kind": self.KIND,
            "info": self.info,
            "names": list(self.mixture.names),
            "weights": list(self.mixture.weights),
            "gold": self.mixture.gold,
            "models": [own for own, _ in described],
        }
        return manifest, arrays

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> MixedReranker:
        """Put together what `describe` took apart."""
        models = []
        for m, own in enumerate(manifest["models"]):
            prefix = f"{m}."
            parts = {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
            models.append(restore_reranker(own, parts))
        weights = tuple(map(float, manifest["weights"]))
        return cls(models, Mixture(tuple(manifest["names"]), weights, float(manifest["gold"])), manifest["info"])


def mix_rerankers(models: Mapping[str, Reranker], dev: Candidates, columns: Floats | None = None) -> MixedReranker:
    """Find the weights with which rerankers are best together, on a development set.

    Parameters
    ----------
    models : mapping of str to Reranker
        Rerankers, by names that tell them apart.
    dev : Candidates
        With the features of all of them, and with trees where one looks at them.
    columns : array, optional
        The scores of the base model and of each reranker for all candidates, a row for each; computed unless given.

    Raises
    ------
    UsageError
        When there is nothing to mix, or the rerankers choose from different kinds of trees.
    """
    if not models:
        raise UsageError("there are no rerankers to mix; name at least one")
    kinds = {model.origin.trees for model in models.values() if model.origin is not None}
    if dev.origin is not None:
        kinds.add(dev.origin.trees)
    if len(kinds) > 1:
        raise UsageError("some of these choose from constituents and some from dependencies; mix those of one kind")
    if columns is None:
        columns = score_columns(list(models.values()), dev)
    mixture = tune_mixture([BASE_MODEL, *models], columns, dev)
    info: dict[str, Any] = {"mixture": dict(zip(mixture.names, mixture.weights, strict=True))}
    if dev.origin is not None:
        info["origin"] = dev.origin.to_dict()
    info["dev"] = evaluate_choices(dev, dev.best(mixture.scores(columns))).summary()
    return MixedReranker(list(models.values()), mixture, info)


def score_columns(models: Sequence[Reranker], candidates: Candidates, lists: Lists | None = None) -> Floats:
    """Give the scores of all models, a row for each, the base model first."""
    if lists is None and any(model.needs_trees for model in models):
        lists = TreeLists(candidates)
    return np.stack([candidates.log_probability, *(model.scores(candidates, lists) for model in models)])
