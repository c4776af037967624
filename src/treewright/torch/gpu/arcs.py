"""Arcs of projective trees on a GPU: sums by a kernel of their own (`treewright.torch.gpu.kernels.eisner`)."""

from __future__ import annotations

import torch
import triton
from torch import Tensor

from treewright.torch.gpu.kernels import eisner
from treewright.torch.padded import Padded

__all__ = ["RANGE", "sums"]

#: The range of totals that are exact to rounding, by the type of the weights: below it, products are lost that have a
#: weight too small for the type.
RANGE = {torch.float64: (1e-280, 1e280), torch.float32: (1e-20, 1e30)}

#: Scores that a block reads at once.
TILE = 4096


def sums(batch: Padded, back: bool) -> tuple[Tensor, Tensor]:
    """Compute log Z and, if ``back``, the marginals of arcs.

    Weights come first, and then logarithms of those that were out of range.
    """
    arc = batch.scores["arc"].contiguous()
    count, size, device = len(arc), arc.shape[1], arc.device
    lengths, sound = batch.lengths.to(device), torch.empty(count, dtype=torch.int32, device=device)
    log_z = torch.empty(count, dtype=torch.float64, device=device)
    marginal = torch.zeros_like(arc) if back else arc
    square = max(16, triton.next_power_of_2(size))
    for log in (False, True):
        dtype = torch.float64 if log else arc.dtype
        memory = torch.empty((count, eisner.ARRAYS, size, size), dtype=dtype, device=device)
        eisner.inside_outside[(count,)](
            arc, lengths, log_z, sound, marginal, memory, size, *RANGE[arc.dtype], SQUARE=square,
            ROWS=max(1, TILE // square), SINGLE=batch.space.single_root, BACK=back, LOG=log, num_warps=4,
        )  # fmt: skip
    return log_z.to(arc.dtype), marginal
