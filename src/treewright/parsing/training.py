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
from treewright.tagging.lemmas.training import has_lemmas, train_lemmatizer
from treewright.tagging.training import tagged_throughout, train_tagger
from treewright.treebank import Sentence

__all__ = ["learn_parser", "predict_tags"]

P = TypeVar("P", bound=TreeParser[Any])


def predict_tags(
    sentences: Sequence[Sentence],
    report: Reporter,
    *,
    silver: int = 0,
    lemmas: bool = True,
    clusters: WordClusters | None = None,
    bits: int | None = None,
    folds: int,
    seed: int,
    threads: int,
) -> tuple[Tagger, Jackknifed]:
    """Train a tagger, and tag the treebank by taggers that have not seen it (jackknifing), which calibrate it.

    The last sentences, ``silver`` of them, have tags that another model found.  Lemmas are learned from the others,
    with gold tags and with the tags of jackknifing, as these are like those to come.
    """
    tagger = train_tagger(
        sentences,
        clusters=clusters,
        bits=bits,
        seed=seed,
        lemmas=False,
        on_progress=lambda share: report.stage("tagger", share),
    )
    jackknifed = jackknife(
        sentences,
        silver=silver,
        clusters=clusters,
        bits=bits,
        folds=folds,
        seed=seed,
        threads=threads,
        on_progress=lambda share: report.stage("jackknife", share),
    )
    columns = tagger.calibrated(jackknifed.temperatures).columns
    lemmatizer, gold = None, sentences[: len(sentences) - silver]
    if lemmas and has_lemmas(gold):
        known = {id(one) for one in tagged_throughout(gold)}
        pairs = [pair for pair in zip(gold, jackknifed.sentences, strict=False) if id(pair[0]) in known]
        lemmatizer = train_lemmatizer(
            [own for own, _ in pairs],
            tagger.names,
            tagged=[tagged for _, tagged in pairs],
            clusters=clusters,
            seed=seed,
            on_progress=lambda share: report.stage("lemmas", share),
        )
    return Tagger(columns, lemmatizer), jackknifed


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
