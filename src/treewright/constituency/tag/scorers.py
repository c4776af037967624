"""The contract of what scores derivations: a sentence and a space in, scores of its parts out.

A linear model over hashed features is one scorer, a network another.  The parser sees nothing of a scorer but this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

from treewright.arrays import Array, Arrays, Floats
from treewright.constituency.tag.candidates import Choices, SpineDictionary
from treewright.constituency.tag.features import TagFeatures
from treewright.features import Weights
from treewright.model import Manifest

if TYPE_CHECKING:
    from treewright.constituency.tag.automata import Automata
    from treewright.constituency.tag.space import Space
    from treewright.treebank import Sentence

__all__ = ["LinearTagScorer", "TagScorer"]


class TagScorer(ABC):
    """Scores the parts of derivations, and says which spines words may have."""

    @property
    @abstractmethod
    def automata(self) -> Automata:
        """The automata of all spines."""

    @property
    @abstractmethod
    def second(self) -> bool:
        """Whether the model is second-order (Equation 3)."""

    @cached_property
    def dictionary(self) -> SpineDictionary:
        """The spines of a treebank, by tag."""
        return SpineDictionary(self.automata)

    @abstractmethod
    def choices(self, sentence: Sentence, *, spare: bool = False) -> Choices:
        """List the spines that words may have; with ``spare``, also one for each that others can be joined to."""

    @abstractmethod
    def score(self, sentence: Sentence, space: Space) -> Floats:
        """Score the parts of a space, in the order of its layout."""

    @abstractmethod
    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the scorer as a manifest and arrays."""


class LinearTagScorer(TagScorer):
    """A linear model: features, and a weight for each."""

    def __init__(self, features: TagFeatures, weights: Weights) -> None:
        self.features, self.weights = features, weights

    @property
    def automata(self) -> Automata:
        """The automata of all spines."""
        return self.features.automata

    @property
    def second(self) -> bool:
        """Whether there are features of siblings and grandchildren."""
        return self.features.settings.second

    def choices(self, sentence: Sentence, *, spare: bool = False) -> Choices:
        """List the spines that were seen with the tags of words."""
        return self.dictionary.choices(sentence.xpos, self.dictionary.spare(len(sentence)) if spare else None)

    def score(self, sentence: Sentence, space: Space) -> Floats:
        """Score the parts of a space, in the order of its layout."""
        return self.features.score(self.features.hash(sentence), self.weights, space)

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the scorer as a manifest and arrays."""
        features, arrays = self.features.describe()
        weights, table = self.weights.describe()
        return {**features, **weights}, {**arrays, **table}

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays) -> LinearTagScorer:
        """Rebuild the scorer that `describe` described."""
        features = TagFeatures.restore(manifest, arrays)
        return cls(features, Weights.restore(manifest, arrays, features.size))
