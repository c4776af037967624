"""Pre-training an encoder on raw text: words are masked, and the encoder learns to tell which they were.

A quarter of the words are chosen (Devlin et al. 2019, with other shares): most are masked in all attributes, some are
replaced by other words, some stay.  The forms of some other words are made unknown, so that the encoder learns to read
words it does not know by their endings and shapes.  The vectors by which forms are guessed are those by which they are
read.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from treewright.errors import UsageError
from treewright.neural.learning.corpus import WINDOW, Corpus
from treewright.neural.learning.loop import Loop, Plan, Status, choose_device, compile_layers
from treewright.neural.learning.network import Encoder
from treewright.neural.options import PretrainingOptions
from treewright.neural.parameters import Shape
from treewright.neural.settings import NetworkSettings
from treewright.neural.words import MASK, ROOT, UNKNOWN, WordInputs

__all__ = ["MaskedWords", "masked", "pretrain"]

#: The share of words that are chosen; and of these, those masked, and those masked or replaced.
_CHOSEN, _MASKED, _CHANGED = 0.25, 0.85, 0.90

#: The share of all words whose form is made unknown.
_UNKNOWN = 0.03

#: What is not guessed.
_IGNORED = -100


class MaskedWords(Encoder):
    """An encoder that guesses masked words."""

    output_bias: Tensor

    def __init__(self, settings: NetworkSettings, inputs: WordInputs) -> None:
        self._forms = min(-(-inputs.forms.stop // 64) * 64, inputs.size)  # a size that matrix products like
        super().__init__(settings, inputs.size)

    def shapes(self, rows: int) -> dict[str, Shape]:
        """Return the table of parameters."""
        return super().shapes(rows) | {"output_bias": (self._forms,)}

    def loss(self, rows: Tensor, places: Tensor, targets: Tensor) -> Tensor:
        """Compute the cross-entropy of the forms, shape (batch, k), that were at some places."""
        x = self.encode(rows)
        chosen = x.gather(1, places[..., None].expand(-1, -1, x.shape[-1]))
        logits = chosen.flatten(0, 1) @ self.words[: self._forms].mT + self.output_bias
        return F.cross_entropy(logits.float(), targets.flatten(), ignore_index=_IGNORED)


def masked(rows: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Hide words of windows, at random.

    Parameters
    ----------
    rows : int tensor, shape (batch, N, attributes)
    mask : int tensor, shape (attributes,)
        The rows of a masked word.

    Returns
    -------
    rows : int tensor
        The rows that the encoder reads.
    places : int64 tensor, shape (batch, k)
        Which words were chosen.
    targets : int64 tensor, shape (batch, k)
        The row of the form of each; -100 where it has none of its own.
    """
    batch, size, attributes = rows.shape
    k = max(round(_CHOSEN * size), 1)
    is_word = rows[..., 0] != ROOT
    ranks = torch.rand(batch, size, device=rows.device).masked_fill(~is_word, -1.0)
    places = ranks.topk(k).indices
    index = places[..., None].expand(-1, -1, attributes)
    own = rows.gather(1, index)
    targets = own[..., 0].long()
    targets = targets.masked_fill((targets == ROOT) | (targets == UNKNOWN), _IGNORED)
    fate = torch.rand(batch, k, 1, device=rows.device).masked_fill(own[..., :1] == ROOT, 1.0)
    others = own.flatten(0, 1)[torch.randint(batch * k, (batch, k), device=rows.device)]
    seen = torch.where(fate < _MASKED, mask, torch.where(fate < _CHANGED, others, own))
    unknown = (torch.rand(batch, size, device=rows.device) < _UNKNOWN) & is_word
    shown = torch.cat([rows[..., :1].masked_fill(unknown[..., None], UNKNOWN), rows[..., 1:]], -1)
    return shown.scatter(1, index, seen), places, targets


class _Windows:
    """The windows of a corpus, in another order and cut at other places in each epoch."""

    def __init__(self, corpus: Corpus, inputs: WordInputs, batch: int, seed: int, device: torch.device) -> None:
        self._stream = torch.from_numpy(corpus.stream).to(device)
        self._rows = torch.from_numpy(corpus.rows(inputs)).to(device)
        self._count = len(corpus.stream) // WINDOW - 1
        if self._count < 1:
            raise UsageError(f"there is too little raw text: {len(corpus):,} words; {2 * WINDOW} are the least")
        self._batch, self._seed = min(batch, self._count), seed
        self.steps = self._count // self._batch  # of an epoch
        self._epoch = -1

    def take(self, step: int) -> Tensor:
        """Return the rows of the windows of a step, shape (batch, N, attributes)."""
        epoch, place = divmod(step, self.steps)
        if epoch != self._epoch:
            random = np.random.default_rng([self._seed, epoch])
            self._offset = int(random.integers(WINDOW))
            self._order = torch.from_numpy(random.permutation(self._count)).to(self._stream.device)
            self._epoch = epoch
        chosen = self._order[place * self._batch : (place + 1) * self._batch]
        windows = self._stream[self._offset : self._offset + self._count * WINDOW].view(-1, WINDOW)
        return self._rows[windows[chosen].long()]


def pretrain(
    corpus: Corpus,
    inputs: WordInputs,
    options: PretrainingOptions,
    *,
    checkpoint: Path | None = None,
    report: Callable[[Status], None] = lambda status: None,
) -> tuple[MaskedWords, Loop]:
    """Train an encoder on raw text; return it with the loop that trained it."""
    device = choose_device(options.device)
    settings = NetworkSettings(width=options.width, layers=options.layers, heads=options.heads)
    torch.manual_seed(options.seed)
    network = MaskedWords(settings, inputs).to(device)
    network.set_dropout(options.dropout)
    if device.type == "cuda":
        compile_layers(network)
    windows = _Windows(corpus, inputs, options.batch, options.seed, device)
    plan = Plan(math.ceil(options.epochs * windows.steps), options.rate, options.seconds, seed=options.seed)
    task = {"what": "pretraining", "words": len(corpus), "rows": inputs.size, **asdict(options)}
    loop = Loop(network, plan, task, checkpoint=checkpoint, report=report)
    mask = torch.from_numpy(inputs.special(MASK)).to(device)

    def loss(step: int) -> tuple[Tensor, int]:
        rows, places, targets = masked(windows.take(step), mask)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            return network.loss(rows, places, targets), rows.shape[0] * rows.shape[1]

    loop.run(loss)
    return network, loop
