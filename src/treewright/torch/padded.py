"""A batch of sentences of different lengths in tensors of one shape: what a backend is asked about.

A *backend* is a module with the functions of `Backend`: `treewright.torch.cpu` for tensors in main memory,
`treewright.torch.gpu` for those of a GPU.  It knows nothing of labels, masks or gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import torch
from torch import Tensor

if TYPE_CHECKING:
    from treewright.inference import Parts, SearchSpace

__all__ = ["Backend", "ByKind", "Padded"]

#: A tensor for each kind of part that is scored.
ByKind: TypeAlias = dict[str, Tensor]


@dataclass(frozen=True, eq=False)
class Padded:
    """Scores of a batch of sentences, without labels or constraints.

    Labels have been reduced into the arcs, and what is forbidden scores minus infinity.  Entries that belong to no tree
    of their sentence, those of padding among them, may hold anything.

    Attributes
    ----------
    scores : dict
        Tensors by kind of part (the names of `treewright.inference.Scores`), ``arc`` always among them, of shape
        (batch, N, N), (batch, N, N, N), …, where N is the number of words of the longest sentence plus 1; all float32
        or all float64.
    lengths : int64 tensor, shape (batch,)
        The number of words of each sentence, at least 1.
    space : SearchSpace
        The trees that are searched.
    parts : tuple of Parts, optional
        The surviving parts of pruned sentences.  Scores then have shape (batch, most parts of that kind).
    """

    scores: ByKind
    lengths: Tensor
    space: SearchSpace
    parts: tuple[Parts, ...] | None = None

    def to(self, device: torch.device | str) -> Padded:
        """Move a batch to a device."""
        scores = {kind: tensor.to(device) for kind, tensor in self.scores.items()}
        return Padded(scores, self.lengths.to(device), self.space, self.parts)


class Backend(Protocol):
    """The questions about a batch.

    Tensors by kind have the shapes and the type of the scores, and are zero where there is no part.  Log Z is minus
    infinity where there is no tree, and marginals and tangents are then zero.
    """

    def sums(self, batch: Padded, /) -> tuple[Tensor, ByKind]:
        """Compute log Z, of shape (batch,), and the marginals."""

    def log_partition(self, batch: Padded, /) -> Tensor:
        """Compute log Z alone."""

    def tangents(self, batch: Padded, direction: ByKind, /) -> ByKind:
        """Compute the derivative of the marginals along a direction: the Hessian of log Z times that direction."""

    def argmax(self, batch: Padded, /) -> tuple[Tensor, Tensor]:
        """Find the best trees: their scores, and int64 heads of shape (batch, N), -1 at the root and in padding."""

    def sample(self, batch: Padded, size: int, seed: int, /) -> Tensor:
        """Draw trees: int64 heads of shape (size, batch, N)."""
