"""Training a constituent parser: a treebank of trees in, a `ConstituentParser` out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from treewright.constituency.tag.calibration import tree_temperatures
from treewright.constituency.tag.material import Known, Material, judge, simple_trees
from treewright.constituency.tag.options import ConstituentOptions
from treewright.constituency.tag.parser import ConstituentParser
from treewright.constituency.tag.scorers import LinearTagScorer
from treewright.features import Weights
from treewright.learning import Perceptron, Progress, train
from treewright.neural.options import NetworkOptions
from treewright.parsing.description import describe_training
from treewright.parsing.mixture import UNIT, Mixture
from treewright.parsing.progress import Reporter
from treewright.parsing.trainer import HeldOutTrainer
from treewright.parsing.training import learn_parser
from treewright.tagging import Tagger
from treewright.treebank import ConstituentTree

__all__ = ["TagTrainer", "train_constituents"]


def train_constituents(
    treebank: Iterable[ConstituentTree],
    dev: Iterable[ConstituentTree],
    options: ConstituentOptions | None = None,
    *,
    tagger: Tagger | None = None,
    network: NetworkOptions | None = None,
    info: dict[str, Any] | None = None,
    report: Reporter | None = None,
    folder: Path | None = None,
) -> ConstituentParser:
    """Train a tagger, a pruner and a parser on a treebank of constituent trees; or a network that does it all.

    Parameters
    ----------
    treebank, dev : iterable of ConstituentTree
        Simplified first.  The dev set chooses the best epoch, and nothing else.
    options : ConstituentOptions, optional
    tagger : Tagger, optional
        The tagger to use in place of one learned from the trees, such as that of another model.  If it looks at word
        clusters, the parser has features of them, too.
    network : NetworkOptions, optional
        Train a network, which needs PyTorch.  What linear models alone have is refused among the other options.
    info : dict, optional
        What to note in the model: ``name``, ``language``, ``treebank``, ``licence``, ``attribution``.
    report : Reporter, optional
    folder : Path, optional
        Where checkpoints of networks are kept; training goes on from those that are there.

    Returns
    -------
    ConstituentParser
        That of the best epoch; Ctrl-C ends training early and keeps the best so far.

    Raises
    ------
    UsageError
        If the treebank cannot be learned from, or PyTorch is needed and not installed.
    KeyboardInterrupt
        If Ctrl-C comes before the first epoch is done.
    """
    options, report = options or ConstituentOptions(), report or Reporter()
    if network is not None:
        from treewright.constituency.tag.neural_training import train_network_parser

        return train_network_parser(treebank, dev, options, network, info, report, folder)
    trees, held_out = (
        simple_trees("training", treebank, options, options.longest),
        simple_trees("dev", dev, options, ConstituentParser.MAX_WORDS),
    )
    whole = Material.of(trees, options, report, tagger)
    material, aside = whole.split(trees) if options.calibrate == "aside" else (whole, [])
    pruner, pruners = material.pruners(options, report)
    problem = material.problem(pruners, options, report)
    parser, result = learn_parser(
        problem,
        Perceptron(),
        lambda weights: ConstituentParser(LinearTagScorer(problem.features, weights), pruner, material.tagger, {}),
        lambda parser: judge(parser, held_out, options.threads),
        report,
        epochs=options.epochs,
        patience=options.patience,
        seed=options.seed,
    )
    if options.calibrate == "twice" and result.best and not result.interrupted:
        parser.temperatures = _temperatures(*whole.split(trees), options, result.best.number, report)
    elif aside:
        parser.temperatures = tree_temperatures(parser, aside)
    dev_scores = judge(parser, held_out, options.threads)
    parser.info = describe_training(info, asdict(options), material.sentences, result, dev_scores)
    return parser


def _temperatures(
    material: Material, aside: Sequence[Known], options: ConstituentOptions, epochs: int, report: Reporter
) -> Mixture:
    """Train the same parser on a part of the treebank, and fit the temperatures on the rest of it."""
    if not aside:
        return UNIT
    pruner, pruners = material.pruners(options, Reporter())
    problem = material.problem(pruners, options, Reporter())

    def progress(progress: Progress) -> None:
        report.stage("calibration", progress.share)

    result = train(problem, Perceptron(), epochs=epochs, seed=options.seed, on_progress=progress)
    weights = Weights.compress(result.weights.values)
    return tree_temperatures(
        ConstituentParser(LinearTagScorer(problem.features, weights), pruner, material.tagger, {}), aside
    )


@dataclass(frozen=True)
class TagTrainer(HeldOutTrainer[ConstituentTree]):
    """Trains constituent parsers as `train_constituents` does."""

    options: ConstituentOptions = field(default_factory=ConstituentOptions)

    def fit(
        self, trees: Sequence[ConstituentTree], dev: Sequence[ConstituentTree], report: Reporter
    ) -> ConstituentParser:
        """Train a parser."""
        return train_constituents(trees, dev, self.options, report=report)
