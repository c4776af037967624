"""Where a system agrees with the gold standard, word by word: all scores are counts over these masks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.arrays import Heads, Ints, Mask
from treewright.evaluation.alignment import Alignment
from treewright.evaluation.punctuation import Punctuation, punctuation_mask
from treewright.evaluation.score import Score

__all__ = ["Agreement", "agreement", "count", "given", "universal"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Heads and relations of the scored words of all sentences."""

    sentence: Ints  # the index of the sentence of each word
    word: Ints  # the position of each word in its sentence, counted from 1
    gold_heads: Heads
    system_heads: Heads
    relations: list[str]  # all names, in alphabetical order
    gold_relations: Ints  # as indices into them
    system_relations: Ints
    attached: Mask  # whether the head is correct
    labelled: Mask  # whether both the head and the relation are
    heads_given: tuple[bool, bool]  # whether the gold standard and the system have any heads
    relations_given: tuple[bool, bool]

    def score_heads(self) -> Score:
        """Count the words whose head is correct: UAS."""
        return count(self.attached, self.heads_given)

    def score_arcs(self) -> Score:
        """Count the words whose head and relation are correct: LAS."""
        return count(self.labelled, self.relations_given)


def agreement(pair: Alignment, punctuation: Punctuation, subtypes: bool) -> Agreement:
    """Compare heads and relations on every word that the punctuation rule keeps."""
    scored = ~punctuation_mask(pair.gold, punctuation)
    starts = np.searchsorted(pair.sentence, pair.sentence)
    gold_heads, system_heads = pair.heads()
    gold_names, system_names = pair.columns(lambda sentence: sentence.deprels)
    heads_given = (True, bool(np.any(system_heads >= 0)))
    relations_given = (given(gold_names), given(system_names) and heads_given[1])
    if not subtypes:
        gold_names, system_names = universal(gold_names), universal(system_names)
    relations = sorted({*gold_names, *system_names})
    index = {relation: i for i, relation in enumerate(relations)}
    gold_relations = np.array([index[name] for name in gold_names], np.intp)
    system_relations = np.array([index[name] for name in system_names], np.intp)
    attached = gold_heads == system_heads
    labelled = attached & (gold_relations == system_relations) & all(relations_given)
    return Agreement(
        sentence=pair.sentence[scored],
        word=(np.arange(len(starts)) - starts + 1)[scored],
        gold_heads=gold_heads[scored],
        system_heads=system_heads[scored],
        relations=relations,
        gold_relations=gold_relations[scored],
        system_relations=system_relations[scored],
        attached=attached[scored],
        labelled=labelled[scored],
        heads_given=heads_given,
        relations_given=relations_given,
    )


def count(correct: Mask, sides: tuple[bool, bool]) -> Score:
    """Count one item for each word, on each side that has the column at all."""
    gold, system = sides
    return Score(
        correct=int(np.count_nonzero(correct)) if gold and system else 0,
        gold=len(correct) if gold else 0,
        system=len(correct) if system else 0,
    )


def given(column: list[str]) -> bool:
    """Check whether a column has anything in it."""
    return any(value != "_" for value in column)


def universal(relations: list[str]) -> list[str]:
    """Strip the subtypes: ``nsubj:pass`` becomes ``nsubj``."""
    return [relation.partition(":")[0] for relation in relations]
