"""Training a dependency parser: a treebank in, a `Parser` out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from treewright.dependency.calibration import log_product
from treewright.dependency.options import TrainingOptions
from treewright.dependency.parser import Parser
from treewright.dependency.partial import check_heads
from treewright.dependency.run import NEW_DOCUMENT, TrainingRun
from treewright.dependency.scores import dev_scores, raw_text_scores
from treewright.dependency.semi_supervised import check_raw_text
from treewright.dependency.temperatures import calibrate
from treewright.errors import UsageError
from treewright.execution import Executor, Keep
from treewright.features import LinearScorer, WordClusters
from treewright.features.hooks import check_hooks
from treewright.inference import Trees
from treewright.inference.bounds.non_local import NON_LOCAL, Proposer
from treewright.model import slim
from treewright.parsing.description import describe_training
from treewright.parsing.progress import Reporter
from treewright.parsing.trainer import HeldOutTrainer
from treewright.parsing.training import learn_parser, predict_tags
from treewright.tagging import Tagger
from treewright.tokenization import Tokenizer, train_tokenizer
from treewright.treebank import Sentence

__all__ = [
    "DependencyTrainer",
    "check_treebank",
    "learn_tokenizer",
    "refuse_several_roots",
    "train_parser",
]


def train_parser(
    treebank: Iterable[Sentence],
    dev: Iterable[Sentence],
    options: TrainingOptions | None = None,
    *,
    silver: Iterable[Sentence] = (),
    clusters: Mapping[str, str] | WordClusters | None = None,
    unlabeled: Iterable[Sentence] | None = None,
    info: dict[str, Any] | None = None,
    report: Reporter | None = None,
    executor: Executor | None = None,
    keep: Keep | None = None,
    hooks: Sequence[Proposer] = (),
) -> Parser:
    """Train a tagger and a parser on a treebank.

    Parameters
    ----------
    treebank, dev : iterable of Sentence
        The dev set chooses the best epoch, and nothing else.  Only what is needed of them is kept.  In the treebank,
        words may have no heads (-1): only the others are learned from (`treewright.dependency.partial`), though not by
        max-margin models, nor by exponentiated gradient.
    options : TrainingOptions, optional
    silver : iterable of Sentence, optional
        Trees that another, better model found in raw text: learned from like the treebank, but nothing is calibrated by
        them.
    clusters : mapping, optional
        The bit string of each word, such as `treewright.clustering.Clusters`, or those of another model: adds features
        of them, to the parser and to the tagger.
    unlabeled : iterable of Sentence, optional
        Raw text to learn from as well (`treewright.dependency.semi_supervised`), such as `treewright.treebank.RawText`:
        gone through once for each round.
    info : dict, optional
        What to note in the model: ``name``, ``language``, ``treebank``, ``licence``, ``attribution``.
    report : Reporter, optional
    executor : Executor, optional
        What to compute the gradients of batches, and what is expected of raw text, with, instead of threads; the result
        does not depend on it.
    keep : Keep, optional
        Where finished shards of raw text are kept, for another try after a crash.
    hooks : sequence of functions
        What proposes factors of one's own, with the names of features whose weights are learned
        (`treewright.features.hooks`); whoever opens the model file has to add the same ones to `Parser.hooks`.

    Returns
    -------
    Parser
        That of the best epoch; Ctrl-C ends training early and keeps the best so far.

    Raises
    ------
    UsageError
        If the treebank cannot be learned from: empty, without trees, with sentences that are too long; or if the raw
        text has no sentences.
    KeyboardInterrupt
        If Ctrl-C comes before the first epoch is done.
    """
    options, report = _settled(options or TrainingOptions(), unlabeled), report or Reporter()
    trees = _chosen_trees(options, hooks)
    treebank, dev = list(treebank), list(dev)
    is_partial = options.learner != "max-margin" and options.optimizer != "eg"
    gold, held_out = check_treebank("training", treebank, partial=is_partial), check_treebank("dev", dev)
    sentences = gold + check_treebank("silver", silver, partial=is_partial, may_be_empty=True)
    if options.learner not in ("mira", "perceptron"):
        refuse_several_roots(sentences, options, options.learner)
    known = WordClusters.of(clusters) if clusters else None
    tokenizer = learn_tokenizer(treebank, options, info, report)
    count = len(sentences) - len(gold)
    tagger, sentences, log_tags = _tagger(sentences, count, options, known, report)
    run = TrainingRun(sentences, held_out, trees, tagger, known, options, report, hooks, executor, log_tags, count)
    run, aside = run.split() if run.calibrate == "aside" else (run, None)
    features = run.with_models(run.features(), unlabeled, keep)
    pruner, allowed = run.prune(features)
    parser, result = learn_parser(
        run.problem(features, allowed),
        options.make_learner(executor),
        lambda weights: run.parser(LinearScorer(features, weights), pruner),
        lambda parser: dev_scores(parser, held_out, options.threads),
        report,
        epochs=options.most_epochs,
        patience=options.patience or (10 if options.is_batch else 3),
        seed=options.seed,
    )
    if run.calibrate in ("folds", "twice") and parser.has_probabilities and result.best and not result.interrupted:
        parser.calibration = run.calibration(features.generative, result.best.number)
    elif aside and aside.sentences and parser.has_probabilities:
        parser.calibration = calibrate(parser, aside.sentences, aside.log_tags, options.threads)
    parser.tokenizer = tokenizer
    if options.size is not None:
        parser = replace(slim(parser, options.size), hooks=parser.hooks)
    scores = dev_scores(parser, held_out, options.threads)
    parser.info = describe_training(info, asdict(options), run.sentences, result, scores, silver=run.silver)
    parser.info |= raw_text_scores(parser, dev, options.threads)
    return parser


@dataclass(frozen=True)
class DependencyTrainer(HeldOutTrainer[Sentence]):
    """Trains dependency parsers as `train_parser` does."""

    options: TrainingOptions = field(default_factory=TrainingOptions)

    def fit(self, trees: Sequence[Sentence], dev: Sequence[Sentence], report: Reporter) -> Parser:
        """Train a parser, without what only raw text needs."""
        options = replace(self.options, without=(*self.options.without, "tokenizer", "lemmas"))
        return train_parser(trees, dev, options, report=report)


def learn_tokenizer(
    treebank: Iterable[Sentence], options: TrainingOptions, info: Mapping[str, Any] | None, report: Reporter
) -> Tokenizer | None:
    """Learn how text is cut into sentences and words, for models of raw text, unless it is to be left out."""
    if options.tags == "gold" or "tokenizer" in options.without:
        return None
    language = str((info or {}).get("language", ""))
    return train_tokenizer(
        treebank,
        language=language,
        seed=options.seed,
        on_progress=lambda share: report.stage("tokenizer", share),
    )


def _settled(options: TrainingOptions, unlabeled: Iterable[Sentence] | None) -> TrainingOptions:
    """Fill in what options leave open; refuse raw text that cannot be gone through."""
    if unlabeled is not None:
        check_raw_text(unlabeled)
        if options.learner == "log-linear":
            options = replace(options, optimizer=options.optimizer or "l-bfgs")
    return replace(options, factorization=options.chosen_factorization)


def _chosen_trees(options: TrainingOptions, hooks: Sequence[Proposer]) -> Trees:
    """Make the trees that are searched; refuse what there is no algorithm for."""
    check_hooks(hooks, ())
    has_factors = bool(options.non_local or hooks)
    try:
        trees = Trees(options.trees == "projective", options.roots == "single", options.chosen_factorization)
    except NotImplementedError as error:
        raise UsageError(str(error)) from None
    if (trees.is_hard or has_factors) and options.learner not in ("mira", "perceptron"):
        raise UsageError(
            f"a {options.learner} model needs marginals, which there are not with non-local features or hooks, nor "
            "with non-projective trees under more than arcs: choose --learner mira or perceptron"
        )
    if trees.is_hard and has_factors:
        raise UsageError(
            "non-local features and hooks need a backbone: choose --trees projective, or --factorization arc"
        )
    if options.at_most_one and (not options.labels or options.learner not in ("mira", "perceptron")):
        raise UsageError("--at-most-one is a rule about relations for --learner mira or perceptron, and needs both")
    if options.trees != "projective" and set(options.stages) != {"arc"}:
        raise UsageError("the stages of a cascade need marginals: for non-projective trees, choose --cascade arc")
    for kind in options.non_local:
        if kind not in NON_LOCAL:
            raise UsageError(f"there are no non-local features {kind!r}; there are {', '.join(NON_LOCAL)}")
    return trees


def _tagger(
    sentences: list[Sentence],
    silver: int,
    options: TrainingOptions,
    clusters: WordClusters | None,
    report: Reporter,
) -> tuple[Tagger | None, list[Sentence], list[float]]:
    """Train a tagger, if tags are to be predicted; return it, tags to learn from, and their log-probabilities."""
    if options.tags != "predicted":
        return None, sentences, []
    folds, seed, threads = options.folds, options.seed, options.threads
    tagger, found = predict_tags(
        sentences,
        report,
        silver=silver,
        lemmas="lemmas" not in options.without,
        clusters=clusters,
        bits=options.bits,
        folds=folds,
        seed=seed,
        threads=threads,
    )
    return tagger, found.sentences, [log_product(confidence) for confidence in found.confidence]


def refuse_several_roots(sentences: Sequence[Sentence], options: TrainingOptions, kind: str) -> None:
    """Refuse gold trees that a distribution gives no probability to: with several roots where there is to be one."""
    for number, sentence in enumerate(sentences, 1):
        if options.roots == "single" and np.count_nonzero(sentence.heads == 0) > 1:
            raise UsageError(
                f"sentence {number} of the training treebank has several roots, which a {kind} model of "
                "single-root trees cannot learn: train with --roots multi"
            )


def check_treebank(
    which: str, sentences: Iterable[Sentence], *, partial: bool = False, may_be_empty: bool = False
) -> list[Sentence]:
    """Drop what is empty; refuse what cannot be learned from: words without heads, too, unless trees may be partial."""
    kept = [_lean(sentence) for sentence in sentences if len(sentence)]
    if not kept and not may_be_empty:
        raise UsageError(f"the {which} treebank has no sentences")
    for number, sentence in enumerate(kept, 1):
        if (sentence.heads < 0).any() and not partial:
            raise UsageError(f"sentence {number} of the {which} treebank has words without heads; complete it first")
        if len(sentence) > Parser.MAX_WORDS:
            raise UsageError(f"sentence {number} of the {which} treebank has {len(sentence):,} words; split it")
        try:
            check_heads(sentence)
        except ValueError as error:
            raise UsageError(f"sentence {number} of the {which} treebank is not a tree: {error}") from None
    if kept and not any((sentence.heads >= 0).any() for sentence in kept):
        raise UsageError(f"no word of the {which} treebank has a head")
    return kept


def _lean(sentence: Sentence) -> Sentence:
    """Keep of a sentence what is learned from, equal strings being one: a third of the memory."""
    learned = ("forms", "lemmas", "upos", "xpos", "feats", "deprels")
    columns = {name: tuple(map(sys.intern, getattr(sentence, name))) for name in learned}
    comments = [comment for comment in sentence.comments if comment.startswith(NEW_DOCUMENT)]
    return Sentence.from_forms(columns.pop("forms"), heads=sentence.heads, comments=comments, **columns)
