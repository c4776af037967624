"""Jackknifing: tag a treebank with taggers that have not seen it.

A parser that will read predicted tags must be trained on predicted tags, errors included.  The treebank is cut into
folds, usually ten, and each fold is tagged by a tagger trained on the others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from treewright.errors import UsageError
from treewright.features.lexicon import WordClusters
from treewright.tagging.training import EPOCHS, train_tagger
from treewright.threads import in_order
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

    Consecutive sentences are in the same of the ``folds``, because they come from the same documents.  The result does
    not depend on ``threads``, of which each works on a fold (0 is one thread for each core).  The other arguments are
    those of `train_tagger`.
    """
    if not 2 <= folds <= len(sentences):
        raise UsageError(
            f"{folds} folds do not fit {len(sentences)} sentences; jackknifing needs at least 2 folds, and a sentence "
            "for each"
        )
    bounds = [len(sentences) * fold // folds for fold in range(folds + 1)]
    shares = [0.0] * folds
    reporting = threading.Lock()  # folds report from several threads, but the caller sees one report at a time

    def tag_fold(fold: int) -> list[Sentence]:
        begin, end = bounds[fold], bounds[fold + 1]
        rest = [*sentences[:begin], *sentences[end:]]

        def report(share: float) -> None:
            with reporting:
                shares[fold] = share
                on_progress(sum(shares) / folds)

        tagger = train_tagger(rest, clusters=clusters, epochs=epochs, seed=seed, on_progress=report)
        return [tagger.tag(sentence) for sentence in sentences[begin:end]]

    return [sentence for tagged in in_order(tag_fold, range(folds), threads, batch=1) for sentence in tagged]
