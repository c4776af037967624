"""Honest probabilities of the tags of a network: for each column, the temperature that fits gold tags best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Floats, Heads
from treewright.learning.calibration import fit_temperature
from treewright.neural.columns import COLUMNS, TAGS, column_numbers
from treewright.neural.tagger import NeuralTagger
from treewright.treebank import Sentence

__all__ = ["tag_temperatures"]


def tag_temperatures(tagger: NeuralTagger, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Fit, for each column, the temperature under which the gold tags are most likely."""
    columns = {name: values for name, values in tagger.network.settings.columns.items() if name in TAGS}
    logits: dict[str, list[Floats]] = {name: [] for name in columns}
    gold: dict[str, list[Heads]] = {name: [] for name in columns}
    for sentence in sentences:
        found, numbers = tagger.network.encode(sentence.forms).columns, column_numbers(sentence, columns)
        for name in columns:
            logits[name].append(found[name].astype(np.float64))
            gold[name].append(numbers[name])
    return {COLUMNS[name]: _fit(np.concatenate(logits[name]), np.concatenate(gold[name])) for name in columns}


def _fit(logits: Floats, gold: Heads) -> float:
    known = gold >= 0
    logits, gold = logits[known], gold[known]

    def loss(factor: float) -> float:
        scaled = logits * factor
        return float((np.logaddexp.reduce(scaled, axis=1) - scaled[np.arange(len(gold)), gold]).sum())

    return fit_temperature(loss) if len(gold) else 1.0
