"""A reranker: a weight for the log-probability of the base model, and weights for features.

Features go by their names, so that a model applies to candidates whose features are numbered otherwise; where they
have no names, by their numbers.  Only weights that are not zero are stored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from treewright.errors import ModelError, UsageError
from treewright.reranking.candidates import Candidates, Floats, Integers, Numbers
from treewright.reranking.scoring import score_candidates
from treewright.reranking.strings import Strings
from treewright.storage import load_model, save_model

__all__ = ["KIND", "Reason", "Reranker"]

#: What the manifest says that the model is.
KIND = "reranker"

#: What the log-probability of the base model is called among reasons.
BASE = "log-probability of the base model"


class Reason(NamedTuple):
    """Something that speaks for one candidate and against another.

    Attributes
    ----------
    name : str
        The feature.
    difference : float
        Its value in the first candidate less that in the second.
    weight : float
    """

    name: str
    difference: float
    weight: float

    @property
    def contribution(self) -> float:
        """How much it adds to the score of the first candidate less that of the second."""
        return self.difference * self.weight


@dataclass(frozen=True, eq=False)
class Reranker:
    """A model that chooses from candidates.

    Attributes
    ----------
    alpha : float
        α₀, the weight of the log-probability.
    weights : float64
        Those of the features, none of them zero.
    names : Strings, optional
        The features that have a weight.
    numbers : int32, optional
        Their numbers, where they have no names.
    info : mapping
        How it was trained and how good it is.

    Examples
    --------
    >>> from treewright.reranking import CandidatesBuilder
    >>> builder = CandidatesBuilder()
    >>> builder.add([-1.0, -2.0], [0.0, 1.0], [["low"], ["high"]])
    >>> candidates = builder.build()
    >>> reranker = Reranker.of(candidates, 0.5, np.array([0.0, 2.0]))
    >>> reranker.scores(candidates).tolist(), reranker.best(candidates).tolist()
    ([-0.5, 1.0], [1])
    >>> reranker.explain(candidates, 1, 0)[0]
    Reason(name='high', difference=1.0, weight=2.0)
    """

    alpha: float
    weights: Floats
    names: Strings | None = None
    numbers: Numbers | None = None
    info: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, candidates: Candidates, alpha: float, weights: Floats, info: Mapping[str, Any] | None = None
    ) -> Reranker:
        """Make a model of weights for the features that candidates have."""
        if len(weights) != candidates.feature_count:
            raise ValueError(f"{candidates.feature_count} features need as many weights, not {len(weights)}")
        kept = np.flatnonzero(weights)
        names = None if candidates.names is None else candidates.names.take(kept)
        numbers = kept.astype(np.int32) if names is None else None
        return cls(float(alpha), np.array(weights, np.float64)[kept], names, numbers, info or {})

    def __repr__(self) -> str:
        return f"<Reranker: {len(self.weights):,} features>"

    def weights_for(self, candidates: Candidates) -> Floats:
        """Give the weight of each feature of some candidates."""
        found = np.zeros(candidates.feature_count)
        if self.names is None:
            numbers = np.zeros(0, np.int32) if self.numbers is None else self.numbers
            inside = numbers < candidates.feature_count
            found[numbers[inside]] = self.weights[inside]
            return found
        if candidates.names is None:
            raise UsageError("the candidates have no names of features, so that those of the model cannot be found")
        if candidates.names == self.names:
            return np.array(self.weights)
        known = dict(zip(self.names, self.weights.tolist(), strict=True))
        return np.fromiter((known.get(name, 0.0) for name in candidates.names), np.float64, len(candidates.names))

    def scores(self, candidates: Candidates) -> Floats:
        """Compute F(x) = α₀ L(x) + Σ α_k h_k(x) of each candidate."""
        return score_candidates(candidates, self.alpha, self.weights_for(candidates))

    def best(self, candidates: Candidates) -> Integers:
        """Choose a candidate for each sentence, the first of those with the highest score, and give their numbers."""
        return candidates.best(self.scores(candidates))

    def explain(self, candidates: Candidates, first: int, second: int) -> list[Reason]:
        """List what decides between two candidates, with these numbers; what weighs most comes first."""
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
            reasons.append(Reason(BASE, base, self.alpha))
        return sorted(reasons, key=lambda reason: (-abs(reason.contribution), reason.name))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file."""
        arrays = {"weights": self.weights, "alpha": np.array([self.alpha])}
        if self.names is not None:
            arrays["name_lengths"] = np.diff(self.names.offsets).astype(np.uint32)
            arrays["name_data"] = self.names.data
        elif self.numbers is not None:
            arrays["numbers"] = self.numbers
        save_model(path, {"kind": KIND, "info": dict(self.info)}, arrays)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Reranker:
        """Open a model file.

        Raises
        ------
        ModelError
            When the file is missing, damaged, or another kind of model.
        """
        manifest, arrays = load_model(path)
        if manifest.get("kind") != KIND:
            kind = manifest.get("kind")
            raise ModelError(f"{os.fspath(path)}: a model of kind {kind!r}, not a reranker; open it as what it is")
        try:
            names = None
            if "name_data" in arrays:
                lengths = arrays["name_lengths"].astype(np.int64)
                names = Strings(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), arrays["name_data"])
            numbers = arrays.get("numbers")
            model = cls(float(arrays["alpha"][0]), arrays["weights"], names, numbers, manifest["info"])
            entries = names if names is not None else model.numbers
            if entries is None or len(entries) != len(model.weights) or not np.isfinite(model.weights).all():
                raise ValueError("features and weights do not match")
            if numbers is not None and (numbers < 0).any():
                raise ValueError("a number below zero")
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise ModelError(f"{os.fspath(path)}: the model is corrupted; train it again") from None
        return model
