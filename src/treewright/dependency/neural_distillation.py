"""Distillation of parsers: teachers in, with raw text, a smaller and faster student out.  Needs PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.dependency.network_training import describe_loop, refuse_without_torch
from treewright.dependency.neural_training import neural_parser
from treewright.dependency.parser import Parser
from treewright.dependency.scores import dev_scores
from treewright.dependency.training import check_treebank
from treewright.errors import UsageError
from treewright.inference import Trees
from treewright.model.base import Model
from treewright.neural.options import DistillationOptions
from treewright.neural.quantization import widen
from treewright.neural.scorer import NeuralScorer
from treewright.neural.settings import NetworkSettings
from treewright.neural.trained import TrainedNetwork
from treewright.parsing.description import describe_training
from treewright.treebank import Sentence

if TYPE_CHECKING:
    from treewright.neural.learning.loop import Status
    from treewright.neural.learning.network import Network

__all__ = ["distil_parser", "network_of"]


def network_of(path: str) -> TrainedNetwork:
    """Open the network of a neural parser, or one that is in a file by itself."""
    model = Model.open(path)
    if isinstance(model, TrainedNetwork) and not model.is_encoder:
        return model
    if isinstance(model, Parser) and isinstance(model.scorer, NeuralScorer):
        network = model.scorer.network
        return TrainedNetwork(network.settings, network.inputs, widen(network.arrays))
    raise UsageError(f"{path} has no network that scores trees: train one with treewright train --scorer neural")


def distil_parser(
    teachers: Sequence[TrainedNetwork],
    encoder: TrainedNetwork,
    raw: Iterable[Sentence],
    dev: Iterable[Sentence],
    options: DistillationOptions | None = None,
    *,
    treebank: Iterable[Sentence] | None = None,
    info: dict[str, Any] | None = None,
    report: Callable[[Status], None] = lambda status: None,
    folder: Path | None = None,
) -> Parser:
    """Train a student on what teachers make of raw text.

    Parameters
    ----------
    teachers : sequence of TrainedNetwork
        All with the same relations; their distributions are averaged.  The first one says which values columns have;
        where another one knows other values of a column, such as scripts of lemmas, it does not teach that column.
    encoder : TrainedNetwork
        What the student begins with; its size is the size of the student.
    raw : iterable of Sentence
    dev : iterable of Sentence
        The dev set chooses when the student was best.
    options : DistillationOptions, optional
    treebank : iterable of Sentence, optional
        Trees that the student learns from directly, now and then.
    info : dict, optional
        What to note in the model.
    report : callable
        Called with a `treewright.neural.learning.loop.Status` now and then.
    folder : Path, optional
        Where checkpoints are kept; training goes on from one that is there.
    """
    refuse_without_torch()
    from treewright.neural.learning.corpus import Corpus
    from treewright.neural.learning.distillation import distil

    options = options or DistillationOptions()
    settings = _settings(teachers, encoder)
    held_out = check_treebank("dev", dev)
    gold = [] if treebank is None else check_treebank("training", treebank, partial=True)
    student = _tensors(settings, encoder, options.seed)
    taught = [(_tensors(one.settings, one), one.inputs) for one in teachers]
    loop = distil(
        student,
        encoder.inputs,
        taught,
        Corpus.of(sentence.forms for sentence in raw),
        options,
        treebank=gold,
        dev=held_out,
        checkpoint=folder and folder / "student.checkpoint",
        report=report,
    )
    arrays = {name: one.numpy() for name, one in student.arrays().items()}
    parser = neural_parser(TrainedNetwork(settings, encoder.inputs, arrays), Trees())
    parser.info = describe_training(info, asdict(options), gold, None, dev_scores(parser, held_out, 0))
    parser.info |= describe_loop(loop)
    return parser


def _settings(teachers: Sequence[TrainedNetwork], encoder: TrainedNetwork) -> NetworkSettings:
    """Choose the settings of the student: what teachers predict, at the size of the encoder."""
    first, size = teachers[0].settings, encoder.settings
    for other in teachers:
        if list(other.settings.labels) != list(first.labels):
            raise UsageError("the teachers predict different relations: train them on the same treebank")
    return NetworkSettings(
        width=size.width,
        layers=size.layers,
        heads=size.heads,
        forward=size.forward,
        base=size.base,
        labels=first.labels,
        columns=first.columns,
    )


def _tensors(settings: NetworkSettings, given: TrainedNetwork, seed: int = 0) -> Network:
    """Make a network in PyTorch with those parameters that are given, the others at random."""
    import torch

    from treewright.neural.learning.network import Network

    torch.manual_seed(seed)
    network = Network(settings, given.inputs.size)
    network.load({name: torch.from_numpy(one) for name, one in given.parameters_for(settings).items()})
    return network
