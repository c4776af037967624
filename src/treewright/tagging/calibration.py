"""Honest probabilities of tags: for each column, the temperature under which the gold tags are most likely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.learning.calibration import SMALLEST, fit_temperature
from treewright.tagging.column_tagger import ColumnTagger, OwnTags
from treewright.tagging.tagger import Tagger
from treewright.threads import in_order
from treewright.treebank import Sentence

__all__ = ["tag_temperatures"]


def tag_temperatures(examples: Sequence[tuple[Tagger, Sentence]], threads: int | None = 1) -> dict[str, float]:
    """Fit the temperature of each column to gold tags of sentences, each with a tagger that has not learned from it.

    A column is judged word by word, given the gold tags of the columns before.

    Returns
    -------
    dict
        The temperature of each column that a tagger has.
    """
    columns: dict[str, list[tuple[ColumnTagger, OwnTags]]] = {}
    for tagger, sentence in examples:
        for column in tagger.columns:
            columns.setdefault(column.name, []).append((column, column.own_tags(sentence)))
    return {name: _fit(column, threads) for name, column in columns.items()}


def _fit(examples: Sequence[tuple[ColumnTagger, OwnTags]], threads: int | None) -> float:
    def loss(factor: float) -> float:
        def one(example: tuple[ColumnTagger, OwnTags]) -> float:
            column, words = example
            confidence = column.confidence_at(1 / factor, words)
            return -float(np.log(np.maximum(confidence, SMALLEST)).sum())

        return sum(in_order(one, examples, threads))

    return fit_temperature(loss)
