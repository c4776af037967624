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
from treewright.tagging.training import EPOCHS, tagged_throughout, train_tagger
from treewright.threads import in_order
from treewright.treebank import Sentence

__all__ = ["Jackknifed", "jackknife"]

#: Sentences that are enough to fit a temperature.
ENOUGH = 400


class Jackknifed(NamedTuple):
    """What taggers make of a treebank that they have not seen."""

    sentences: list[Sentence]  # in order, with predicted tags; all else stays as it is
    temperatures: dict[str, float]  # of each column, that predicts best which of its tags are right
    confidence: list[Floats]  # the probability of each tag (UPOS) of each sentence, under these temperatures


def jackknife(
    sentences: Sequence[Sentence],
    *,
    silver: int = 0,
    clusters: WordClusters | None = None,
    bits: int | None = None,
    folds: int = 10,
    epochs: int = EPOCHS,
    seed: int = 1,
    threads: int = 1,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Jackknifed:
    """Tag each sentence of a treebank by a tagger that has not seen it, and fit temperatures to the gold tags.

    The tags of the last sentences, ``silver`` of them, are no gold: taggers learn from them, but no temperature is
    fitted to them.  For ``folds`` and ``threads`` see `treewright.learning.folds.in_folds`, and for the rest
    `train_tagger`.
    """

    def fit(others: list[int], report: Callable[[float], None]) -> Callable[[int], tuple[Tagger, Sentence]]:
        rest = [sentences[number] for number in others]
        tagger = train_tagger(
            rest, clusters=clusters, bits=bits, epochs=epochs, seed=seed, lemmas=False, on_progress=report
        )
        return lambda number: (tagger, tagger.tag(sentences[number]))

    first = len(sentences) - silver
    tagged = in_folds(fit, len(sentences), folds, threads, first=first, on_progress=on_progress)
    known = {id(one) for one in tagged_throughout(sentences[:first]) if len(one)}
    gold = [(tagger, one) for (tagger, _), one in zip(tagged, sentences[:first], strict=False) if id(one) in known]
    temperatures = tag_temperatures(sample_of(gold, ENOUGH), threads)

    def confidence(one: tuple[Tagger, Sentence]) -> Floats:
        tagger, sentence = one
        return tagger.of_columns("upos").calibrated(temperatures).confidence(sentence).get("upos", np.ones(0))

    of_tags = list(in_order(confidence, tagged, threads))
    return Jackknifed([sentence for _, sentence in tagged], temperatures, of_tags)
