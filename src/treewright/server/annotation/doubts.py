"""Which sentences come first: those that a parser is least sure of, by one measure or another."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from treewright.server.annotation.state import Annotated
from treewright.server.annotation.suggestions import Suggestion

__all__ = ["MEASURES", "Order", "doubt_of"]

Order: TypeAlias = Literal["doubt", "entropy", "margin", "file"]


def _expected_errors(suggestion: Suggestion, state: Annotated) -> float:
    return suggestion.expected_errors([status != "word" for status in state.status])


def _smallest_margin(suggestion: Suggestion, state: Annotated) -> float:
    margins = suggestion.margins()
    if margins is None:
        return math.nan
    return max(
        (1.0 - m for m, status in zip(margins.tolist(), state.status, strict=True) if status == "_"), default=0.0
    )


#: How doubtful a sentence is: the expected number of words with a wrong head or relation, of those that are not
#: confirmed; the entropy of its trees; one less the smallest margin between two heads of a word.
MEASURES: Mapping[Order, Callable[[Suggestion, Annotated], float]] = {
    "doubt": _expected_errors,
    "entropy": lambda suggestion, state: suggestion.entropy,
    "margin": _smallest_margin,
}


def doubt_of(order: Order, suggestion: Suggestion, state: Annotated) -> float:
    """Return how doubtful a sentence is; 0 where all count the same, NaN where there are no probabilities."""
    return 0.0 if order == "file" else MEASURES[order](suggestion, state)
