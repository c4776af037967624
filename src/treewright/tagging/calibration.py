"""Honest probabilities of tags: for each column, the temperature that predicts best which of its tags are right.

As for trees (`treewright.dependency.temperatures`), what counts is what is stated of the tags that are found.  Under
the temperature at which gold tags are most likely, taggers are too sure of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treewright.arrays import Mask
from treewright.learning.calibration import SMALLEST, fit_temperature
from treewright.tagging.column_tagger import ColumnTagger, OwnTags
from treewright.tagging.tagger import Tagger
from treewright.threads import in_order
from treewright.treebank import Sentence

__all__ = ["tag_temperatures"]


def tag_temperatures(examples: Sequence[tuple[Tagger, Sentence]], threads: int | None = 1) -> dict[str, float]:
    """Fit the temperature of each column to gold tags of sentences, each with a tagger that has not learned from it.

    The best tags of a column, given the gold tags of the columns before, are judged word by word.

    Returns
    -------
    dict
        The temperature of each column that a tagger has.
    """
    columns: dict[str, list[Judged]] = {}
    for tagger, sentence in examples:
        for column in tagger.columns:
            columns.setdefault(column.name, []).append(_judge(column, sentence))
    return {name: _fit(column, threads) for name, column in columns.items()}


class Judged(NamedTuple):
    """The best tags of a sentence, and which of them are right."""

    column: ColumnTagger
    tags: OwnTags
    is_right: Mask


def _judge(column: ColumnTagger, sentence: Sentence) -> Judged:
    best = column.tag(sentence)
    is_right = np.array([tag == gold for tag, gold in zip(best, getattr(sentence, column.name), strict=True)], bool)
    return Judged(column, column.own_tags(sentence.replace(**{column.name: best})), is_right)


def _fit(examples: Sequence[Judged], threads: int | None) -> float:
    def loss(factor: float) -> float:
        def one(judged: Judged) -> float:
            stated = judged.column.confidence_at(1 / factor, judged.tags)
            likelihood = np.where(judged.is_right, stated, 1 - stated)
            return -float(np.log(np.maximum(likelihood, SMALLEST)).sum())

        return sum(in_order(one, examples, threads))

    return fit_temperature(loss)
