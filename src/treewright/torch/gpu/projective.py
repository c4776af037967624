"""Projective trees on a GPU: the questions, answered by kernels that follow tables.

Everything is launched without waiting for the GPU.  Sums are first worked out with weights, then once more with
logarithms for the sentences whose total was out of range; for the others that second launch returns at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import triton
from torch import Tensor

from treewright.torch.gpu import arcs, siblings
from treewright.torch.gpu.kernels import charts, descent, folding
from treewright.torch.gpu.shapes import packed
from treewright.torch.gpu.tables import FIELDS
from treewright.torch.padded import ByKind, Padded

__all__ = ["argmax", "log_partition", "sample", "sums", "tangents"]

KINDS = ("arc", "sibling", "last", "grandchild", "grand_sibling", "tri_sibling")

#: Triton's interpreter is asked for instead of a GPU, for tests.
INTERPRETED = bool(triton.knobs.runtime.interpret)

#: Registers of a thread, at most: so that a multiprocessor holds two blocks of eight warps.
_LIMIT = {} if INTERPRETED else {"maxnreg": 128}

#: A tree is made of fewer items than this for each word, the root among them.
ITEMS_PER_WORD = 8


@dataclass
class Chart:
    """A batch on its way through the kernels."""

    batch: Padded

    def __post_init__(self) -> None:
        self.table = packed(self.batch)
        arc = self.batch.scores["arc"]
        self.dtype, self.device, self.size = arc.dtype, arc.device, len(arc)
        self.words, self.items, self.parts = self.table.words, self.table.items, self.table.parts
        self.kinds = sum(1 << KINDS.index(kind) for kind in self.batch.scores)
        self.log_z = torch.empty(self.size, dtype=torch.float64, device=self.device)
        self.sound = torch.zeros(self.size, dtype=torch.int32, device=self.device)
        self.top = self.new(self.words)

    def new(self, length: int, dtype: torch.dtype = torch.float64, zero: bool = False) -> Tensor:
        """Allocate numbers for each sentence."""
        make: Callable[..., Tensor] = torch.zeros if zero else torch.empty
        return make((self.size, length), dtype=dtype, device=self.device)

    def _scores(self, scores: ByKind) -> list[Any]:
        """Return a tensor for each kind, and the number of its scores in a sentence."""
        given = [scores[kind].contiguous() if kind in scores else scores["arc"] for kind in KINDS]
        return [*given, *(tensor[0].numel() for tensor in given)]

    def find_tops(self) -> None:
        """Find the largest part of each word."""
        folding.find_tops[(self.size, self.words)](
            self.table.numbers, self.table.fields, *self._scores(self.batch.scores), self.top, self.words,
            WIDTH=len(FIELDS), KINDS=self.kinds, BLOCK=256,
        )  # fmt: skip

    def fold(self, scores: ByKind, dtype: torch.dtype, shifted: bool, exp: bool, only_unsound: bool = False) -> Tensor:
        """Write down the parts of the program."""
        out = self.new(self.parts, dtype)
        folding.fold[(self.size, triton.cdiv(self.parts, 1024))](
            self.table.numbers, self.table.fields, *self._scores(scores), self.top, self.words, self.sound, out,
            self.parts, WIDTH=len(FIELDS), KINDS=self.kinds, SHIFTED=shifted, EXP=exp, ONLY_UNSOUND=only_unsound,
            BLOCK=1024,
        )  # fmt: skip
        return out

    def solve(self, value: Tensor, part: Tensor, domain: int, back: list[Tensor], only_unsound: bool = False) -> None:
        """Fill in values and log Z, and go back if there are tensors for that."""
        empty = self.log_z
        chance, marginal, dot, part_dot, chance_dot = [*back, empty, empty, empty, empty, empty][:5]
        K, elements, warps = self._tiles()
        G = min(16, triton.next_power_of_2(self.table.most_rows))
        charts.solve[(self.size,)](
            self.table.numbers, self.table.fields, self.top, value, part, self.log_z, self.sound, chance, marginal, dot,
            part_dot, chance_dot, self.items, self.parts, self.words, arcs.RANGE[torch.float64][0], WIDTH=len(FIELDS),
            R=elements // K, Q=max(1, elements // K // G), G=G, K=K, DOMAIN=domain, BACK=bool(back),
            TANGENT=len(back) > 2, ONLY_UNSOUND=only_unsound, num_warps=warps, **_LIMIT,
        )  # fmt: skip

    def _tiles(self) -> tuple[int, int, int]:
        """Choose how many alternatives of a row are read at once, of all rows in a tile, and the warps of a block.

        Tiles are as large as they can be while the registers of a multiprocessor hold two blocks.
        """
        K = 16 if self.table.longest <= 16 else 32
        if INTERPRETED:
            return K, 256, 4
        return K, 1024, 8

    def unfold(self, marginal: Tensor) -> ByKind:
        """Add up the probabilities of the scored parts."""
        marginals = {}
        for kind, scores in self.batch.scores.items():
            out = torch.empty_like(scores, memory_format=torch.contiguous_format)
            U = 1 if self.table.most[kind] <= 8 else 32  # parts of a score that are added up at once
            count = scores[0].numel()
            folding.unfold[(self.size, triton.cdiv(count, 1024 // U))](
                self.table.numbers, self.table.fields, marginal, self.parts, out, count,
                STARTS=FIELDS[f"starts_{kind}"], WIDTH=len(FIELDS), E=1024 // U, U=U,
            )  # fmt: skip
            marginals[kind] = out
        return marginals

    def descend(self, value: Tensor, part: Tensor, size: int, seed: int | None) -> Tensor:
        """Find the heads of the best tree, or with a seed those of random ones; -1 at the root and in padding."""
        width = max(int(self.batch.lengths.max()), 1) + 1
        heads = torch.full((size, self.size, width), -1, dtype=torch.int64, device=self.device)
        capacity = ITEMS_PER_WORD * self.words
        queue = torch.empty((size, self.size, capacity), dtype=torch.int32, device=self.device)
        descent.descend[(self.size, size)](
            self.table.numbers, self.table.fields, value, part, self.log_z, queue, heads, self.items, self.parts, width,
            capacity, self.size, seed or 0, WIDTH=len(FIELDS), K=triton.next_power_of_2(self.table.longest + 1),
            SAMPLE=seed is not None, num_warps=1,
        )  # fmt: skip
        return heads


def argmax(batch: Padded) -> tuple[Tensor, Tensor]:
    """Find the best trees: their scores, and their heads."""
    chart = Chart(batch)
    value, scores = chart.new(chart.items), chart.fold(batch.scores, torch.float64, shifted=False, exp=False)
    chart.solve(value, scores, charts.MAXIMUM.value, [])
    return chart.log_z.to(chart.dtype), chart.descend(value, scores, 1, None)[0]


def sample(batch: Padded, size: int, seed: int) -> Tensor:
    """Draw trees: their heads; -1 where there is no tree."""
    chart = Chart(batch)
    chart.find_tops()
    value, logs = chart.new(chart.items), chart.fold(batch.scores, torch.float64, shifted=True, exp=False)
    chart.solve(value, logs, charts.LOG.value, [])
    return chart.descend(value, logs, size, seed)


def _solve(batch: Padded, direction: ByKind | None, back: bool) -> tuple[Chart, Tensor]:
    """Work out sums with weights, and with logarithms where those are out of range."""
    chart = Chart(batch)
    chart.find_tops()
    value, marginal = chart.new(chart.items), chart.log_z
    rest: list[Tensor] = []
    if back:
        marginal = chart.new(chart.parts, chart.dtype, zero=True)
        rest = [chart.new(chart.items, zero=True), marginal]
    if direction is not None:
        part_dot = chart.fold(direction, chart.dtype, shifted=False, exp=False)
        rest += [chart.new(chart.items, zero=True), part_dot, chart.new(chart.items, zero=True)]
    weights = chart.fold(batch.scores, torch.float64, shifted=True, exp=True)
    chart.solve(value, weights, charts.SUM.value, rest)
    logs = chart.fold(batch.scores, torch.float64, shifted=True, exp=False, only_unsound=True)
    chart.solve(value, logs, charts.LOG.value, rest, only_unsound=True)
    return chart, marginal


def _has_arcs_only(batch: Padded) -> bool:
    """Decide whether sums have a kernel of their own."""
    return batch.space.factorization == "arc" and batch.parts is None


def log_partition(batch: Padded) -> Tensor:
    """Compute log Z, minus infinity where there is no tree."""
    if _has_arcs_only(batch):
        return arcs.sums(batch, back=False)[0]
    if siblings.fits(batch):
        return siblings.sums(batch, back=False)[0]
    chart, _ = _solve(batch, None, back=False)
    return chart.log_z.to(chart.dtype)


def sums(batch: Padded) -> tuple[Tensor, ByKind]:
    """Compute log Z and the marginals."""
    if _has_arcs_only(batch):
        log_z, marginal = arcs.sums(batch, back=True)
        return log_z, {"arc": marginal}
    if siblings.fits(batch):
        return siblings.sums(batch, back=True)
    chart, marginal = _solve(batch, None, back=True)
    return chart.log_z.to(chart.dtype), chart.unfold(marginal)


def tangents(batch: Padded, direction: ByKind) -> ByKind:
    """Compute the derivative of the marginals along a direction."""
    chart, marginal = _solve(batch, direction, back=True)
    return chart.unfold(marginal)
