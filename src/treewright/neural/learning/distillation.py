"""Distillation: a student learns what teachers make of raw text (Hinton et al. 2015; Kim & Rush 2016).

Teachers label each batch as it comes: the averages of their distributions over the heads of words, over the relations
of the likeliest heads, and over tags.  Now and then there is a batch of a treebank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from treewright.errors import UsageError
from treewright.neural.learning.batches import Shuffled, Treebank, padded
from treewright.neural.learning.corpus import Corpus
from treewright.neural.learning.judging import Judge
from treewright.neural.learning.loop import Loop, Plan, Status, choose_device
from treewright.neural.learning.losses import arc_logits, treebank_loss, trees_of
from treewright.neural.learning.network import Network
from treewright.neural.learning.training import hidden
from treewright.neural.options import DistillationOptions
from treewright.neural.words import UNKNOWN, WordInputs
from treewright.treebank import Sentence

__all__ = ["RawBatches", "Targets", "distil", "distillation_loss", "teach"]


@dataclass(frozen=True)
class Targets:
    """What teachers make of a batch.

    Attributes
    ----------
    heads : tensor, shape (batch, N, N)
        The distribution over the heads of each word, modifiers before heads.
    best : int64 tensor, shape (batch, N)
        The likeliest head of each word.
    labels : tensor, shape (batch, N, L), optional
        The distribution over the labels of the arc from it.
    columns : mapping of tensors, shape (batch, N, values)
    """

    heads: Tensor
    best: Tensor
    labels: Tensor | None
    columns: dict[str, Tensor]


@torch.no_grad()
def teach(teachers: Sequence[Network], rows: Sequence[Tensor], words: Tensor, targets: str = "heads") -> Targets:
    """Average the distributions of teachers; each has rows of its own.

    The first teacher says what there is to learn; a column of which another one knows other values, that one leaves to
    those that know the same.
    """
    outputs = [teacher(one, words) for teacher, one in zip(teachers, rows, strict=True)]
    pairs = list(zip(teachers, outputs, strict=True))
    if targets == "heads":
        heads = _mean([arc_logits(teacher, made, words).softmax(-1) for teacher, made in pairs])
    else:
        heads = _mean([trees_of(teacher, made, words).marginals.arc.mT for teacher, made in pairs])
    best = heads.argmax(-1)
    labels = None
    if teachers[0].settings.labels:
        labels = _mean([teacher.label_scores(made, best).softmax(-1) for teacher, made in pairs])
    columns = {
        name: _mean([made.columns[name].softmax(-1) for teacher, made in pairs if _knows(teacher, name, values)])
        for name, values in teachers[0].settings.columns.items()
    }
    return Targets(heads, best, labels, columns)


def distillation_loss(student: Network, rows: Tensor, words: Tensor, given: Targets, targets: str = "heads") -> Tensor:
    """Compute the cross-entropy of a student under its teachers, a mean over words."""
    outputs = student(rows, words)
    is_word = words.clone()
    is_word[:, 0] = False
    count = is_word.sum()
    if targets == "trees":
        trees = trees_of(student, outputs, words)
        expected = (given.heads.mT * trees.scores["arc"]).masked_fill(~is_word[:, None], 0.0).sum((1, 2))
        total = (trees.log_partition - expected).sum() / count
    else:
        total = _cross_entropy(arc_logits(student, outputs, words), given.heads, is_word) / count
    if given.labels is not None:
        total = total + _cross_entropy(student.label_scores(outputs, given.best), given.labels, is_word) / count
    for name, probabilities in given.columns.items():
        total = total + _cross_entropy(outputs.columns[name], probabilities, is_word) / count
    return total


class RawBatches:
    """The sentences of a corpus in batches, as networks with different inputs see them."""

    def __init__(
        self, corpus: Corpus, inputs: Sequence[WordInputs], options: DistillationOptions, device: torch.device
    ) -> None:
        starts, self._lengths = corpus.sentences(2, options.longest)
        if not len(starts):
            raise UsageError("the raw text has no sentences to learn from")
        self._starts = starts - 1  # where the mark of the start of a sentence is, which is read as the root
        self._stream = torch.from_numpy(corpus.stream).to(device)
        self._rows = [torch.from_numpy(corpus.rows(one)).to(device) for one in inputs]
        self._order = Shuffled(self._lengths, options.batch_words, options.seed)
        self.steps = self._order.steps  # of an epoch, about

    def take(self, step: int) -> tuple[list[Tensor], Tensor]:
        """Return the rows of the batch of a step, for each of the inputs, and which places hold words."""
        chosen = self._order.take(step)
        index, words = padded(self._starts[chosen], self._lengths[chosen] + 1, self._stream.device)
        types = self._stream[index].long()
        return [rows[types] for rows in self._rows], words


def distil(
    student: Network,
    inputs: WordInputs,
    teachers: Sequence[tuple[Network, WordInputs]],
    corpus: Corpus,
    options: DistillationOptions,
    *,
    treebank: Sequence[Sentence] = (),
    dev: Sequence[Sentence] = (),
    checkpoint: Path | None = None,
    report: Callable[[Status], None] = lambda status: None,
) -> Loop:
    """Train a student on raw text; it ends as it was best on the dev set.  Return the loop that trained it."""
    device = choose_device(options.device)
    student.to(device).set_dropout(options.dropout)
    networks = [teacher.to(device).eval() for teacher, _ in teachers]
    raw = RawBatches(corpus, [inputs, *(theirs for _, theirs in teachers)], options, device)
    gold = Treebank(treebank, inputs, student.settings, device) if treebank and options.gold else None
    order = Shuffled(gold.lengths, options.batch_words, options.seed) if gold else None
    every = options.gold if gold else 0
    steps = options.epochs * raw.steps * (every / (every - 1) if every > 1 else 1)
    plan = Plan(math.ceil(steps), options.rate, options.seconds, seed=options.seed)
    task = {"what": "distillation", "words": len(corpus), "sentences": len(treebank), **asdict(options)}
    loop = Loop(student, plan, task, checkpoint=checkpoint, report=report)
    unknown = torch.from_numpy(inputs.special(UNKNOWN)).to(device)

    def loss(step: int) -> tuple[Tensor, int]:
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            if gold and order and step % every == every - 1:
                batch = gold.batch(order.take(step // every))
                batch = replace(batch, rows=hidden(batch.rows, unknown, options.word_dropout))
                return treebank_loss(student, batch, "heads"), batch.words.numel()
            rows, words = raw.take(step - step // every if every else step)
            given = teach(networks, rows[1:], words, options.targets)
            own = hidden(rows[0], unknown, options.word_dropout)
            return distillation_loss(student, own, words, given, options.targets), words.numel()

    loop.run(loss, Judge(student, dev, inputs) if dev else None)
    student.load(loop.best)
    student.eval()
    return loop


def _cross_entropy(logits: Tensor, targets: Tensor, counted: Tensor) -> Tensor:
    """Sum the cross-entropies of distributions over the words that count."""
    return -(targets * logits.log_softmax(-1)).sum(-1).masked_fill(~counted, 0.0).sum()


def _knows(teacher: Network, column: str, values: Sequence[str]) -> bool:
    return list(teacher.settings.columns.get(column, ())) == list(values)


def _mean(some: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(some)).mean(0)
