"""Where a system agrees with the gold standard, word by word: all scores are counts over these masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Heads, Ints, Mask
from treewright.errors import UsageError
from treewright.evaluation.alignment import Alignment
from treewright.evaluation.differences import first_difference
from treewright.evaluation.punctuation import Punctuation, punctuation_mask
from treewright.evaluation.score import Score

__all__ = ["Agreement", "Arcs", "agreement", "count", "encode", "given", "universal"]

#: The head of a word that is not aligned, and a head that is not given: they are the same as no other.
_NOWHERE = -2


@dataclass(frozen=True, slots=True)
class Arcs:
    """The arcs into the scored words of one side."""

    index: Ints  # of each word among all words of the side
    sentence: Ints  # the index of its sentence
    word: Ints  # its position in the sentence, counted from 1
    heads: Heads  # positions in the sentence
    targets: Ints  # the same heads as indices among all words of the side; -1 is the root, -2 none
    relations: Ints  # as indices into all names

    def only(self, scored: Mask) -> Arcs:
        """Leave out the words that are not scored."""
        columns = self.index, self.sentence, self.word, self.targets, self.relations
        index, sentence, word, targets, relations = (column[scored] for column in columns)
        return Arcs(index, sentence, word, self.heads[scored], targets, relations)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Heads and relations of the scored words of all sentences.

    Masks have an entry for each scored word of the gold standard.
    """

    gold: Arcs
    system: Arcs
    relations: list[str]  # all names, in alphabetical order
    counterpart: Ints  # the word of the system, among all its words, that is aligned with each; -1 if there is none
    is_same: bool  # whether both sides have the same words
    attached: Mask  # whether the head is correct
    labelled: Mask  # whether both the head and the relation are
    heads_given: tuple[bool, bool]  # whether the gold standard and the system have any heads
    relations_given: tuple[bool, bool]

    @property
    def aligned(self) -> Mask | None:
        """Which words have a counterpart; None if both sides have the same words."""
        return None if self.is_same else self.counterpart >= 0

    def score_heads(self) -> Score:
        """Count the words whose head is correct: UAS."""
        return count(self.attached, len(self.system.index), self.heads_given, self.aligned)

    def score_arcs(self) -> Score:
        """Count the words whose head and relation are correct: LAS."""
        return count(self.labelled, len(self.system.index), self.relations_given, self.aligned)


def agreement(pair: Alignment, punctuation: Punctuation, subtypes: bool) -> Agreement:
    """Compare heads and relations on every word that the punctuation rule keeps."""
    scored = ~punctuation_mask(pair.gold, punctuation)
    system_scored = np.ones(len(pair.system_sentence), np.bool_)
    if pair.is_same:
        system_scored = scored
    elif punctuation != "keep":
        raise UsageError(
            f"{first_difference(pair.gold, pair.system)}: leaving out punctuation needs the same words: choose 'keep'"
        )
    names = pair.columns(lambda sentence: sentence.deprels)
    all_heads = pair.heads()
    heads_given = (True, bool(np.any(all_heads[1] >= 0)))
    relations_given = (given(names[0]), given(names[1]) and heads_given[1])
    (gold_relations, system_relations), relations = encode(*(names if subtypes else map(universal, names)))
    gold = _arcs(pair.sentence, all_heads[0], gold_relations)
    system = _arcs(pair.system_sentence, all_heads[1], system_relations)
    attached = pair.agree(gold.targets, _translate(system.targets, pair.counterpart))
    labelled = attached & pair.agree(gold_relations, system_relations) & all(relations_given)
    return Agreement(
        gold=gold.only(scored),
        system=system.only(system_scored),
        relations=relations,
        counterpart=pair.counterpart[scored],
        is_same=pair.is_same,
        attached=attached[scored],
        labelled=labelled[scored],
        heads_given=heads_given,
        relations_given=relations_given,
    )


def _arcs(sentence: Ints, heads: Heads, relations: Ints) -> Arcs:
    """Find the positions of words, and number heads through all sentences."""
    starts = np.searchsorted(sentence, sentence)
    index = np.arange(len(sentence))
    targets = np.where(heads > 0, starts + heads - 1, np.where(heads == 0, -1, _NOWHERE))
    return Arcs(index, sentence, index - starts + 1, heads, targets, relations)


def _translate(targets: Ints, counterpart: Ints) -> Ints:
    """Replace words of the system by those of the gold standard that are aligned with them."""
    aligned = np.flatnonzero(counterpart >= 0)
    translation = np.full(len(targets) + 2, _NOWHERE, np.intp)
    translation[counterpart[aligned]] = aligned
    translation[-1] = -1
    return translation[targets]


def count(correct: Mask, system: int, sides: tuple[bool, bool], aligned: Mask | None = None) -> Score:
    """Count items, on each side that has the column at all.

    ``correct`` and ``aligned`` are of the items of the gold standard, and ``system`` is the number of the system's.
    """
    return Score(
        correct=int(np.count_nonzero(correct)) if all(sides) else 0,
        gold=len(correct) if sides[0] else 0,
        system=system if sides[1] else 0,
        aligned=None if aligned is None else int(np.count_nonzero(aligned)) if sides[0] else 0,
    )


def encode(gold: Sequence[str], system: Sequence[str]) -> tuple[tuple[Ints, Ints], list[str]]:
    """Replace the values of a column by their indices among all values of both sides, in alphabetical order."""
    values = sorted({*gold, *system})
    index = {value: i for i, value in enumerate(values)}
    numbers = (np.fromiter(map(index.__getitem__, side), np.intp, len(side)) for side in (gold, system))
    return (next(numbers), next(numbers)), values


def given(column: list[str]) -> bool:
    """Check whether a column has anything in it."""
    return any(value != "_" for value in column)


def universal(relations: list[str]) -> list[str]:
    """Strip the subtypes: ``nsubj:pass`` becomes ``nsubj``."""
    return [relation.partition(":")[0] for relation in relations]
