"""What a distribution over trees answers, where that is more than a tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

__all__ = ["Marginals", "RankedTrees"]


@dataclass(frozen=True, eq=False)
class Marginals:
    """The probability of each part: tensors of the shapes of the scores, None for parts without scores.

    They can be differentiated.  Entries of padding, and of parts that are in no tree, are zero.
    """

    arc: Tensor
    label: Tensor | None = None
    sibling: Tensor | None = None
    last: Tensor | None = None
    grandchild: Tensor | None = None
    grand_sibling: Tensor | None = None
    tri_sibling: Tensor | None = None


class RankedTrees(NamedTuple):
    """The k best trees.

    Attributes
    ----------
    heads : int64 tensor, shape (k, *batch_shape, N)
        The best trees first; -1 throughout where a sentence has fewer trees.
    scores : tensor, shape (k, *batch_shape)
        What they score, with their best labels; minus infinity where a sentence has fewer trees.
    """

    heads: Tensor
    scores: Tensor
