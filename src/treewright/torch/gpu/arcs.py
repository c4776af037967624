"""Arcs of projective trees on a GPU: sums by a kernel of their own (`treewright.torch.gpu.kernels.eisner`)."""

from __future__ import annotations

import torch
import triton
from torch import Tensor

from treewright.torch.gpu.kernels import eisner
from treewright.torch.padded import Padded

__all__ = ["sums"]

#: The range of totals that are exact to rounding, by the type of the weights.
RANGE = {torch.float64: (1e-280, 1e280), torch.float32: (1e-20, 1e30)}

#: Numbers that a block works on at once.
TILE = 4096


def sums(batch: Padded, back: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Compute log Z, the marginals of arcs if ``back``, and which sentences were in range; others have zeros."""
    arc = batch.scores["arc"].contiguous()
    count, size, device = len(arc), arc.shape[1], arc.device
    log_z = torch.empty(count, dtype=torch.float64, device=device)
    sound = torch.empty(count, dtype=torch.int32, device=device)
    marginal = torch.zeros_like(arc) if back else arc
    memory = torch.empty((count, eisner.ARRAYS, size, size), dtype=arc.dtype, device=device)
    square = max(16, triton.next_power_of_2(size))
    smallest, largest = RANGE[arc.dtype]
    eisner.inside_outside[(count,)](
        arc, batch.lengths.to(device), log_z, sound, marginal, memory, size, smallest, largest, SQUARE=square,
        ROWS=max(1, TILE // square), SINGLE=batch.space.single_root, BACK=back, num_warps=8,
    )  # fmt: skip
    return log_z, marginal, sound
