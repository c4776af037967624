"""A linear reranker: a weight for the log-probability of the base model, and weights for features.

Features go by their names, so that a model applies to candidates whose features are numbered otherwise; where they
have no names, by their numbers.  Only features are stored that have a weight, or have had one in some round: a model
that came about round by round keeps all of its rounds, so that any number of them can be tested afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from treewright.arrays import Array, Arrays, Floats, Ints, Places
from treewright.errors import UsageError
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.candidates.scoring import score_candidates
from treewright.reranking.candidates.strings import Strings
from treewright.reranking.learners.history import History
from treewright.reranking.learners.learning_curve import LearningCurve
from treewright.reranking.reranker import BASE_MODEL, Lists, Reason, Reranker

__all__ = ["LinearReranker"]


@dataclass(frozen=True, eq=False)
class LinearReranker(Reranker):
    """A weighted sum of features.

    Attributes
    ----------
    alpha : float
        α₀, the weight of the log-probability.
    weights : float64
        Those of the features.
    names : Strings, optional
        The features.
    numbers : int32, optional
        Their numbers, where they have no names.
    info : mapping
        How it was trained and how good it is.
    history : History, optional
        All rounds of boosting or selection, also those after the best, with the places of features in this model.

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
    info: Mapping[str, Any] = field(default_factory=dict)
    history: History | None = None

    @classmethod
    def of(
        cls,
        candidates: Candidates,
        alpha: float,
        weights: Floats,
        info: Mapping[str, Any] | None = None,
        history: History | None = None,
    ) -> LinearReranker:
        """Make a model of weights for the features that candidates have, and of the rounds that gave these."""
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
        """Give the model as it was after so many rounds, where it came about in rounds."""
        history = self._rounds()
        if not 0 <= rounds <= len(history):
            raise UsageError(f"the model had {len(history):,} rounds, so that there is none after {rounds:,}")
        about = {name: value for name, value in self.info.items() if name != "dev"}  # which is that of other weights
        return replace(self, weights=history.weights(rounds, len(self.weights)), info={**about, "rounds": rounds})

    def curve(self, candidates: Candidates) -> Floats:
        """Give the mean score of what is chosen after 0, 1, 2, … rounds (Collins and Koo 2005, Figure 5)."""
        history, curve = self._rounds(), LearningCurve(candidates, self.alpha)
        places, numbers = self._places(candidates), np.full(len(self.weights), -1)
        numbers[places[places >= 0]] = np.flatnonzero(places >= 0)  # of the model's features, among the candidates'
        features = numbers[history.features].astype(np.int32)
        known = features >= 0
        curve.extend(features[known], history.steps[known])
        sums = np.array(curve.scores)[np.concatenate([[0], np.cumsum(known)])]
        weight = candidates.sentences if candidates.size is None else candidates.size[candidates.oracle()].sum()
        means: Floats = sums / (weight or 1.0)
        return means

    def _rounds(self) -> History:
        if self.history is None:
            raise UsageError("the model has no rounds to look back on; models of boosting and of selection have")
        return self.history

    def weights_for(self, candidates: Candidates) -> Floats:
        """Give the weight of each feature of some candidates."""
        places = self._places(candidates)
        return np.append(self.weights, 0.0)[places]  # the last for those at -1

    def _places(self, candidates: Candidates) -> Ints:
        """Give the place in the model of each feature of some candidates; -1 where the model has it not."""
        count = candidates.feature_count
        if self.names is None:
            places = np.full(count, -1)
            numbers = np.zeros(0, np.int32) if self.numbers is None else self.numbers
            places[numbers[numbers < count]] = np.flatnonzero(numbers < count)
            return places
        if candidates.names is None:
            raise UsageError("the candidates have no names of features, so that those of the model cannot be found")
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
        """Only features count."""
        return False

    def scores(self, candidates: Candidates, lists: Lists | None = None) -> Floats:
        """Compute F(x) = α₀ L(x) + Σ α_k h_k(x) of each candidate."""
        return score_candidates(candidates, self.alpha, self.weights_for(candidates))

    def explain(self, candidates: Candidates, first: int, second: int, lists: Lists | None = None) -> list[Reason]:
        """List the features that decide between two candidates; what weighs most comes first."""
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

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Take the model apart into a manifest and arrays."""
        arrays: dict[str, Array] = {"weights": self.weights, "alpha": np.array([self.alpha])}
        if self.names is not None:
            arrays["name_lengths"] = np.diff(self.names.offsets).astype(np.uint32)
            arrays["name_data"] = self.names.data
        elif self.numbers is not None:
            arrays["numbers"] = self.numbers
        if self.history is not None:
            arrays["round_features"], arrays["round_steps"] = self.history.features, self.history.steps
        return {"kind": self.KIND, "info": dict(self.info)}, arrays

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> LinearReranker:
        """Put together what `describe` took apart."""
        names, numbers = None, arrays.get("numbers")
        if "name_data" in arrays:
            lengths = arrays["name_lengths"].astype(np.int64)
            names = Strings(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), arrays["name_data"])
        history = History(arrays["round_features"], arrays["round_steps"]) if "round_features" in arrays else None
        model = cls(float(arrays["alpha"][0]), arrays["weights"], names, numbers, manifest["info"], history)
        entries = names if names is not None else numbers
        if entries is None or len(entries) != len(model.weights) or not np.isfinite(model.weights).all():
            raise ValueError("features and weights do not match")
        if numbers is not None and (numbers < 0).any():
            raise ValueError("a number below zero")
        if history is not None:
            history.check(len(model.weights))
        return model
