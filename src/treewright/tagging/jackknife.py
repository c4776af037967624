"""Jackknifing: tag a treebank with taggers that have not seen it.

A parser that will read predicted tags must be trained on predicted tags, errors included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treewright.features.lexicon import WordClusters
from treewright.learning.folds import in_folds
from treewright.tagging.training import EPOCHS, train_tagger
from treewright.treebank import Sentence

__all__ = ["jackknife"]


def jackknife(
    sentences: Sequence[Sentence],
    *,
    clusters: WordClusters | None = None,
    folds: int = 10,
    epochs: int = EPOCHS,
    seed: int = 1,
    threads: int = 1,
    on_progress: Callable[[float], None] = lambda share: None,
) -> list[Sentence]:
    """Return the sentences of a treebank, in order, each tagged by a tagger that has not seen it.

    For ``folds`` and ``threads`` see `treewright.learning.folds.in_folds`, and for the rest `train_tagger`.
    """

    def fit(others: list[int], report: Callable[[float], None]) -> Callable[[int], Sentence]:
        rest = [sentences[number] for number in others]
        tagger = train_tagger(rest, clusters=clusters, epochs=epochs, seed=seed, on_progress=report)
        return lambda number: tagger.tag(sentences[number])

    return in_folds(fit, len(sentences), folds, threads, on_progress=on_progress)
