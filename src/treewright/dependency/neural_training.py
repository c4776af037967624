"""Training a dependency parser with a neural scorer: a treebank in, a `Parser` out.  Needs PyTorch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from treewright.dependency.network_training import (
    NetworkTraining,
    count_forms,
    describe_loop,
    open_start,
    refuse_linear,
    refuse_without_torch,
)
from treewright.dependency.options import BEAM, TrainingOptions
from treewright.dependency.parser import Parser
from treewright.dependency.pruning import Cascade, Stage
from treewright.dependency.run import document_starts
from treewright.dependency.scores import dev_scores, raw_text_scores
from treewright.dependency.temperatures import calibrate
from treewright.dependency.training import check_treebank, learn_tokenizer, refuse_several_roots
from treewright.errors import UsageError
from treewright.inference import Trees
from treewright.learning.folds import set_aside
from treewright.neural.calibration import tag_temperatures
from treewright.neural.network import Network
from treewright.neural.options import NetworkOptions, PretrainingOptions
from treewright.neural.scorer import NeuralScorer
from treewright.neural.tagger import NeuralTagger
from treewright.neural.trained import TrainedNetwork
from treewright.neural.words import WordInputs
from treewright.parsing.description import describe_training
from treewright.parsing.progress import Reporter
from treewright.treebank import Sentence

__all__ = ["calibrate_neural", "neural_parser", "set_apart", "train_neural_parser"]

#: What of the options of linear models holds for neural ones, too.
_SHARED = {
    *("trees", "roots", "factorization", "labels", "without", "calibrate"),
    *("epochs", "seed", "threads", "beam", "max_heads"),
}

#: How often to go through a treebank, and through raw text, unless told.
_EPOCHS, _RAW_EPOCHS = 30, 10.0


def train_neural_parser(
    treebank: Iterable[Sentence],
    dev: Iterable[Sentence],
    options: TrainingOptions | None = None,
    network: NetworkOptions | None = None,
    *,
    unlabeled: Iterable[Sentence] | None = None,
    info: dict[str, Any] | None = None,
    report: Reporter | None = None,
    folder: Path | None = None,
) -> Parser:
    """Train a network that scores trees and predicts tags and lemmas.

    Parameters
    ----------
    treebank, dev : iterable of Sentence
        In the treebank, words may have no heads (-1): with a loss of heads or of trees, these are not learned.
    options : TrainingOptions, optional
        Of these, what linear models alone have is refused.
    network : NetworkOptions, optional
    unlabeled : iterable of Sentence, optional
        Raw text to pre-train the encoder on.
    info : dict, optional
        What to note in the model: ``name``, ``language``, ``treebank``, ``licence``, ``attribution``.
    report : Reporter, optional
    folder : Path, optional
        Where checkpoints are kept; training goes on from those that are there.

    Returns
    -------
    Parser
        That with the best dev LAS; Ctrl-C ends training early and keeps the best so far.

    Raises
    ------
    UsageError
        If PyTorch is not installed, or the treebank cannot be learned from.
    """
    options, network, report = options or TrainingOptions(), network or NetworkOptions(), report or Reporter()
    refuse_without_torch()
    refuse_linear(options, _SHARED)
    if kept := ", ".join({*options.without} - {"tokenizer"}):
        raise UsageError(f"a neural scorer learns everything at once: it cannot do without {kept}")
    if options.calibrate in ("folds", "aside"):
        raise UsageError(f"a network is calibrated twice or not at all, not {options.calibrate}")
    treebank, dev = list(treebank), list(dev)
    sentences = check_treebank("training", treebank, partial=network.loss != "hinge")
    held_out = check_treebank("dev", dev)
    trees = _search_space(options, network)
    if network.loss == "tree-crf":
        refuse_several_roots(sentences, options, network.loss)
    start = open_start(network.encoder) if network.encoder else None
    if unlabeled is not None:
        start = _pretrained(unlabeled, sentences, options, network, folder, report)
        network = replace(network, encoder="")
    tokenizer = learn_tokenizer(treebank, options, info, report)
    epochs = options.epochs or _EPOCHS
    training = NetworkTraining(trees, held_out, network, start, epochs, options.seed, options.labels)
    trained, loop = training.run(sentences, folder and folder / "network.checkpoint", report)
    parser = neural_parser(trained, trees, options)
    if options.calibrate != "none" and not loop.interrupted and parser.has_probabilities:
        rest, aside = set_apart(sentences)
        if aside:
            report.stage("calibration", 0.0)
            other, _ = training.run(rest, folder and folder / "calibration.checkpoint")
            calibrate_neural(parser, neural_parser(other, trees, options), aside, options.threads)
            report.stage("calibration", 1.0)
    parser.tokenizer = tokenizer
    scores = dev_scores(parser, held_out, options.threads)
    parser.info = describe_training(info, {**asdict(options), **asdict(network)}, sentences, None, scores)
    parser.info |= describe_loop(loop) | raw_text_scores(parser, dev, options.threads)
    return parser


def neural_parser(trained: TrainedNetwork, trees: Trees, options: TrainingOptions | None = None) -> Parser:
    """Make a parser of a network, whose numbers are rounded to bytes; behind a pruner, if it scores more than arcs."""
    if trained.is_encoder:
        raise UsageError("an encoder scores no trees: train a parser with treewright train --scorer neural --encoder")
    network = Network.quantized(trained.settings, trained.inputs, trained.parameters)
    tagger = NeuralTagger(network) if trained.settings.columns else None
    chosen, pruner = options or TrainingOptions(), None
    if trained.settings.factorization != "arc":
        first = Trees(trees.projective, trees.single_root)
        beam = BEAM if chosen.beam is None else chosen.beam
        pruner = Cascade([Stage(NeuralScorer(network, arcs_only=True), first, beam, chosen.max_heads)])
    return Parser(NeuralScorer(network), trees, tagger, dict(trained.info), pruner)


def calibrate_neural(parser: Parser, other: Parser, aside: Sequence[Sentence], threads: int = 0) -> None:
    """Give a parser the temperatures, of trees and of tags, that fit a like one to what it has not learned from."""
    parser.calibration = calibrate(other, aside, threads=threads)
    if isinstance(parser.tagger, NeuralTagger) and isinstance(other.tagger, NeuralTagger):
        parser.tagger = parser.tagger.calibrated(tag_temperatures(other.tagger, aside))


def _search_space(options: TrainingOptions, network: NetworkOptions) -> Trees:
    """Return which trees there are, and refuse a loss that cannot be about them."""
    factorization = options.factorization or "arc"
    if factorization != "arc" and network.loss == "heads":
        raise UsageError(
            f"the heads of single words say nothing about {factorization} parts: choose --loss tree-crf or hinge"
        )
    try:
        trees = Trees(options.trees == "projective", options.roots == "single", factorization)
    except NotImplementedError as error:
        raise UsageError(str(error)) from None
    if trees.is_hard and network.loss == "tree-crf":
        raise UsageError("the likelihood of these trees is intractable: choose --loss hinge")
    return trees


def _pretrained(
    unlabeled: Iterable[Sentence],
    sentences: Sequence[Sentence],
    options: TrainingOptions,
    network: NetworkOptions,
    folder: Path | None,
    report: Reporter,
) -> TrainedNetwork:
    """Train an encoder on raw text; words of the treebank count five times."""
    from treewright.neural.learning.corpus import Corpus
    from treewright.neural.learning.pretraining import pretrain

    corpus = Corpus.of(sentence.forms for sentence in unlabeled)
    counts = Counter(corpus.counts())
    for form, count in count_forms(sentences).items():
        counts[form] += 5 * count
    inputs = WordInputs.of(counts)
    chosen = PretrainingOptions(
        width=network.width,
        layers=network.layers,
        heads=network.heads,
        epochs=_RAW_EPOCHS,
        batch=64,
        seed=options.seed,
        device=network.device,
    )
    encoder, _ = pretrain(
        corpus,
        inputs,
        chosen,
        checkpoint=folder and folder / "encoder.checkpoint",
        report=lambda status: report.stage("raw text", status.share),
    )
    arrays = {name: one.numpy() for name, one in encoder.arrays().items()}
    return TrainedNetwork(encoder.settings, inputs, arrays)


def set_apart(sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Set sentences with complete trees aside to calibrate on: return the others, and these."""
    aside = {*set_aside(len(sentences), starts=document_starts(sentences))}
    rest = [sentence for number, sentence in enumerate(sentences) if number not in aside]
    return rest, [sentences[number] for number in sorted(aside) if (sentences[number].heads >= 0).all()]
