"""Training a parser: a treebank in, a `Parser` out."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

from treewright import __version__
from treewright.errors import UsageError
from treewright.evaluation import evaluate
from treewright.features import DependencyFeatures, Weights
from treewright.inference import Trees
from treewright.learning import Epoch, Learner, Mira, ParsingProblem, Perceptron, Progress, train
from treewright.parser import MAX_WORDS, Parser
from treewright.tagging import Tagger, jackknife, train_tagger
from treewright.treebank import Sentence, is_projective

__all__ = ["Reporter", "TrainingOptions", "train_parser"]


@dataclass(frozen=True)
class TrainingOptions:
    """How to train a parser.

    Attributes
    ----------
    trees : {"projective", "nonprojective"}
        Which trees are searched.
    roots : {"single", "multi"}
        Whether exactly one word is attached to the root.
    factorization : {"arc"}
        Which parts are scored.
    learner : {"mira", "perceptron"}
    C : float
        The largest step of MIRA.
    tags : {"predicted", "gold"}
        Whether the parser learns from the tags (and lemmas) of the treebank, for input that has such tags, or from
        those of its own tagger, by jackknifing, so that it can parse raw text.
    folds : int
        Folds of jackknifing.
    epochs, patience, seed : int
        See `treewright.learning.train`.
    threads : int
        How many to use, 0 for all cores; the result does not depend on it.
    """

    trees: Literal["projective", "nonprojective"] = "projective"
    roots: Literal["single", "multi"] = "single"
    factorization: str = "arc"
    learner: Literal["mira", "perceptron"] = "mira"
    C: float = 0.01
    tags: Literal["predicted", "gold"] = "predicted"
    folds: int = 10
    epochs: int = 10
    patience: int = 3
    seed: int = 1
    threads: int = 0


class Reporter(Protocol):
    """Told what training is doing; the command line shows it."""

    def stage(self, name: str, share: float) -> None:
        """Hear how far a stage has come, from 0 to 1."""

    def progress(self, progress: Progress) -> None:
        """Hear how far the training of the parser has come."""

    def epoch(self, epoch: Epoch) -> None:
        """Hear how an epoch went."""


class _Silent:
    def stage(self, name: str, share: float) -> None: ...

    def progress(self, progress: Progress) -> None: ...

    def epoch(self, epoch: Epoch) -> None: ...


def train_parser(
    treebank: Iterable[Sentence],
    dev: Iterable[Sentence],
    options: TrainingOptions | None = None,
    *,
    info: dict[str, Any] | None = None,
    report: Reporter | None = None,
) -> Parser:
    """Train a tagger and a parser on a treebank.

    Parameters
    ----------
    treebank, dev : iterable of Sentence
        The dev set chooses the best epoch; it is not learned from.  Only what is needed of them is kept.
    options : TrainingOptions, optional
    info : dict, optional
        What to note in the model: ``name``, ``language``, ``treebank``, ``licence``, ``attribution``.
    report : Reporter, optional

    Returns
    -------
    Parser
        That of the best epoch; Ctrl-C ends training early and keeps the best so far.

    Raises
    ------
    UsageError
        If the treebank cannot be learned from: empty, without trees, with sentences that are too long.
    KeyboardInterrupt
        If Ctrl-C comes before the first epoch is done.
    """
    options = options or TrainingOptions()
    report = report or _Silent()
    sentences, held_out = _checked("training", treebank), _checked("dev", dev)
    tagger: Tagger | None = None
    ignored: Collection[str] = ()
    if options.tags == "predicted":
        ignored = ("lemma",)
        threads = options.threads or os.cpu_count() or 1
        tagger = train_tagger(sentences, seed=options.seed, on_progress=lambda share: report.stage("tagger", share))
        sentences = jackknife(
            sentences,
            folds=options.folds,
            seed=options.seed,
            threads=threads,
            on_progress=lambda share: report.stage("jackknife", share),
        )
    trees = Trees(options.trees == "projective", options.roots == "single", options.factorization)
    features = DependencyFeatures.of(sentences, ignored=ignored)
    learner: Learner = Mira(options.C) if options.learner == "mira" else Perceptron()

    def dev_scores(weights: Weights) -> dict[str, float]:
        return _scores(Parser(features, weights, trees, tagger, {}), held_out, options.threads)

    result = train(
        ParsingProblem(sentences, features, trees),
        learner,
        epochs=options.epochs,
        patience=options.patience,
        seed=options.seed,
        evaluate=dev_scores,
        on_progress=report.progress,
        on_epoch=report.epoch,
    )
    if result.best is None:
        raise KeyboardInterrupt
    parser = Parser(features, Weights.compress(result.weights.values), trees, tagger, {})
    parser.info = {
        **(info or {}),
        "treewright": __version__,
        "options": {**asdict(options), "threads": None},
        "trained on": {"sentences": len(sentences), "words": sum(map(len, sentences))},
        "epoch": result.best.number,
        "dev": _scores(parser, held_out, options.threads),
    }
    return parser


def _scores(parser: Parser, dev: Sequence[Sentence], threads: int) -> dict[str, float]:
    """Parse the dev set and score it; LAS comes first, for it decides."""
    system = parser.parse_all(dev, keep_tags=parser.tagger is None, threads=threads)
    outcome = evaluate(dev, system)
    scores = {"LAS": outcome.las.f1, "UAS": outcome.uas.f1}
    if parser.tagger is not None:
        for features, _ in parser.tagger.columns:
            column = features.settings.column
            scores[column.upper()] = getattr(outcome, column).f1
    return {name: round(score, 4) for name, score in scores.items()}


def _checked(which: str, sentences: Iterable[Sentence]) -> list[Sentence]:
    """Drop what is empty; refuse what cannot be learned from."""
    kept = [_lean(sentence) for sentence in sentences if len(sentence)]
    if not kept:
        raise UsageError(f"the {which} treebank has no sentences")
    for number, sentence in enumerate(kept, 1):
        if (sentence.heads < 0).any():
            raise UsageError(f"sentence {number} of the {which} treebank has words without heads; complete it first")
        if len(sentence) > MAX_WORDS:
            raise UsageError(f"sentence {number} of the {which} treebank has {len(sentence):,} words; split it")
        try:
            is_projective(sentence.heads)
        except ValueError as error:
            raise UsageError(f"sentence {number} of the {which} treebank is not a tree: {error}") from None
    return kept


def _lean(sentence: Sentence) -> Sentence:
    """Keep of a sentence what is learned from, equal strings being one: a third of the memory."""
    learned = ("forms", "lemmas", "upos", "xpos", "feats", "deprels")
    columns = {name: tuple(map(sys.intern, getattr(sentence, name))) for name in learned}
    return Sentence.from_forms(columns.pop("forms"), heads=sentence.heads, **columns)
