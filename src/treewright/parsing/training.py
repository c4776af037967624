"""What training a parser begins with and ends in, whichever trees it finds: predicted tags, and the best epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from treewright.features import Weights, WordClusters
from treewright.learning import Learner, Result, train
from treewright.learning.training import Examples
from treewright.parsing.parser import TreeParser
from treewright.parsing.progress import Reporter
from treewright.tagging import Tagger
from treewright.tagging.jackknife import Jackknifed, jackknife
from treewright.tagging.training import train_tagger
from treewright.treebank import Sentence

__all__ = ["learn_parser", "predict_tags"]

P = TypeVar("P", bound=TreeParser[Any])


def predict_tags(
    sentences: Sequence[Sentence],
    report: Reporter,
    *,
    clusters: WordClusters | None = None,
    folds: int,
    seed: int,
    threads: int,
) -> tuple[Tagger, Jackknifed]:
    """Train a tagger, and tag the treebank by taggers that have not seen it (jackknifing), which calibrate it."""
    tagger = train_tagger(
        sentences, clusters=clusters, seed=seed, on_progress=lambda share: report.stage("tagger", share)
    )
    jackknifed = jackknife(
        sentences,
        clusters=clusters,
        folds=folds,
        seed=seed,
        threads=threads,
        on_progress=lambda share: report.stage("jackknife", share),
    )
    return tagger.calibrated(jackknifed.temperatures), jackknifed


def learn_parser(
    problem: Examples,
    learner: Learner,
    make: Callable[[Weights], P],
    judge: Callable[[P], dict[str, float]],
    report: Reporter,
    *,
    epochs: int,
    patience: int,
    seed: int,
) -> tuple[P, Result]:
    """Learn weights, as `treewright.learning.train` does, and make a parser of those that are best on the dev set.

    ``make`` makes a parser with given weights, in the end of one byte each; ``judge`` scores it on the dev set, and the
    first score decides.  If Ctrl-C comes before the first epoch is done, there is no parser.
    """
    result = train(
        problem,
        learner,
        epochs=epochs,
        patience=patience,
        seed=seed,
        evaluate=lambda weights: judge(make(weights)),
        on_progress=report.progress,
        on_epoch=report.epoch,
    )
    if result.best is None:
        raise KeyboardInterrupt
    return make(Weights.compress(result.weights.values)), result
