"""One number for each part of the sentences of a batch, such as a probability."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

__all__ = ["Marginals"]


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
