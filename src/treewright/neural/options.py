"""How to train networks: the choices, with what each means.  Nothing here needs PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from treewright.options import Options, option

__all__ = ["EVALUATIONS", "DistillationOptions", "NetworkOptions", "PretrainingOptions"]

#: How often the dev set is scored during a training.
EVALUATIONS = 6

_DEVICE = "Where to train a network: cpu, cuda, or auto for a GPU if there is one."
_SECONDS = "How long to train a network, instead of a number of epochs."


@dataclass(frozen=True)
class PretrainingOptions(Options):
    """How to pre-train an encoder."""

    width: int = option(256, "The size of the vectors of words.", min=16)
    layers: int = option(6, "How many layers encode them.", min=1)
    heads: int = option(8, "How many heads attend in each layer.", min=1)
    epochs: float = option(20.0, "How often to go through the text.", min=0)
    seconds: float | None = option(None, _SECONDS, min=1)
    batch: int = option(512, "How many windows of 128 words to take in one step.", min=1)
    rate: float = option(2e-3, "The highest learning rate.", min=0)
    dropout: float = option(0.0, "The share of vectors that are dropped in training.", min=0, max=0.9)
    seed: int = option(1, "The seed of all random numbers; the same seed gives the same encoder.", min=0)
    device: str = option("auto", _DEVICE)


@dataclass(frozen=True)
class NetworkOptions(Options):
    """How to train a neural scorer."""

    encoder: str | None = option(
        None,
        "With --scorer neural: begin with this encoder of treewright pretrain, or with that of a neural model.",
        metavar="FILE",
    )
    width: int = option(256, "With --scorer neural and no encoder: the size of the vectors of words.", min=16)
    layers: int = option(6, "With --scorer neural and no encoder: how many layers encode them.", min=1)
    heads: int = option(8, "With --scorer neural and no encoder: how many heads attend in each layer.", min=1)
    loss: Literal["heads", "tree-crf", "hinge"] = option(
        "heads",
        "With --scorer neural: learn the head of each word by itself, the likelihood of whole trees, or a margin "
        "between the gold tree and all others.",
    )
    rate: float | None = option(
        None, "With --scorer neural: the highest learning rate.", min=0, shown="0.0005 with an encoder, else 0.001"
    )
    dropout: float | None = option(
        None,
        "With --scorer neural: the share of vectors that are dropped in training.",
        min=0,
        max=0.9,
        shown="0.15 with an encoder, else 0.2",
    )
    word_dropout: float = option(
        0.1, "With --scorer neural: the share of forms and attributes that are hidden in training.", min=0, max=0.9
    )
    batch_words: int = option(2000, "With --scorer neural: how many words to take in one step.", min=1)
    seconds: float | None = option(None, f"With --scorer neural: {_SECONDS[0].lower()}{_SECONDS[1:]}", min=1)
    device: str = option("auto", f"With --scorer neural: {_DEVICE[0].lower()}{_DEVICE[1:]}")

    @property
    def chosen_rate(self) -> float:
        """The learning rate; unless given, a lower one for an encoder that has learned already."""
        return self.rate if self.rate is not None else 1e-3 if self.encoder is None else 5e-4

    @property
    def chosen_dropout(self) -> float:
        """The dropout; unless given, a higher one where everything must be learned from the treebank."""
        return self.dropout if self.dropout is not None else 0.2 if self.encoder is None else 0.15


@dataclass(frozen=True)
class DistillationOptions(Options):
    """How a student learns from teachers."""

    epochs: float = option(1.0, "How often to go through the raw text.", min=0)
    seconds: float | None = option(None, _SECONDS, min=1)
    targets: Literal["heads", "marginals", "trees"] = option(
        "heads",
        "What of teachers' trees to learn: their distribution over the heads of each word; the marginals of their "
        "trees; or these, by the likelihood of whole trees.",
    )
    gold: int = option(3, "Take one batch of the treebank in this many; 0 takes none.", min=0)
    rate: float = option(8e-4, "The highest learning rate.", min=0)
    dropout: float = option(0.0, "The share of vectors that are dropped in training.", min=0, max=0.9)
    word_dropout: float = option(
        0.05, "The share of forms and attributes that the student does not see.", min=0, max=0.9
    )
    batch_words: int = option(8000, "How many words to take in one step.", min=1)
    longest: int = option(100, "Leave out sentences of more words than this.", min=2)
    seed: int = option(1, "The seed of all random numbers; the same seed gives the same student.", min=0)
    device: str = option("auto", _DEVICE)
