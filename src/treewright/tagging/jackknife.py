"""Jackknifing: tag a treebank with taggers that have not seen it.

A parser that is to read predicted tags must be trained on predicted tags, mistakes and all.  The treebank is cut into
folds, and each fold is tagged by a tagger trained on the others (as in all the papers here; 10 folds).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from treewright.errors import UsageError
from treewright.features.lexicon import WordClusters
from treewright.tagging.tagger import EPOCHS, train_tagger
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
    """Replace the tags of a treebank by predicted ones.

    Parameters
    ----------
    sentences : sequence of Sentence
        With gold tags.
    clusters : WordClusters, optional
        See `treewright.tagging.train_tagger`.
    folds : int
        How many parts to cut the treebank into; consecutive sentences stay together, as they
        come from the same documents.
    epochs, seed : int
        See `treewright.tagging.train_tagger`.
    threads : int
        How many folds to work on at a time; the result does not depend on it.
    on_progress : function of float
        Called with the share of the work done.

    Returns
    -------
    list of Sentence
        The same sentences, in order, with the tags of taggers that did not see them.
    """
    if not 2 <= folds <= len(sentences):
        raise UsageError(
            f"jackknifing needs at least two folds and no more than sentences: "
            f"{folds} folds do not fit {len(sentences)} sentences"
        )
    bounds = [len(sentences) * fold // folds for fold in range(folds + 1)]
    shares = [0.0] * folds
    reporting = threading.Lock()  # folds report from threads of their own, and the caller need not know

    def tag_fold(fold: int) -> list[Sentence]:
        begin, end = bounds[fold], bounds[fold + 1]
        rest = [*sentences[:begin], *sentences[end:]]

        def report(share: float) -> None:
            with reporting:
                shares[fold] = share
                on_progress(sum(shares) / folds)

        tagger = train_tagger(rest, clusters=clusters, epochs=epochs, seed=seed, on_progress=report)
        return [tagger.tag(sentence) for sentence in sentences[begin:end]]

    with ThreadPoolExecutor(threads) as pool:
        return [sentence for tagged in pool.map(tag_fold, range(folds)) for sentence in tagged]
