"""Pairs of gold and system sentences, which must have the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from treewright.arrays import Heads, Ints
from treewright.errors import UsageError
from treewright.treebank import Sentence

__all__ = ["Alignment", "align", "place"]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Sentences of the gold standard and of a system; sentences of the same index have the same words."""

    gold: list[Sentence]
    system: list[Sentence]
    sentence: Ints  # the index of the sentence of each word

    def sizes(self, scored: int) -> tuple[int, int, int]:
        """Return the numbers of sentences, of words and of scored words, for a `Result`."""
        return len(self.gold), len(self.sentence), scored

    def columns(self, column: Callable[[Sentence], Sequence[str]]) -> tuple[list[str], list[str]]:
        """Return one column of all words, of both sides."""
        gold, system = (list(chain.from_iterable(map(column, side))) for side in (self.gold, self.system))
        return gold, system

    def heads(self) -> tuple[Heads, Heads]:
        """Return the heads of all words, of both sides."""
        return _heads(self.gold), _heads(self.system)


def align(gold: Iterable[Sentence], system: Iterable[Sentence], name: str = "system") -> Alignment:
    """Pair the sentences of a system with those of the gold standard.

    Raises
    ------
    UsageError
        If sentences or words differ, or the gold standard lacks a head; the message calls the system ``name``.
    """
    gold, system = list(gold), list(system)
    for k, (reference, other) in enumerate(zip(gold, system, strict=False)):
        if list(reference.forms) != list(other.forms):
            raise UsageError(_different_words(k, reference, other, name))
        if np.any(np.asarray(reference.heads) < 0):
            word = int(np.argmax(np.asarray(reference.heads) < 0))
            raise UsageError(
                f"{place(k, reference)}: the gold standard has no head for word {word + 1}, "
                f"{reference.forms[word]!r}: attachment scores need a head for every gold word"
            )
    if len(gold) != len(system):
        raise UsageError(_different_sentences(gold, system, name))
    lengths = [len(sentence) for sentence in gold]
    if not any(lengths):
        raise UsageError("there is nothing to evaluate: the gold standard has no words")
    return Alignment(gold, system, np.repeat(np.arange(len(gold)), lengths))


def _heads(sentences: Sequence[Sentence]) -> Heads:
    return np.concatenate([np.asarray(sentence.heads, np.int32) for sentence in sentences])


def _different_sentences(gold: Sequence[Sentence], system: Sequence[Sentence], name: str) -> str:
    shared = min(len(gold), len(system))
    longer, side = (gold, "the gold standard") if len(gold) > shared else (system, f"the {name}")
    return (
        f"the gold standard has {_count(len(gold), 'sentence')} and the {name} {len(system)}: "
        f"{place(shared, longer[shared])} is only in {side}"
    )


def _different_words(k: int, gold: Sentence, system: Sentence, name: str) -> str:
    shared = min(len(gold), len(system))
    pairs = zip(gold.forms, system.forms, strict=False)
    word = next((i for i, (form, other) in enumerate(pairs) if form != other), shared)
    counts = ""
    if len(gold) != len(system):
        counts = f"the gold standard has {_count(len(gold), 'word')} and the {name} {len(system)}; "
    if word < shared:
        found = f"is {gold.forms[word]!r} in the gold standard and {system.forms[word]!r} in the {name}"
    elif len(gold) > shared:
        found = f"{gold.forms[word]!r} is only in the gold standard"
    else:
        found = f"{system.forms[word]!r} is only in the {name}"
    separator = " " if word < shared else ", "
    return f"{place(k, gold)}: {counts}word {word + 1}{separator}{found}: both must have the same words"


def place(k: int, sentence: Sentence) -> str:
    """Name a sentence in a message: its number and, if a comment has one, its ``sent_id``."""
    for comment in sentence.comments:
        key, equals, value = comment.lstrip("#").partition("=")
        if equals and key.strip() == "sent_id":
            return f"sentence {k + 1} (sent_id {value.strip()})"
    return f"sentence {k + 1}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
