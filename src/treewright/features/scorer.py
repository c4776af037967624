"""The contract of scorers: a sentence in, part scores out; gradients of parts in, gradient of weights out.

`DependencyFeatures`, a linear model over hashed features, is one scorer; a neural network can be another.  Search and
learning see nothing of a scorer but this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from treewright.arrays import Ints, Places, Singles
from treewright.features.weights import Weights
from treewright.inference import Factors, Parts, Scores

if TYPE_CHECKING:
    from treewright.features.hooks import Proposal
    from treewright.treebank import Sentence

__all__ = ["Scorer", "WeightedParts"]

#: Parts, one row of words for each, and the coefficient of each.
WeightedParts: TypeAlias = tuple[Ints, Singles]

#: A sentence as a scorer sees it.
Encoded = TypeVar("Encoded")


class Scorer(ABC, Generic[Encoded]):
    """Scores the parts of trees.

    Attributes
    ----------
    labels : list of str
        The relations that are scored, none where only heads are.
    """

    labels: Sequence[str]

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of weights."""

    @abstractmethod
    def hash(self, sentence: Sentence) -> Encoded:
        """Compute what all scores of a sentence share, and what does not depend on weights."""

    @abstractmethod
    def score(self, hashed: Encoded, weights: Weights, parts: Parts | None = None) -> Scores:
        """Score the parts of a sentence, and every label of every arc.

        Parameters
        ----------
        hashed : Encoded
            What `hash` returned.
        weights : Weights
        parts : Parts, optional
            The parts that survive pruning; all parts by default.
        """

    @abstractmethod
    def gradient(
        self, hashed: Encoded, parts: Mapping[str, WeightedParts], proposed: Proposal | None = None
    ) -> tuple[Places, Singles]:
        """Compute the gradient, with respect to the weights, of the sum of coefficient times score over some parts.

        Parameters
        ----------
        hashed : Encoded
        parts : mapping
            For each kind of part, rows of words and a coefficient for each; rows of ``label`` are (h, m, label),
            those of ``hooks`` the number of a factor.
        proposed : Proposal, optional
            What hooks have proposed.

        Returns
        -------
        places : int32 array
            Where the gradient is not zero; a place may occur more than once.
        values : float32 array
            What to add at each place.
        """

    @property
    @abstractmethod
    def has_factors(self) -> bool:
        """Whether there are factors that are no parts of a factorization: non-local ones, or those of hooks."""

    @abstractmethod
    def factors(self, hashed: Encoded, weights: Weights, parts: Parts, proposed: Proposal | None = None) -> Factors:
        """Score the non-local factors that surviving arcs make up, and those that hooks propose."""
