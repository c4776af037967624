"""Sentences as padded batches of similar lengths.

All sentences lie end to end in a few tensors on the device; a batch is gathered from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from treewright.arrays import Array, Heads, Ints
from treewright.neural.columns import column_numbers
from treewright.neural.settings import NetworkSettings
from treewright.neural.words import WordInputs
from treewright.treebank import Sentence

__all__ = ["Batch", "Shuffled", "Treebank", "padded", "sorted_batches"]

#: How many batches are made of the sentences of one draw, sorted by length.
_POOL = 32


#: The lengths of batches on a GPU are multiples of this: kernels are compiled for each.
_STEP = 16


@dataclass(frozen=True)
class Batch:
    """Sentences, padded to N places: the root, and the words of the longest.

    Attributes
    ----------
    rows : int tensor, shape (batch, N, attributes)
    words : bool tensor, shape (batch, N)
        Which places hold the root or a word.
    heads, labels : int64 tensor, shape (batch, N)
        -1 at the root, in padding, and where they are not known.
    columns : mapping of int64 tensors, shape (batch, N)
        The same for the values of columns.
    is_partial : bool
        Whether words of the treebank may have no heads.
    """

    rows: Tensor
    words: Tensor
    heads: Tensor
    labels: Tensor
    columns: dict[str, Tensor]
    is_partial: bool = False

    @property
    def lengths(self) -> Tensor:
        """The number of words of each sentence."""
        return self.words.sum(1) - 1


class Treebank:
    """The sentences of a treebank as a network learns from them.

    Parameters
    ----------
    sentences : sequence of Sentence
    inputs : WordInputs
    settings : NetworkSettings
    device : torch.device
    """

    def __init__(
        self, sentences: Sequence[Sentence], inputs: WordInputs, settings: NetworkSettings, device: torch.device
    ) -> None:
        self.lengths: Ints = np.array([len(sentence) for sentence in sentences], np.int64)
        self._starts = np.cumsum(self.lengths + 1) - self.lengths - 1
        numbers = {label: number for number, label in enumerate(settings.labels)}
        labels = [np.array([numbers.get(one, -1) for one in sentence.deprels], np.int32) for sentence in sentences]
        columns = [column_numbers(sentence, settings.columns) for sentence in sentences]

        def send(arrays: Sequence[Array]) -> Tensor:
            return torch.from_numpy(np.concatenate(arrays)).to(device)

        self._is_partial = any((sentence.heads < 0).any() for sentence in sentences)
        self._rows = send([inputs.rows(sentence.forms) for sentence in sentences])
        self._heads = send([_rooted(sentence.heads) for sentence in sentences])
        self._labels = send([_rooted(one) for one in labels])
        self._columns = {name: send([_rooted(one[name]) for one in columns]) for name in settings.columns}

    def __len__(self) -> int:
        """Count the sentences."""
        return len(self.lengths)

    def batch(self, chosen: Ints) -> Batch:
        """Gather some sentences."""
        device = self._rows.device
        index, words = padded(self._starts[chosen], self.lengths[chosen] + 1, device)
        blank = ~words

        def gather(flat: Tensor) -> Tensor:
            return flat[index].long().masked_fill(blank, -1)

        rows = self._rows[index]
        columns = {name: gather(one) for name, one in self._columns.items()}
        return Batch(rows, words, gather(self._heads), gather(self._labels), columns, self._is_partial)


def padded(starts: Ints, lengths: Ints, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return the places of runs in a flat tensor, shape (batch, N), and which of them are in their runs."""
    step = _STEP if device.type == "cuda" else 1
    places = np.arange(-(-int(lengths.max()) // step) * step)[None]
    inside = places < lengths[:, None]
    index = np.where(inside, starts[:, None] + places, starts[:, None])
    return _sent(index, device), _sent(inside, device)


def _sent(values: Array, device: torch.device) -> Tensor:
    """Send an array to a device, without waiting for a GPU."""
    tensor = torch.from_numpy(values)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor


class Shuffled:
    """Batches of sentences of similar lengths, in another order in each epoch; asked for in the order of steps.

    Parameters
    ----------
    lengths : int64 array
        The number of words of each sentence.
    words : int
        About how many words a batch has, padding included.
    seed : int
    """

    def __init__(self, lengths: Ints, words: int, seed: int) -> None:
        self._lengths, self._words, self._seed = lengths, words, seed
        self._epoch, self._first, self._batches = 0, 0, self._of_epoch(0)
        self.steps = len(self._batches)  # of an epoch, about

    def take(self, step: int) -> Ints:
        """Return the numbers of the sentences of a step."""
        while step >= self._first + len(self._batches):
            self._first += len(self._batches)
            self._epoch += 1
            self._batches = self._of_epoch(self._epoch)
        return self._batches[step - self._first]

    def _of_epoch(self, epoch: int) -> list[Ints]:
        random = np.random.default_rng([self._seed, epoch])
        order = random.permutation(len(self._lengths))
        pool = max(_POOL * self._words // max(int(self._lengths.mean()), 1), 1)
        found = []
        for start in range(0, len(order), pool):
            some = order[start : start + pool]
            found += sorted_batches(self._lengths[some], self._words, some)
        return [found[place] for place in random.permutation(len(found))]


def sorted_batches(lengths: Ints, words: int, numbers: Ints | None = None) -> list[Ints]:
    """Sort sentences by length, and cut them into batches of about as many words, padding included.

    Examples
    --------
    >>> [batch.tolist() for batch in sorted_batches(np.array([3, 1, 2, 9]), words=8)]
    [[1, 2], [0], [3]]
    """
    order = np.argsort(lengths, kind="stable")
    sizes = lengths[order] + 1
    if numbers is not None:
        order = numbers[order]
    found, start = [], 0
    while start < len(order):
        most = max(words // int(sizes[start]), 1)
        filled = np.arange(1, most + 1)[: len(order) - start] * sizes[start : start + most]
        end = start + max(int(np.searchsorted(filled, words, side="right")), 1)
        found.append(order[start:end])
        start = end
    return found


def _rooted(values: Heads) -> Heads:
    """Put -1 before the values of words, for the root."""
    return np.concatenate([np.full(1, -1, np.int32), np.asarray(values, np.int32)])
