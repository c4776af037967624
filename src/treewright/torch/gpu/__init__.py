"""The backend for NVIDIA GPUs: kernels in Triton, with the contract of `treewright.torch.padded.Backend`.

- `treewright.torch.gpu.projective`: dynamic programs.  Their texts are those of the CPU: a walk lists what a program
  does as a table (`hypergraphs`, `tables`), which one kernel follows for every program and question (`charts`).
- `treewright.torch.gpu.arcs` and `treewright.torch.gpu.siblings`: sums over arcs, siblings and grand-siblings by second
  texts, with indices computed instead of loaded, which are two to five times as fast.
- `treewright.torch.gpu.matrix_tree`: trees that need not be projective.  Their best tree, and samples, are found on the
  CPU: those algorithms go from word to word.

Values are float64 within, whatever the type of the scores, but for sums over arcs.  Nothing waits for the GPU, and
results do not depend on the order of execution.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import cast

from torch import Tensor

from treewright.torch.gpu import matrix_tree, projective
from treewright.torch.padded import Backend, ByKind, Padded

__all__ = ["argmax", "log_partition", "sample", "sums", "tangents"]


def sums(batch: Padded) -> tuple[Tensor, ByKind]:
    """Compute log Z, of shape (batch,), and the marginals."""
    return projective.sums(batch) if batch.space.projective else matrix_tree.sums(batch)


def log_partition(batch: Padded) -> Tensor:
    """Compute log Z alone."""
    return projective.log_partition(batch) if batch.space.projective else matrix_tree.log_partition(batch)


def tangents(batch: Padded, direction: ByKind) -> ByKind:
    """Compute the derivative of the marginals along a direction: the Hessian of log Z times that direction."""
    return projective.tangents(batch, direction) if batch.space.projective else matrix_tree.tangents(batch, direction)


def argmax(batch: Padded) -> tuple[Tensor, Tensor]:
    """Find the best trees: their scores, and int64 heads of shape (batch, N), -1 at the root and in padding."""
    if batch.space.projective:
        return projective.argmax(batch)
    scores, heads = _cpu().argmax(_on_cpu(batch))
    return scores.to(batch.scores["arc"].device), heads.to(batch.scores["arc"].device)


def sample(batch: Padded, size: int, seed: int) -> Tensor:
    """Draw trees: int64 heads of shape (size, batch, N)."""
    if batch.space.projective:
        return projective.sample(batch, size, seed)
    return _cpu().sample(_on_cpu(batch), size, seed).to(batch.scores["arc"].device)


def _on_cpu(batch: Padded) -> Padded:
    return replace(batch, scores={kind: tensor.cpu() for kind, tensor in batch.scores.items()})


def _cpu() -> Backend:
    return cast(Backend, importlib.import_module("treewright.torch.cpu"))
