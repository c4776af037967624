"""Pairs of gold and system sentences: word by word if they have the same words, through their text otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from treewright.arrays import Heads, Ints, Mask
from treewright.errors import UsageError
from treewright.evaluation.differences import different_texts, first_difference
from treewright.evaluation.matching import match_spans, match_words
from treewright.evaluation.place import place
from treewright.evaluation.score import Score
from treewright.evaluation.spans import multiword_tokens, spans_of
from treewright.treebank import Sentence

__all__ = ["Alignment", "align", "align_text"]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Sentences of the gold standard and of a system, and which of their words are the same.

    Words are numbered through all sentences of a side.
    """

    gold: list[Sentence]
    system: list[Sentence]
    sentence: Ints  # the index of the sentence of each gold word
    system_sentence: Ints  # the same of each word of the system
    counterpart: Ints  # the word of the system that is the same as each gold word; -1 if there is none
    is_same: bool  # whether sentences of the same index have the same words
    segmentation: dict[str, Score]  # of tokens, sentences and words

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

    def agree(self, gold: Ints, system: Ints) -> Mask:
        """Find the gold words that have the same number as their counterpart, given a number for each word."""
        same: Mask = gold == system[self.counterpart]
        return same & (self.counterpart >= 0)


def align(
    gold: Iterable[Sentence],
    system: Iterable[Sentence],
    name: str = "system",
    reason: str = "both must have the same words",
) -> Alignment:
    """Pair the sentences of a system with those of the gold standard, which have the same words.

    Raises
    ------
    UsageError
        If sentences or words differ, or the gold standard lacks a head; the message calls the system ``name``, and says
        for which ``reason`` they must not.
    """
    gold, system = list(gold), list(system)
    _require_heads(gold)
    if (difference := first_difference(gold, system, name)) is not None:
        raise UsageError(f"{difference}: {reason}")
    return _pair(gold, system)


def align_text(gold: Iterable[Sentence], system: Iterable[Sentence]) -> Alignment:
    """Pair the words of a system with those of the gold standard, through the text that they share.

    If the words of all sentences are the same, the text does not matter.

    Raises
    ------
    UsageError
        If neither words nor text are the same, or the gold standard lacks a head.
    """
    gold, system = list(gold), list(system)
    _require_heads(gold)
    is_same = first_difference(gold, system) is None
    if is_same and all(map(_has_same_tokens, gold, system)):
        return _pair(gold, system)
    sides = spans_of(gold, "gold standard"), spans_of(system, "system")
    if sides[0].text != sides[1].text:
        if is_same:
            return _pair(gold, system)
        raise UsageError(different_texts(gold, sides))
    counterpart = np.full(len(sides[0].words), -1, np.intp)
    words, system_words = match_words(*sides)
    counterpart[words] = system_words
    is_same = is_same and bool(np.array_equal(counterpart, np.arange(len(sides[1].words))))
    tokens, sentences = match_spans(*sides)
    segmentation = {
        "tokens": Score(tokens, *(len(side.tokens) for side in sides)),
        "sentences": Score(sentences, *(len(side.sentences) for side in sides)),
        "words": Score(len(words), *(len(side.words) for side in sides)),
    }
    places = _sentence_of_each(gold), _sentence_of_each(system)
    return Alignment(gold, system, *places, counterpart, is_same, segmentation)


def _pair(gold: list[Sentence], system: list[Sentence]) -> Alignment:
    """Pair sentences that have the same words."""
    sentence = _sentence_of_each(gold)
    same = all(map(_has_same_tokens, gold, system))
    words, sentences = len(sentence), sum(1 for one in gold if len(one))
    tokens = words - sum(last - before - 1 for one in gold for before, last, _ in multiword_tokens(one))
    segmentation = {
        "tokens": Score(tokens, tokens, tokens) if same else Score(0, 0, 0),
        "sentences": Score(sentences, sentences, sentences),
        "words": Score(words, words, words),
    }
    return Alignment(gold, system, sentence, sentence, np.arange(words), True, segmentation)


def _require_heads(gold: Sequence[Sentence]) -> None:
    if not any(map(len, gold)):
        raise UsageError("there is nothing to evaluate: the gold standard has no words")
    for k, sentence in enumerate(gold):
        if np.any(sentence.heads < 0):
            word = int(np.argmax(sentence.heads < 0))
            raise UsageError(
                f"{place(k, sentence)}: the gold standard has no head for word {word + 1}, "
                f"{sentence.forms[word]!r}: attachment scores need a head for every gold word"
            )


def _has_same_tokens(gold: Sentence, system: Sentence) -> bool:
    return gold.asides == system.asides or multiword_tokens(gold) == multiword_tokens(system)


def _sentence_of_each(sentences: Sequence[Sentence]) -> Ints:
    """Find the sentence of each word."""
    return np.repeat(np.arange(len(sentences)), list(map(len, sentences)))


def _heads(sentences: Sequence[Sentence]) -> Heads:
    return np.concatenate([np.empty(0, np.int32), *(sentence.heads for sentence in sentences)])
