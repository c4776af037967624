"""Siblings and grand-siblings on a GPU: sums by a kernel of their own (`treewright.torch.gpu.kernels.siblings`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import triton
from torch import Tensor

from treewright.arrays import Places
from treewright.inference import Parts
from treewright.torch.gpu.kernels import scored, sibling_items, siblings
from treewright.torch.padded import ByKind, Padded

__all__ = ["fits", "sums"]

KINDS = ("arc", "sibling", "grandchild", "grand_sibling")

#: Triton's interpreter is asked for instead of a GPU, for tests.
INTERPRETED = bool(triton.knobs.runtime.interpret)

#: Pairs of words in a tile, lanes for x, unrolled steps and warps, for many slots, few and one.
TILES = {"many": (16, 1, 2, 16), "few": (32, 1, 2, 16), "one": (64, 8, 2, 16)}

#: Registers of a thread with grandparents, at most: so that a multiprocessor holds two blocks of 16 warps.
_LIMIT = {} if INTERPRETED else {"maxnreg": 64}

#: Lists of surviving arcs that are kept, at most.
KEPT = 16

_packed: dict[tuple[object, ...], tuple[object, Tensor, int]] = {}


def fits(batch: Padded) -> bool:
    """Decide whether sums have this kernel: last modifiers are not known to it."""
    return batch.space.factorization in ("sibling", "grand-sibling") and "last" not in batch.scores


def _listed(parts: Parts, size: int, slots: int) -> Places:
    """Write down where the parts of a pruned sentence lie: see `treewright.torch.gpu.kernels.scored`."""
    x, n = parts.arcs, parts.n
    squares = np.full((scored.TABLES, size, size), -1, np.int32)
    heads = np.full((size, slots), -1, np.int32)
    h, m = parts.arc.T
    arc = x.number[h, m]
    squares[0, h, m], squares[1, h, m] = arc, x.rank[arc]
    squares[3, h, m], squares[4, h, m] = x.grandchild_start[arc], x.grand_start[arc]
    squares[3:, 0, 0] = x.grandchild_start[len(h)], x.grand_start[len(h)]
    order = np.lexsort((h, m))
    h, m = h[order], m[order]
    slot = np.arange(len(h)) - np.searchsorted(m, m)
    squares[2, h, m] = slot
    kept = slot < slots  # all, with grandparents
    heads[m[kept], slot[kept]] = h[kept]
    heads[0, 0] = 0
    pairs, first = np.zeros(2 * size, np.int32), np.zeros(size, np.int32)
    pairs[: 2 * n + 2], first[: n + 1] = x.pair_start[: 2 * n + 2], x.first[: 2 * n + 2 : 2]
    return np.concatenate([squares.reshape(-1), heads.reshape(-1), pairs, first])


def _pruned(parts: tuple[Parts, ...], size: int, grand: bool, device: torch.device) -> tuple[Tensor, int]:
    """Return the lists of a batch on its device, and how many slots a word has."""
    key = (grand, device, *map(id, parts))
    if key not in _packed:
        while len(_packed) >= KEPT:
            _packed.pop(next(iter(_packed)))
        different = {id(one): one for one in parts}
        slots = max(int(np.bincount(one.arc[:, 1]).max(initial=1)) for one in different.values()) if grand else 1
        lists = {name: torch.from_numpy(_listed(one, size, slots)) for name, one in different.items()}
        _packed[key] = parts, torch.stack([lists[id(one)] for one in parts]).to(device), slots
    return _packed[key][1:]


@dataclass
class Chart:
    """A batch on its way through the kernels."""

    batch: Padded

    def __post_init__(self) -> None:
        batch, scores = self.batch, self.batch.scores
        arc = scores["arc"]
        self.count, self.device, self.dtype = len(arc), arc.device, arc.dtype
        self.grand, self.pruned = batch.space.factorization == "grand-sibling", batch.parts is not None
        self.size = arc.shape[1] if batch.parts is None else 1 + max(one.n for one in batch.parts)
        self.lengths = batch.lengths.to(self.device)
        self.tables, self.slots, self.width = self.lengths, self.size if self.grand else 1, 0
        if batch.parts is not None:
            self.tables, self.slots = _pruned(batch.parts, self.size, self.grand, self.device)
            self.width = self.tables.shape[1]
        self.given = [scores[kind].contiguous() if kind in scores else arc for kind in KINDS]
        self.strides = [tensor[0].numel() for tensor in self.given]
        self.kinds = sum(1 << place for place, kind in enumerate(KINDS[1:]) if kind in scores)
        self.square = max(16, triton.next_power_of_2(self.size))
        self.lanes = triton.next_power_of_2(self.slots)
        self.chunk = min(16, self.lanes) if self.grand else self.square
        self.chunks = triton.cdiv(self.slots, self.chunk) if self.grand else 1
        planes = sibling_items.GRAND_ARRAYS if self.grand else sibling_items.ARRAYS
        self.weights = self.new(self.size, self.size, self.size, self.slots, dtype=self.dtype)
        self.peaks = self.new(self.size, self.chunks, self.size, dtype=self.dtype)
        self.memory = self.new(planes * self.size * self.size * self.slots + self.size)
        self.log_z, self.sound = self.new(), self.new(dtype=torch.int32)
        self.options: dict[str, Any] = {"GRAND": self.grand, "PRUNED": self.pruned, "KINDS": self.kinds}

    def new(self, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
        """Allocate numbers for each sentence."""
        return torch.empty((self.count, *shape), dtype=dtype, device=self.device)

    def fold(self) -> None:
        """Lay out the scores."""
        scored.fold[(self.count, self.size, self.chunks)](
            *self.given, *self.strides, self.tables, self.width, self.lengths, self.weights, self.peaks, self.size,
            self.slots, SINGLE=self.batch.space.single_root, X=self.chunk, M=self.square,
            num_warps=4 if self.grand else 8, **self.options,
        )  # fmt: skip

    def solve(self, back: bool, log: bool) -> None:
        """Compute log Z and, if ``back``, put marginals in the place of weights."""
        P, RL, U, warps = TILES["one" if not self.grand else "many" if self.slots > 16 else "few"]
        if INTERPRETED:  # where many small tiles take long
            P, RL, U = 16, 8, 1
        siblings.inside_outside[(self.count,)](
            *self.given, *self.strides, self.tables, self.width, self.lengths, self.weights, self.peaks, self.memory,
            self.log_z, self.sound, self.size, self.slots, self.chunks, SINGLE=self.batch.space.single_root,
            M=self.square, P=P, KL=self.lanes, RL=RL, U=U, BACK=back, LOG=log, num_warps=warps,
            **(_LIMIT if self.grand else {}), **self.options,
        )  # fmt: skip

    def unfold(self) -> ByKind:
        """Write down the marginals."""
        make = torch.zeros_like if self.pruned else torch.empty_like
        scores = self.batch.scores
        out = {kind: make(tensor, memory_format=torch.contiguous_format) for kind, tensor in scores.items()}
        filled = [out.get(kind, self.weights) for kind in KINDS]
        where = self.tables, self.width, self.lengths, self.weights
        if not self.grand:
            scored.unfold[(self.count, self.size)](
                *filled[:2], *self.strides[:2], *where, self.log_z, self.size, X=self.square, M=self.square,
                num_warps=8, **self.options,
            )  # fmt: skip
            return out
        if "grand_sibling" in out:
            scored.unfold_grand[(self.count, self.size, self.chunks)](
                filled[3], self.strides[3], *where, self.log_z, self.size, self.slots, X=self.chunk, M=self.square,
                num_warps=4, **self.options,
            )  # fmt: skip
        scored.unfold_rest[(self.count, self.size)](
            *filled[:3], *self.strides[:3], *where, self.memory, self.sound, self.log_z, self.size, self.slots,
            X=self.lanes, M=self.square, num_warps=8, **self.options,
        )  # fmt: skip
        return out


def sums(batch: Padded, back: bool) -> tuple[Tensor, ByKind]:
    """Compute log Z and, if ``back``, the marginals.

    Weights come first, and then logarithms of those that were out of range.
    """
    chart = Chart(batch)
    chart.fold()
    for log in (False, True):
        chart.solve(back, log)
    return chart.log_z.to(chart.dtype), chart.unfold() if back else {}
