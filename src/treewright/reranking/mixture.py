"""Mixtures of rerankers (Koo and Collins 2005, section 4.3): a weighted sum of their log-probabilities.

::

    log p(t | s) = Σₘ λₘ log pₘ(t | s) − Z(s)

MIX is the base model with several hidden-variable models; MIX+ adds the scores of a boosted model.  The paper finds the
weights "through optimization of parsing scores on a development set".  The score of the chosen candidates is a step
function of the weights, with many narrow optima.  `tune_mixture` maximizes instead the probability of the best
candidates of a development set (a logarithmic opinion pool; Smith, Cohn and Osborne 2005), all of them together where
several are equally good.  That is smooth, and convex where one is best; nothing is random; and on held-out sentences it
scores as high (``experiments/reranking``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from treewright.arrays import Arrays, Floats
from treewright.errors import UsageError
from treewright.model import Described, Manifest, nest, part
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.evaluation import evaluate_choices
from treewright.reranking.learners.losses import to_errors
from treewright.reranking.options import Ties
from treewright.reranking.reranker import BASE_MODEL, Lists, Reason, Reranker, read_info

__all__ = ["MixedReranker", "Mixture", "mix_rerankers", "tune_mixture"]


@dataclass(frozen=True)
class Mixture:
    """The weights of models.

    Attributes
    ----------
    names : sequence of str
        The models, the base model first.
    weights : sequence of float
        The λ of each model; they sum to 1, since only their ratios matter.
    gold : float
        The mean gold score of the candidates chosen on the development set.
    """

    names: Sequence[str]
    weights: Sequence[float]
    gold: float

    def scores(self, columns: npt.ArrayLike) -> Floats:
        """Combine the scores of the models, one row per model."""
        rows = np.asarray(columns, np.float64)
        if rows.ndim != 2 or len(rows) != len(self.weights):
            raise ValueError(
                f"expected the scores of {len(self.weights)} models ({', '.join(self.names)}), one row per model; "
                f"got an array of shape {rows.shape}"
            )
        combined: Floats = np.asarray(self.weights) @ rows
        return combined


def tune_mixture(
    names: Sequence[str], columns: npt.ArrayLike, candidates: Candidates, *, ties: Ties = "all"
) -> Mixture:
    """Find the weights of models on a development set.

    Parameters
    ----------
    names : sequence of str
    columns : array, shape (models, candidates)
        The scores of each model, usually with the base model first.
    candidates : Candidates
        The development set, with gold scores.
    ties : {"all", "one"}
        Which of several best candidates to make probable; see `Candidates.is_best`.

    Examples
    --------
    >>> import numpy as np
    >>> nothing = np.zeros(5, np.int64), np.zeros(0, np.int32)
    >>> dev = Candidates(np.array([0, 2, 4]), np.array([-1.0, -2, -1, -3]), np.array([0, 1.0, 1, 0]), *nothing)
    >>> mixture = tune_mixture(["base", "other"], [dev.log_probability, [0, 1.0, 0, 1]], dev)
    >>> mixture.gold, round(sum(mixture.weights), 9)
    (1.0, 1.0)
    """
    rows = np.ascontiguousarray(columns, np.float64)
    if rows.shape != (len(names), len(candidates)) or not len(names) or not np.isfinite(rows).all():
        raise ValueError(f"scores must be finite and of shape {(len(names), len(candidates))}, not {rows.shape}")
    from scipy.optimize import minimize  # slow to import, and most users never tune

    # In units of the spread of each model's scores, so that no model is a hundred times steeper than another.
    spreads = np.array([_spread(row, candidates) for row in rows])
    objective, bounds = _LogLoss(rows / spreads[:, None], candidates, ties), [(0.0, None)] * len(names)
    found = minimize(objective, np.ones(len(names)), jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = (found if found.any() else np.ones(len(names))) / spreads
    weights /= weights.sum()
    gold = float(candidates.score[candidates.best(weights @ rows)].mean())
    return Mixture(tuple(names), tuple(weights.tolist()), gold)


class _LogLoss:
    """The mean of −log p of the best candidates, and its gradient, as a function of the weights of models."""

    def __init__(self, rows: Floats, candidates: Candidates, ties: Ties = "all") -> None:
        self._rows, self._offsets, self._is_best = rows, candidates.offsets, candidates.is_best(ties)

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        scores = weights @ self._rows
        loss = to_errors(self._offsets, self._is_best, scores)  # which turns scores into a gradient
        count = len(self._offsets) - 1
        return loss / count, self._rows @ scores / count


def _spread(row: Floats, candidates: Candidates) -> float:
    """Return the standard deviation of scores within sentences; 1 where they are all equal."""
    means = np.add.reduceat(row, candidates.offsets[:-1]) / np.diff(candidates.offsets)
    return float(np.std(row - np.repeat(means, np.diff(candidates.offsets)))) or 1.0


class MixedReranker(Reranker):
    """A weighted sum of the base log-probability and the scores of rerankers.

    Parameters
    ----------
    models : sequence of Reranker
    mixture : Mixture
        The weights of the base model and of each reranker.
    info : mapping
    """

    KIND: ClassVar[str] = "reranker-mixture"

    def __init__(self, models: Sequence[Reranker], mixture: Mixture, info: Mapping[str, Any]) -> None:
        self.models, self.mixture, self.info = tuple(models), mixture, dict(info)
        if not len(models) + 1 == len(mixture.names) == len(mixture.weights):
            raise ValueError(
                f"{len(models)} rerankers and the base model need {len(models) + 1} names and weights, "
                f"not {len(mixture.names)} and {len(mixture.weights)}"
            )

    def __repr__(self) -> str:
        return f"<MixedReranker: {', '.join(self.mixture.names)}>"

    @property
    def vocabulary(self) -> list[str] | None:
        """The features that any of its rerankers uses."""
        found: dict[str, None] = {}
        for model in self.models:
            if model.vocabulary is None:
                return None
            found.update(dict.fromkeys(model.vocabulary))
        return list(found)

    @property
    def needs_trees(self) -> bool:
        """Whether any of its rerankers reads trees."""
        return any(model.needs_trees for model in self.models)

    def scores(self, candidates: Candidates, lists: Lists | None = None) -> Floats:
        """Compute Σ λ_m log p_m of each candidate, up to a constant per sentence."""
        return self.mixture.scores(score_columns(self.models, candidates, lists))

    def explain(self, candidates: Candidates, first: int, second: int, lists: Lists | None = None) -> list[Reason]:
        """List what each model contributes to the difference between two candidates."""
        columns = score_columns(self.models, candidates, lists)
        triples = zip(self.mixture.names, columns[:, first] - columns[:, second], self.mixture.weights, strict=True)
        reasons = [Reason(name, float(difference), float(weight)) for name, difference, weight in triples]
        return sorted(reasons, key=lambda reason: -abs(reason.contribution))

    def describe(self) -> Described:
        """Describe the mixture and all its rerankers as a manifest and arrays."""
        described = [model.describe() for model in self.models]
        arrays = {name: array for m, (_, own) in enumerate(described) for name, array in nest(str(m), own).items()}
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
    def restore(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Build a mixture from its description."""
        models = [Reranker.restore_any(own, part(str(m), arrays)) for m, own in enumerate(manifest["models"])]
        weights = tuple(map(float, manifest["weights"]))
        return cls(models, Mixture(tuple(manifest["names"]), weights, float(manifest["gold"])), read_info(manifest))


def mix_rerankers(models: Mapping[str, Reranker], dev: Candidates, columns: Floats | None = None) -> MixedReranker:
    """Mix rerankers with the weights that are best on a development set.

    Parameters
    ----------
    models : mapping of str to Reranker
        Rerankers by name.
    dev : Candidates
        The development set, with the features of all rerankers, and with trees if one of them reads trees.
    columns : array, optional
        The scores of the base model and of each reranker, one row per model; computed unless given.

    Raises
    ------
    UsageError
        If there is nothing to mix, or the rerankers choose from different kinds of trees.
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
    """Return the scores of all candidates, one row per model, the base model first."""
    return np.stack([candidates.log_probability, *(model.scores(candidates, lists) for model in models)])
