"""Parsing text in several languages: each sentence by the parser of its language, which a comment names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, TypeVar

from treewright.parsing.parser import SentenceTask, ShardTask
from treewright.treebank import Sentence

__all__ = ["LanguageShard", "in_language", "language_of"]

R = TypeVar("R")

_COMMENT: Final = "# language = "


def in_language(sentences: Iterable[Sentence], language: str) -> Iterable[Sentence]:
    """Note the language of sentences.

    Examples
    --------
    >>> [sentence] = in_language([Sentence.from_forms(["Hunde"])], "de")
    >>> sentence.comments, language_of(sentence)
    (['# language = de'], 'de')
    """
    return (sentence.replace(comments=[f"{_COMMENT}{language}", *sentence.comments]) for sentence in sentences)


def language_of(sentence: Sentence) -> str:
    """Return the language that a comment names; an empty string if none does."""
    found = (comment.removeprefix(_COMMENT) for comment in sentence.comments if comment.startswith(_COMMENT))
    return next(found, "")


@dataclass(frozen=True)
class LanguageShard(SentenceTask[R]):
    """Parse each sentence of a shard by the parser of its language.

    Attributes
    ----------
    make : function
        Makes the task of a language, with its parser; it is called when the language is first met.
    """

    make: Callable[[str], ShardTask[R]]
    tasks: dict[str, ShardTask[R]] = field(default_factory=dict, repr=False, compare=False)

    def task(self, language: str) -> ShardTask[R]:
        """Return the task of a language."""
        if language not in self.tasks:
            self.tasks[language] = self.make(language)
        return self.tasks[language]

    @property
    def identity(self) -> list[object]:
        """What decides the result, as far as it is known: the parsers of the languages that have been met."""
        return [[language, self.tasks[language].identity] for language in sorted(self.tasks)]

    def __call__(self, shard: list[Sentence]) -> list[R]:
        """Parse a shard."""
        runs = groupby(shard, language_of)
        return [tree for language, run in runs for tree in self.task(language)(list(run))]
