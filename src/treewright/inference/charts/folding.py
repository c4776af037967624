"""From scores to a dynamic program and back: the parts of a factorization, folded together.

A tree scores its arcs, siblings, grandchildren and so on; a program asks for one number for each of its largest parts.
So the smaller parts are *folded* into the largest before the search, each into exactly one that contains it and that
every tree with it has.  Afterwards probabilities are *unfolded* by adding up.

What depends only on the shape of the problem is a *plan* (`treewright.inference.charts.plans` makes them).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from treewright.arrays import Array, Floats, Ints, Real
from treewright.inference.charts.frame import Frame, shift_runs
from treewright.inference.charts.programs import Program, Shape
from treewright.inference.scratch import scratch

__all__ = ["Plan", "Vectors", "taken"]

#: The scores of parts larger than arcs, by kind.
Vectors = Mapping[str, Real]


class Plan(ABC):
    """The shape of a problem.

    Attributes
    ----------
    program : Program
    frame : Frame
    shape : Shape
        What the kernels of `treewright.inference.charts.questions` are told.
    has_own_parts : bool
        Whether what `fold` returns may be written to; otherwise it may be what the caller gave.
    sparse : bool
        Whether scores of more than one arc are vectors over the parts that survive, and not dense.
    """

    program: Program
    frame: Frame
    shape: Shape
    has_own_parts: bool = True
    sparse: bool = False

    @abstractmethod
    def fold(self, arcs: Sequence[Floats], higher: Sequence[Vectors]) -> Floats:
        """Return the parts of the program, a row for each problem.

        Arc scores are dense, with labels reduced, and minus infinity where forbidden.
        """

    def shift(self, parts: Floats, shifted: Floats) -> tuple[Floats, Floats]:
        """Subtract from the parts that stand for arcs into a word their maximum, which changes no probability.

        Parts may be shifted in place.  Returns the sum of what was subtracted and the largest of the other parts, for
        each problem.
        """
        return shift_runs(parts, self.frame, shifted)

    def weigh(self, arcs: Sequence[Floats], higher: Sequence[Vectors]) -> tuple[Floats, Floats, Floats]:
        """Return the exponentials of the parts, after `shift`, and what that returns.

        They take the place of the parts wherever they can: there is one array less to go through.
        """
        parts = self.fold(arcs, higher)
        weights = parts if self.has_own_parts else scratch("weights", parts.shape)
        shifts, others = self.shift(parts, weights)
        with np.errstate(all="ignore"):
            np.exp(weights, out=weights)
        return weights, shifts, others

    @abstractmethod
    def buffers(self, count: int, dtype: npt.DTypeLike = np.float64) -> dict[str, Floats]:
        """Allocate the marginals of ``count`` problems: an array for each kind, dense or of vectors."""

    @abstractmethod
    def unfold(self, probabilities: Floats, buffers: dict[str, Floats]) -> None:
        """Write the marginals of all kinds of parts into buffers, from the probabilities of the program's parts."""


def taken(array: Array, flat: Ints) -> Floats:
    """Take the scores of parts out of a dense array; an entry that is not a score stands for no part of any tree."""
    scores = np.take(array, flat).astype(np.float64, copy=False)
    with np.errstate(all="ignore"):
        if not scores.sum() < np.inf:
            scores[~(scores < np.inf)] = -np.inf
    return scores
