"""What all trainings of parsers with networks share: where they begin, the training itself, and what it reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.errors import UsageError
from treewright.inference import Trees
from treewright.learning import Epoch, Progress
from treewright.model import Model
from treewright.neural.network import Network
from treewright.neural.options import EVALUATIONS, NetworkOptions
from treewright.neural.settings import NetworkSettings
from treewright.neural.trained import TrainedNetwork
from treewright.neural.words import WordInputs
from treewright.options import Options
from treewright.parsing.progress import Reporter
from treewright.treebank import Sentence

if TYPE_CHECKING:
    from treewright.neural.learning.loop import Loop, Status

__all__ = ["NetworkTraining", "count_forms", "describe_loop", "open_start", "refuse_linear", "refuse_without_torch"]


@dataclass(frozen=True)
class NetworkTraining:
    """Trains networks on trees of one kind: the network of a parser, and the one that calibrates it.

    Attributes
    ----------
    trees : Trees
        Which trees there are, and the parts that are scored.
    dev : sequence of Sentence
        Chooses the best state of a network.
    options : NetworkOptions
    start : TrainedNetwork or None
        What to begin with: the parameters that it has.
    epochs : float
    seed : int
    labelled : bool
    """

    trees: Trees
    dev: Sequence[Sentence]
    options: NetworkOptions
    start: TrainedNetwork | None
    epochs: float
    seed: int
    labelled: bool = True

    def run(
        self, sentences: Sequence[Sentence], checkpoint: Path | None, report: Reporter | None = None
    ) -> tuple[TrainedNetwork, Loop]:
        """Train a network on sentences."""
        import torch

        from treewright.neural.learning.training import train_network

        start, trees = self.start, self.trees
        sizes = start.settings if start else self.options
        settings = NetworkSettings.of(
            sentences,
            labelled=self.labelled,
            width=sizes.width,
            layers=sizes.layers,
            heads=sizes.heads,
            factorization=trees.factorization,
        )
        inputs = start.inputs if start else WordInputs.of(count_forms(sentences))
        trained, loop = train_network(
            sentences,
            self.dev,
            settings,
            inputs,
            self.options,
            epochs=self.epochs,
            seed=self.seed,
            projective=trees.projective,
            single_root=trees.single_root,
            start={name: torch.from_numpy(one) for name, one in start.parameters.items()} if start else None,
            checkpoint=checkpoint,
            report=_reporting(report or Reporter()),
        )
        arrays = {name: one.numpy() for name, one in trained.arrays().items()}
        return TrainedNetwork(settings, inputs, arrays), loop


def describe_loop(loop: Loop) -> dict[str, Any]:
    """Describe how far a training went: the evaluation, called an epoch, whose state was best, and the steps in all."""
    firsts = [next(iter(scores.values())) for scores in loop.history]
    best = firsts.index(max(firsts)) + 1 if firsts else 0
    return {"epoch": best, "steps": loop.optimizer.steps} | ({"interrupted": True} if loop.interrupted else {})


def open_start(model: str) -> TrainedNetwork:
    """Open what a training is to begin with: an encoder, or the encoder of a parser that scores by a network."""
    found = Model.open(model)
    network = getattr(getattr(found, "scorer", None), "network", None)
    if isinstance(network, Network):
        found = TrainedNetwork.of(network)
    if not isinstance(found, TrainedNetwork):
        raise UsageError(f"{model} has no encoder: make one with treewright pretrain, or take that of a neural parser")
    return found.encoder()


def count_forms(sentences: Iterable[Sentence]) -> Counter[str]:
    """Count the words of sentences."""
    return Counter(form for sentence in sentences for form in sentence.forms)


def refuse_without_torch() -> None:
    """Refuse to train where PyTorch is not installed."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise UsageError("training a network needs PyTorch: pip install treewright[torch]") from None


def refuse_linear(options: Options, shared: Collection[str]) -> None:
    """Refuse those options of linear models that networks do not share."""
    usual = type(options)()
    chosen = [name for name, value in vars(options).items() if value != getattr(usual, name)]
    refused = [f"--{name.replace('_', '-')}" for name in chosen if name not in shared]
    if refused:
        raise UsageError(f"a neural scorer has no {', '.join(refused)}: leave it out, or train with --scorer linear")


def _reporting(report: Reporter) -> Callable[[Status], None]:
    """Report the status of a training as a reporter hears of epochs: each ends with a score of the dev set."""
    number, best = 0, -1.0

    def tell(status: Status) -> None:
        nonlocal number, best
        if status.scores:
            number += 1
            first = next(iter(status.scores.values()))
            report.epoch(Epoch(number, status.loss, status.seconds, status.scores, first > best))
            best = max(best, first)
        else:
            done = int(1000 * (status.share * EVALUATIONS - number))
            report.progress(Progress(number + 1, EVALUATIONS, done, 1000, status.words_per_second, status.loss))

    return tell
