"""Pruned sentences in a batch: the numbers of their parts, as tensors.

The arcs that survive determine all parts and their order (`treewright.inference.parts.Parts`), so a batch of pruned
sentences is known by one tensor of masks: that is what operators are given.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from weakref import WeakValueDictionary

import numpy as np
import torch
from torch import Tensor

from treewright.arrays import Ints
from treewright.inference import Parts
from treewright.inference.arcs import Arcs

__all__ = ["Numbering", "parts_of", "survivors_of"]

#: Parts that are in use, by their arcs: so that they are not listed again by each operator.
_known: WeakValueDictionary[tuple[int, bytes], Parts] = WeakValueDictionary()


def survivors_of(parts: Sequence[Parts]) -> Tensor:
    """Return which arcs of each sentence survive, a bool tensor of shape (batch, N, N) in main memory."""
    size = 1 + max(one.n for one in parts)
    masks = np.zeros((len(parts), size, size), bool)
    for mask, one in zip(masks, parts, strict=True):
        mask[: one.n + 1, : one.n + 1] = one.arcs.number >= 0
        _known[one.n, mask[: one.n + 1, : one.n + 1].tobytes()] = one
    return torch.from_numpy(masks)


def parts_of(survivors: Tensor, lengths: Tensor) -> tuple[Parts, ...]:
    """List the parts of each sentence, from the arcs that survive."""
    found = []
    for mask, n in zip(survivors.numpy(), lengths.tolist(), strict=True):
        own = mask[: n + 1, : n + 1]
        known = _known.get((n, own.tobytes()))
        found.append(Parts(own) if known is None else known)
    return tuple(found)


class Numbering:
    """The numbers of the parts of a batch of pruned sentences: see `treewright.inference.arcs`.

    Parameters
    ----------
    parts : sequence of Parts
    device : torch.device
        Where the tensors are.
    """

    def __init__(self, parts: Sequence[Parts], device: torch.device) -> None:
        self._parts, self._device = parts, device

    def _table(self, name: str) -> Tensor:
        """Return an array of the arcs of all sentences, with -1 as padding."""
        return self._padded([getattr(one.arcs, name) for one in self._parts])

    def _padded(self, arrays: Sequence[Ints]) -> Tensor:
        shape = np.max([array.shape for array in arrays], axis=0)
        padded = np.full((len(arrays), *shape), -1, np.int64)
        for row, array in zip(padded, arrays, strict=True):
            row[tuple(map(slice, array.shape))] = array
        return torch.from_numpy(padded).to(self._device)

    @functools.cached_property
    def arcs(self) -> Tensor:
        """The arcs (h, m) of each sentence, of shape (batch, most arcs, 2), with -1 as padding."""
        return self._padded([one.arc for one in self._parts])

    @functools.cached_property
    def _tables(self) -> dict[str, Tensor]:
        return {name: self._table(name) for name in Arcs._fields if name != "n"}

    def of(self, kind: str, index: Tensor) -> Tensor:
        """Return the numbers of parts of a kind, -1 for those that have not survived.

        ``index`` is of shape (…, batch, parts, indices); an index that does not exist repeats h.
        """
        number: Tensor = getattr(self, f"_{kind}")(*index.unbind(-1))
        return number

    def _take(self, name: str, *index: Tensor) -> Tensor:
        """Look numbers up in the table of each sentence."""
        table = self._tables[name]
        sentences = torch.arange(len(table), device=self._device)[:, None]
        taken: Tensor = table[(sentences, *(one.clamp(min=0) for one in index))]
        return taken

    def _arc(self, h: Tensor, m: Tensor) -> Tensor:
        return self._take("number", h, m)

    def _slot(self, h: Tensor, s: Tensor) -> Tensor:
        """Return the place of s among what there may be inside: 0 for none."""
        return torch.where(s == h, 0, self._take("rank", self._arc(h, s)) + 1)

    def _last(self, h: Tensor, s: Tensor, side: Tensor) -> Tensor:
        exists = (s == h) | (self._arc(h, s) >= 0)
        return torch.where(exists, self._take("list_start", 2 * h + side) + self._slot(h, s), -1)

    def _sibling(self, h: Tensor, s: Tensor, m: Tensor) -> Tensor:
        arc = self._arc(h, m)
        rank = self._take("rank", arc)
        number = self._take("pair_start", 2 * h + (m > h)) + rank * (rank + 1) // 2 + self._slot(h, s)
        return torch.where((arc >= 0) & ((s == h) | (self._arc(h, s) >= 0)), number, -1)

    def _above(self, g: Tensor, h: Tensor) -> Tensor:
        """Return the arc into h; into the root, the one that stands for it."""
        root = torch.tensor([one.count("arc") for one in self._parts], device=self._device)[:, None]
        return torch.where(h == 0, root, self._arc(g, h))

    def _grandchild(self, g: Tensor, h: Tensor, m: Tensor) -> Tensor:
        above, arc = self._above(g, h), self._arc(h, m)
        number = self._take("grandchild_start", above) + arc - self._take("first", 2 * h)
        return torch.where((above >= 0) & (arc >= 0), number, -1)

    def _grand_sibling(self, g: Tensor, h: Tensor, s: Tensor, m: Tensor) -> Tensor:
        above, pair = self._above(g, h), self._sibling(h, s, m)
        number = self._take("grand_start", above) + pair - self._take("pair_start", 2 * h)
        return torch.where((above >= 0) & (pair >= 0), number, -1)

    def _tri_sibling(self, h: Tensor, t: Tensor, s: Tensor, m: Tensor) -> Tensor:
        pair, inner = self._sibling(h, s, m), self._sibling(h, t, s)
        exists = (pair >= 0) & ((s == h) | (inner >= 0))
        return torch.where(exists, self._take("tri_start", pair) + self._slot(h, t), -1)
