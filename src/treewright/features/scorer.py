"""The contract of scorers: a sentence in, part scores out.

A linear model over hashed features is one scorer, a neural network can be another.  Search, pruning and calibration see
nothing of a scorer but this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.arrays import Array, Arrays
from treewright.features.dependency import DependencyFeatures
from treewright.features.weights import Weights
from treewright.inference import Factors, Parts, Scores

if TYPE_CHECKING:
    from treewright.features.hooks import Proposal
    from treewright.features.lexicon import Lexicon
    from treewright.treebank import Sentence

__all__ = ["LinearScorer", "Scorer"]


class Scorer(ABC):
    """Scores the parts of trees."""

    @property
    @abstractmethod
    def labels(self) -> Sequence[str]:
        """The relations that are scored, none where only heads are."""

    @property
    @abstractmethod
    def needs_tags(self) -> bool:
        """Whether scores depend on the tags of a sentence."""

    @property
    def hooks(self) -> Sequence[str]:
        """The names of the hooks whose features have been learned."""
        return ()

    @property
    def resolution(self) -> float | None:
        """A number that all scores are integer multiples of, where one is known."""
        return None

    @abstractmethod
    def score(self, sentence: Sentence, parts: Parts | None = None) -> Scores:
        """Score the parts of a sentence that survive pruning, all by default, and every label of every arc."""

    @property
    def has_factors(self) -> bool:
        """Whether there are factors that are no parts of a factorization: non-local ones, or those of hooks."""
        return False

    @abstractmethod
    def factors(self, sentence: Sentence, parts: Parts, proposed: Proposal | None = None) -> Factors:
        """Score the non-local factors that surviving arcs make up, and those that hooks propose."""

    @abstractmethod
    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the scorer as a manifest and arrays."""


@dataclass(frozen=True)
class LinearScorer(Scorer):
    """A linear model: features, and a weight for each."""

    features: DependencyFeatures
    weights: Weights

    @property
    def labels(self) -> Sequence[str]:
        """The relations that are scored, none where only heads are."""
        return self.features.labels

    @property
    def needs_tags(self) -> bool:
        """Whether there are features of tags."""
        return self.features.settings.needs_tags

    @property
    def hooks(self) -> Sequence[str]:
        """The names of the hooks whose features have been learned."""
        return self.features.settings.hooks

    @property
    def resolution(self) -> float | None:
        """A number that all weights are integer multiples of, where one is known."""
        return self.weights.resolution

    def score(self, sentence: Sentence, parts: Parts | None = None) -> Scores:
        """Score the parts of a sentence that survive pruning, all by default, and every label of every arc."""
        return self.features.score(self.features.hash(sentence), self.weights, parts)

    @property
    def has_factors(self) -> bool:
        """Whether there are features of factors that are no parts of a factorization."""
        return self.features.has_factors

    def factors(self, sentence: Sentence, parts: Parts, proposed: Proposal | None = None) -> Factors:
        """Score the non-local factors that surviving arcs make up, and those that hooks propose."""
        return self.features.factors(self.features.hash(sentence), self.weights, parts, proposed)

    def describe(self, name: str = "weights", *, lexicon: bool = True) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the features, less a lexicon that another part describes, and the weights, called ``name``."""
        features, arrays = self.features.describe(lexicon=lexicon)
        weights, table = self.weights.describe(name)
        return features | weights, arrays | table

    @classmethod
    def restore(
        cls, manifest: Mapping[str, Any], arrays: Arrays, name: str = "weights", lexicon: Lexicon | None = None
    ) -> LinearScorer:
        """Rebuild the scorer that `describe` described, with its own lexicon or a shared one."""
        features = DependencyFeatures.restore(manifest, arrays, lexicon)
        return cls(features, Weights.restore(manifest, arrays, features.size, name))
