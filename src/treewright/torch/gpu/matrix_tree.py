"""Trees of any shape under arc scores on a GPU: log Z, marginals and their derivatives by the matrix-tree theorem."""

from __future__ import annotations

import torch
import triton
from torch import Tensor

from treewright.torch.gpu.kernels import elimination
from treewright.torch.padded import ByKind, Padded

__all__ = ["log_partition", "sums", "tangents"]


def _run(batch: Padded, direction: Tensor | None, back: bool) -> tuple[Tensor, Tensor]:
    """Eliminate with plain numbers, and with logarithms where those are out of range."""
    arc = _dense(batch, batch.scores["arc"], -torch.inf)
    count, size = arc.shape[:2]
    log_z = torch.empty(count, dtype=torch.float64, device=arc.device)
    sound = torch.zeros(count, dtype=torch.int32, device=arc.device)
    out = torch.empty_like(arc) if back else log_z
    lengths, given = batch.lengths.to(arc.device), arc if direction is None else direction
    S = max(16, triton.next_power_of_2(size))
    stack = torch.empty((count, size, 2 * S + 2) if back else 1, dtype=torch.float64, device=arc.device)
    for log in (False, True):
        elimination.eliminate[(count,)](
            arc, given, lengths, log_z, sound, out, stack, size, S=S, SINGLE=batch.space.single_root, LOG=log,
            BACK=back, TANGENT=direction is not None, num_warps=4 if S <= 32 else 16,
        )  # fmt: skip
    return log_z.to(arc.dtype), out


def _dense(batch: Padded, arc: Tensor, missing: float) -> Tensor:
    """Spread the scores of surviving arcs over square tensors; dense ones stay as they are."""
    if batch.parts is None:
        return arc.contiguous()
    size = max(parts.n for parts in batch.parts) + 1
    dense = torch.full((len(arc), size, size), missing, dtype=arc.dtype, device=arc.device)
    for row, scores, parts in zip(dense, arc, batch.parts, strict=True):
        h, m = torch.from_numpy(parts.arc.T.copy()).to(arc.device)
        row[h, m] = scores[: len(h)]
    return dense


def _listed(batch: Padded, dense: Tensor) -> ByKind:
    """Take the surviving arcs out of square tensors again."""
    if batch.parts is None:
        return {"arc": dense}
    listed = torch.zeros_like(batch.scores["arc"])
    for row, square, parts in zip(listed, dense, batch.parts, strict=True):
        h, m = torch.from_numpy(parts.arc.T.copy()).to(dense.device)
        row[: len(h)] = square[h, m]
    return {"arc": listed}


def log_partition(batch: Padded) -> Tensor:
    """Compute log Z, minus infinity where there is no tree."""
    return _run(batch, None, back=False)[0]


def sums(batch: Padded) -> tuple[Tensor, ByKind]:
    """Compute log Z and the marginals."""
    log_z, out = _run(batch, None, back=True)
    return log_z, _listed(batch, out)


def tangents(batch: Padded, direction: ByKind) -> ByKind:
    """Compute the derivative of the marginals along a direction."""
    return _listed(batch, _run(batch, _dense(batch, direction["arc"], 0.0), back=True)[1])
