"""Jackknifing: tag a treebank with taggers that have not seen it.

A parser that will read predicted tags must be trained on predicted tags, errors included.  And how sure a tagger may be
shows only where it has not seen the sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats
from treewright.features.lexicon import WordClusters
from treewright.learning.calibration import sample_of
from treewright.learning.folds import in_folds
from treewright.tagging.calibration import tag_temperatures
from treewright.tagging.tagger import Tagger
from treewright.tagging.training import EPOCHS, train_tagger
from treewright.threads import in_order
from treewright.treebank import Sentence

__all__ = ["Jackknifed", "jackknife"]

#: Sentences that are enough to fit a temperature.
ENOUGH = 400


class Jackknifed(NamedTuple):
    """What taggers make of a treebank that they have not seen."""

    sentences: list[Sentence]  # in order, with predicted tags
    temperatures: dict[str, float]  # of each column, under which the gold tags are most likely
    confidence: list[Floats]  # the probability of each tag (UPOS) of each sentence, under these temperatures


def jackknife(
    sentences: Sequence[Sentence],
    *,
    clusters: WordClusters | None = None,
    folds: int = 10,
    epochs: int = EPOCHS,
    seed: int = 1,
    threads: int = 1,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Jackknifed:
    """Tag each sentence of a treebank by a tagger that has not seen it, and fit temperatures to the gold tags.

    For ``folds`` and ``threads`` see `treewright.learning.folds.in_folds`, and for the rest `train_tagger`.
    """

    def fit(others: list[int], report: Callable[[float], None]) -> Callable[[int], tuple[Tagger, Sentence]]:
        rest = [sentences[number] for number in others]
        tagger = train_tagger(rest, clusters=clusters, epochs=epochs, seed=seed, on_progress=report)
        return lambda number: (tagger, tagger.tag(sentences[number]))

    tagged = in_folds(fit, len(sentences), folds, threads, on_progress=on_progress)
    gold = [(tagger, sentence) for (tagger, _), sentence in zip(tagged, sentences, strict=True) if len(sentence)]
    temperatures = tag_temperatures(sample_of(gold, ENOUGH), threads)

    def confidence(one: tuple[Tagger, Sentence]) -> Floats:
        tagger, sentence = one
        return tagger.of_columns("upos").calibrated(temperatures).confidence(sentence).get("upos", np.ones(0))

    of_tags = list(in_order(confidence, tagged, threads))
    return Jackknifed([sentence for _, sentence in tagged], temperatures, of_tags)
