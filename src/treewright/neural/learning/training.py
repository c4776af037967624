"""Training a network on a treebank, from an encoder that was pre-trained or from scratch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch
from torch import Tensor

from treewright.neural.learning.batches import Shuffled, Treebank
from treewright.neural.learning.judging import Judge
from treewright.neural.learning.loop import Loop, Plan, Status, choose_device
from treewright.neural.learning.losses import treebank_loss
from treewright.neural.learning.network import Network
from treewright.neural.options import NetworkOptions
from treewright.neural.settings import NetworkSettings
from treewright.neural.words import ROOT, UNKNOWN, WordInputs
from treewright.treebank import Sentence, projectivize

__all__ = ["hidden", "train_network"]


def hidden(rows: Tensor, unknown: Tensor, share: float) -> Tensor:
    """Hide, at random, forms of words, and attributes of all words of a sentence, by the rows of unknown ones."""
    if not share:
        return rows
    batch, size, attributes = rows.shape
    of_words = torch.rand(batch, size, 1, device=rows.device) < share
    of_sentences = torch.rand(batch, 1, attributes, device=rows.device) < share
    first = torch.arange(attributes, device=rows.device) == 0
    hide = torch.where(first, of_words, of_sentences) & (rows[..., :1] != ROOT)
    return torch.where(hide, unknown, rows)


def _projective(sentence: Sentence) -> Sentence:
    """Make a tree projective, so that it is among those that a loss is about."""
    if (sentence.heads < 0).any():
        return sentence
    return sentence.replace(heads=projectivize(sentence.heads))


def train_network(
    sentences: Sequence[Sentence],
    dev: Sequence[Sentence],
    settings: NetworkSettings,
    inputs: WordInputs,
    options: NetworkOptions,
    *,
    epochs: float = 30,
    seed: int = 1,
    projective: bool = True,
    single_root: bool = True,
    start: Mapping[str, Tensor] | None = None,
    checkpoint: Path | None = None,
    report: Callable[[Status], None] = lambda status: None,
) -> tuple[Network, Loop]:
    """Train a network on trees; return it, as it was best on the dev set, with the loop that trained it.

    Parameters
    ----------
    sentences, dev : sequence of Sentence
        Heads that are not known are -1.
    settings : NetworkSettings
    inputs : WordInputs
    options : NetworkOptions
    epochs, seed : float, int
    projective, single_root : bool
        Which trees there are.
    start : mapping of tensors, optional
        Parameters to begin with.
    checkpoint : Path, optional
        Where to keep checkpoints, and to go on from one.
    report : callable
    """
    device = choose_device(options.device)
    torch.manual_seed(seed)
    network = Network(settings, inputs.size)
    network.load(start or {})
    network.to(device).set_dropout(options.chosen_dropout)
    if projective and options.loss != "heads":
        sentences = [_projective(sentence) for sentence in sentences]
    treebank = Treebank(sentences, inputs, settings, device)
    order = Shuffled(treebank.lengths, options.batch_words, seed)
    plan = Plan(math.ceil(epochs * order.steps), options.chosen_rate, options.seconds, seed=seed)
    task = {"what": "training", "sentences": len(sentences), "epochs": epochs, "seed": seed, **asdict(options)}
    loop = Loop(network, plan, task, checkpoint=checkpoint, report=report)
    unknown = torch.from_numpy(inputs.special(UNKNOWN)).to(device)
    judge = Judge(network, dev, inputs, projective=projective, single_root=single_root)

    def loss(step: int) -> tuple[Tensor, int]:
        batch = treebank.batch(order.take(step))
        batch = replace(batch, rows=hidden(batch.rows, unknown, options.word_dropout))
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            found = treebank_loss(network, batch, options.loss, projective=projective, single_root=single_root)
        return found, batch.words.numel()

    loop.run(loss, judge)
    network.load(loop.best)
    network.eval()
    return network, loop
