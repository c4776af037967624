"""A linear reranker: a weight for the log-probability of the base model, and weights for features.

Features go by their names, so that a model applies to candidates whose features are numbered otherwise; where they
have no names, by their numbers.  Only weights that are not zero are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from treewright.errors import UsageError
from treewright.reranking.candidates import Candidates, Floats, Numbers
from treewright.reranking.reranker import BASE_MODEL, Arrays, Lists, Reason, Reranker
from treewright.reranking.scoring import score_candidates
from treewright.reranking.strings import Strings

__all__ = ["LinearReranker"]


@dataclass(frozen=True, eq=False)
class LinearReranker(Reranker):
    """A weighted sum of features.

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
    numbers: Numbers | None = None
    info: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, candidates: Candidates, alpha: float, weights: Floats, info: Mapping[str, Any] | None = None
    ) -> LinearReranker:
        """Make a model of weights for the features that candidates have."""
        if len(weights) != candidates.feature_count:
            raise ValueError(f"{candidates.feature_count} features need as many weights, not {len(weights)}")
        kept = np.flatnonzero(weights)
        names = None if candidates.names is None else candidates.names.take(kept)
        numbers = kept.astype(np.int32) if names is None else None
        return cls(float(alpha), np.array(weights, np.float64)[kept], names, numbers, info or {})

    def __repr__(self) -> str:
        return f"<LinearReranker: {len(self.weights):,} features>"

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
        return np.fromiter((self._known.get(name, 0.0) for name in candidates.names), np.float64, len(candidates.names))

    @cached_property
    def _known(self) -> dict[str, float]:
        return dict(zip(self.names or (), self.weights.tolist(), strict=True))

    @property
    def vocabulary(self) -> Strings | None:
        """The features that have a weight."""
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

    def describe(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Take the model apart into a manifest and arrays."""
        arrays: dict[str, npt.NDArray[Any]] = {"weights": self.weights, "alpha": np.array([self.alpha])}
        if self.names is not None:
            arrays["name_lengths"] = np.diff(self.names.offsets).astype(np.uint32)
            arrays["name_data"] = self.names.data
        elif self.numbers is not None:
            arrays["numbers"] = self.numbers
        return {"kind": self.KIND, "info": dict(self.info)}, arrays

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> LinearReranker:
        """Put together what `describe` took apart."""
        names, numbers = None, arrays.get("numbers")
        if "name_data" in arrays:
            lengths = arrays["name_lengths"].astype(np.int64)
            names = Strings(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), arrays["name_data"])
        model = cls(float(arrays["alpha"][0]), arrays["weights"], names, numbers, manifest["info"])
        entries = names if names is not None else numbers
        if entries is None or len(entries) != len(model.weights) or not np.isfinite(model.weights).all():
            raise ValueError("features and weights do not match")
        if numbers is not None and (numbers < 0).any():
            raise ValueError("a number below zero")
        return model
