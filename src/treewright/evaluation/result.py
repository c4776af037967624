"""What the results of all evaluations share: counts of sentences and words, and a form for JSON."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from treewright.evaluation.punctuation import Punctuation

__all__ = ["Plain", "Result"]


class Plain:
    """A base class for dataclasses that can be converted to JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dictionaries, lists, strings and numbers, ready for JSON."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Result(Plain):
    """The base class of results over sentences.

    Attributes
    ----------
    sentences, words : int
        The number of all sentences and words.
    scored : int
        The number of words that the punctuation rule keeps.
    punctuation : str
        The punctuation rule.
    """

    sentences: int
    words: int
    scored: int
    punctuation: Punctuation


def _plain(value: Any) -> Any:
    if isinstance(value, Plain):
        return value.to_dict()
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return list(map(_plain, value)) if isinstance(value, tuple) else value
