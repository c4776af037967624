"""Linear rerankers: a weight for the log-probability of the base model, and weights for features.

Features are matched by name, so that a model applies to candidates whose features are numbered differently; by number
if they have no names.  A model stores only the features that have a weight, or had one in some round.  Models that were
learned in rounds keep all rounds, so that any number of them can be tested later.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from treewright.arrays import Array, Arrays, Floats, Ints, Places
from treewright.errors import UsageError
from treewright.model import Described, Manifest
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.candidates.offsets import offsets_of
from treewright.reranking.candidates.scoring import score_candidates
from treewright.reranking.candidates.strings import Strings
from treewright.reranking.learners.history import History
from treewright.reranking.learners.learning_curve import LearningCurve
from treewright.reranking.reranker import BASE_MODEL, Lists, Reason, Reranker, read_info

__all__ = ["LinearReranker"]


@dataclass(frozen=True, eq=False)
class LinearReranker(Reranker):
    """A weighted sum of features.

    Attributes
    ----------
    alpha : float
        α₀, the weight of the log-probability.
    weights : float64
        The weights of the features.
    names : Strings, optional
        The names of the features.
    numbers : int32, optional
        The numbers of the features, if they have no names.
    info : dict
        How it was trained, and its scores on dev data.
    history : History, optional
        All rounds of boosting or selection, including those after the best; features are numbered as in this model.

    Examples
    --------
    >>> from treewright.reranking import CandidatesBuilder
    >>> builder = CandidatesBuilder()
    >>> builder.add([-1.0, -2.0], [0.0, 1.0], [["low"], ["high"]])
    >>> candidates = builder.build()
    >>> reranker = LinearReranker.of(candidates, 0.5, np.array([0.0, 2.0]))
    >>> reranker.scores(candidates).tolist(), reranker.best(candidates).tolist()
    ([-0.5, 1.0], [1])
    >>> reranker.explain(candidates, 1, 0)[0]
    Reason(name='high', difference=1.0, weight=2.0)
    """

    KIND: ClassVar[str] = "reranker"

    alpha: float
    weights: Floats
    names: Strings | None = None
    numbers: Places | None = None
    info: dict[str, Any] = field(default_factory=dict)
    history: History | None = None

    @classmethod
    def of(
        cls,
        candidates: Candidates,
        alpha: float,
        weights: Floats,
        info: dict[str, Any] | None = None,
        history: History | None = None,
    ) -> LinearReranker:
        """Return a model with weights for the features of candidates, and the rounds that found them."""
        if len(weights) != candidates.feature_count:
            raise ValueError(f"{candidates.feature_count} features need as many weights, not {len(weights)}")
        kept = np.union1d(np.flatnonzero(weights), [] if history is None else history.features).astype(np.int64)
        if history is not None:
            history = History(np.searchsorted(kept, history.features).astype(np.int32), history.steps)
        names = None if candidates.names is None else candidates.names.take(kept)
        numbers = kept.astype(np.int32) if names is None else None
        return cls(float(alpha), np.array(weights, np.float64)[kept], names, numbers, info or {}, history)

    def __repr__(self) -> str:
        return f"<LinearReranker: {np.count_nonzero(self.weights):,} features>"

    def after(self, rounds: int) -> LinearReranker:
        """Return the model as it was after this many rounds."""
        history = self._rounds()
        if not 0 <= rounds <= len(history):
            raise UsageError(f"the model has {len(history):,} rounds, so there is none after {rounds:,}")
        about = {name: value for name, value in self.info.items() if name != "dev"}  # the score of other weights
        return replace(self, weights=history.weights(rounds, len(self.weights)), info={**about, "rounds": rounds})

    def curve(self, candidates: Candidates) -> Floats:
        """Return the mean score of the chosen candidates after 0, 1, 2, … rounds (Collins and Koo 2005, Figure 5)."""
        history, curve = self._rounds(), LearningCurve(candidates, self.alpha)
        places, numbers = self._places(candidates), np.full(len(self.weights), -1)
        numbers[places[places >= 0]] = np.flatnonzero(places >= 0)  # the model's features as the candidates number them
        features = numbers[history.features].astype(np.int32)
        known = features >= 0
        curve.extend(features[known], history.steps[known])
        sums = np.array(curve.scores)[offsets_of(known)]
        weight = candidates.sentences if candidates.size is None else candidates.size[candidates.oracle()].sum()
        means: Floats = sums / (weight or 1.0)
        return means

    def _rounds(self) -> History:
        if self.history is None:
            raise UsageError("the model has no rounds to look back on; only boosting and selection keep them")
        return self.history

    def weights_for(self, candidates: Candidates) -> Floats:
        """Return the weight of each feature of candidates."""
        places = self._places(candidates)
        return np.append(self.weights, 0.0)[places]  # place -1 is the 0 at the end

    def _places(self, candidates: Candidates) -> Ints:
        """Return the place in the model of each feature of candidates; -1 if the model does not have it."""
        count = candidates.feature_count
        if self.names is None:
            places = np.full(count, -1)
            numbers = np.zeros(0, np.int32) if self.numbers is None else self.numbers
            places[numbers[numbers < count]] = np.flatnonzero(numbers < count)
            return places
        if candidates.names is None:
            raise UsageError("the candidates have no feature names, so the features of the model cannot be found")
        if candidates.names == self.names:
            return np.arange(count)
        return np.fromiter((self._known.get(name, -1) for name in candidates.names), np.int64, count)

    @cached_property
    def _known(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names or ())}

    @property
    def vocabulary(self) -> Strings | None:
        """The features of the model."""
        return self.names

    @property
    def needs_trees(self) -> bool:
        """Whether it reads the trees of candidates: no, only their features."""
        return False

    def scores(self, candidates: Candidates, lists: Lists | None = None) -> Floats:
        """Compute F(x) = α₀ L(x) + Σ α_k h_k(x) of each candidate."""
        return score_candidates(candidates, self.alpha, self.weights_for(candidates))

    def explain(self, candidates: Candidates, first: int, second: int, lists: Lists | None = None) -> list[Reason]:
        """List the features that decide between two candidates, the weightiest first."""
        weights, values = self.weights_for(candidates), np.zeros(candidates.feature_count)
        for c, sign in ((first, 1), (second, -1)):
            place = slice(*candidates.feature_offsets[c : c + 2])
            values[candidates.features[place]] += sign if candidates.values is None else sign * candidates.values[place]
        names = candidates.names
        reasons = [
            Reason(str(k) if names is None else names[int(k)], float(values[k]), float(weights[k]))
            for k in np.flatnonzero(values * weights)
        ]
        base = float(candidates.log_probability[first] - candidates.log_probability[second])
        if base * self.alpha:
            reasons.append(Reason(BASE_MODEL, base, self.alpha))
        return sorted(reasons, key=lambda reason: (-abs(reason.contribution), reason.name))

    def describe(self) -> Described:
        """Describe the model as a manifest and arrays."""
        arrays: dict[str, Array] = {"weights": self.weights, "alpha": np.array([self.alpha])}
        if self.names is not None:
            arrays["name_lengths"] = np.diff(self.names.offsets).astype(np.uint32)
            arrays["name_data"] = self.names.data
        elif self.numbers is not None:
            arrays["numbers"] = self.numbers
        if self.history is not None:
            arrays["round_features"], arrays["round_steps"] = self.history.features, self.history.steps
        return {"kind": self.KIND, "info": self.info}, arrays

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Build a model from its description."""
        names, numbers = None, arrays.get("numbers")
        if "name_data" in arrays:
            names = Strings(offsets_of(arrays["name_lengths"]), arrays["name_data"])
        history = History(arrays["round_features"], arrays["round_steps"]) if "round_features" in arrays else None
        model = cls(float(arrays["alpha"][0]), arrays["weights"], names, numbers, read_info(manifest), history)
        entries = names if names is not None else numbers
        if entries is None or len(entries) != len(model.weights) or not np.isfinite(model.weights).all():
            raise ValueError("its weights do not fit its features")
        if numbers is not None and (numbers < 0).any():
            raise ValueError("the number of a feature is negative")
        if history is not None:
            history.check(len(model.weights))
        return model
