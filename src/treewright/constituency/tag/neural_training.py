"""Training a constituent parser with a neural scorer: a treebank of trees in, a `ConstituentParser` out.

Needs PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from treewright.constituency.tag.calibration import tree_temperatures
from treewright.constituency.tag.material import Material, judge, simple_trees
from treewright.constituency.tag.neural import NeuralLinkPruner, NeuralTagScorer, to_dependencies
from treewright.constituency.tag.options import ConstituentOptions
from treewright.constituency.tag.parser import ConstituentParser
from treewright.dependency.network_training import (
    NetworkTraining,
    describe_loop,
    open_start,
    refuse_linear,
    refuse_without_torch,
)
from treewright.inference import Trees
from treewright.neural.network import Network
from treewright.neural.options import NetworkOptions
from treewright.neural.tagger import NeuralTagger
from treewright.neural.trained import TrainedNetwork
from treewright.parsing.description import describe_training
from treewright.parsing.progress import Reporter
from treewright.treebank import ConstituentTree, Sentence

__all__ = ["train_network_parser"]

#: What of the options of linear models holds for neural ones, too; all of these are first-order.
_SHARED = {"order", "rules", "levels", "empty", "beam", "longest", "calibrate", "epochs", "seed", "threads"}


def train_network_parser(
    treebank: Iterable[ConstituentTree],
    dev: Iterable[ConstituentTree],
    options: ConstituentOptions,
    network: NetworkOptions,
    info: dict[str, Any] | None,
    report: Reporter,
    folder: Path | None,
) -> ConstituentParser:
    """Train a network that scores spines and adjunctions, and predicts tags; see `train_constituents`."""
    refuse_without_torch()
    refuse_linear(options, _SHARED)
    options = replace(options, order="first", tags="gold")
    trees = simple_trees("training", treebank, options, options.longest)
    held_out = simple_trees("dev", dev, options, ConstituentParser.MAX_WORDS)
    whole = Material.of(trees, options, report)
    rest, aside = whole.split(trees) if options.calibrate != "none" else (whole, [])
    training = NetworkTraining(
        Trees(),
        _dependencies(Material.of(held_out, options, report)),
        network,
        open_start(network.encoder) if network.encoder else None,
        options.epochs,
        options.seed,
    )
    material = rest if options.calibrate == "aside" else whole
    trained, loop = training.run(_dependencies(material), folder and folder / "network.checkpoint", report)
    parser = _parser(trained, material, options)
    if aside and not loop.interrupted:
        report.stage("calibration", 0.0)
        other = parser
        if options.calibrate == "twice":
            of_rest, _ = training.run(_dependencies(rest), folder and folder / "calibration.checkpoint")
            other = _parser(of_rest, rest, options)
        parser.temperatures = tree_temperatures(other, aside)
        report.stage("calibration", 1.0)
    scores = judge(parser, held_out, options.threads)
    parser.info = describe_training(info, {**asdict(options), **asdict(network)}, whole.sentences, None, scores)
    parser.info |= describe_loop(loop)
    return parser


def _dependencies(material: Material) -> Sequence[Sentence]:
    pairs = zip(material.sentences, material.gold, strict=True)
    return [to_dependencies(sentence, material.automata, gold) for sentence, gold in pairs]


def _parser(trained: TrainedNetwork, material: Material, options: ConstituentOptions) -> ConstituentParser:
    """Make a parser of a network, whose numbers are rounded to bytes."""
    network = Network.quantized(trained.settings, trained.inputs, trained.parameters)
    scorer = NeuralTagScorer(network, material.automata)
    return ConstituentParser(scorer, NeuralLinkPruner.of(scorer, options.beam), NeuralTagger(network), {})
