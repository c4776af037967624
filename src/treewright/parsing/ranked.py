"""A tree with its probability, as k best lists have them."""

from __future__ import annotations

import math
from typing import Generic, NamedTuple, TypeVar

__all__ = ["Ranked"]

T = TypeVar("T")


class Ranked(NamedTuple, Generic[T]):
    """A tree of a sentence.

    Attributes
    ----------
    tree : T
    log_probability : float
        Among all trees of the sentence that are searched.

    Examples
    --------
    >>> Ranked("(S (NNS Trees) (VBP grow))", math.log(0.25)).probability
    0.25
    """

    tree: T
    log_probability: float

    @property
    def probability(self) -> float:
        """The probability, at most 1 in spite of rounding."""
        return min(1.0, math.exp(self.log_probability))
