"""What the programs that are indexed by words share, and the plan of single arcs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Ints
from treewright.inference.charts.eisner import spans
from treewright.inference.charts.folding import Plan, Vectors
from treewright.inference.charts.frame import Frame, runs_of
from treewright.inference.charts.programs import Program

__all__ = ["ArcPlan", "stacked", "word_frame"]


class ArcPlan(Plan):
    """Single arcs: nothing to fold."""

    program, has_own_parts = Program("arc"), False

    def __init__(self, n: int) -> None:
        self.shape, self._size = spans(n), n + 1
        places = np.arange((n + 1) ** 2)
        self.frame = word_frame(n, places // (n + 1), places % (n + 1))

    def fold(self, arcs: Sequence[Floats] | Floats, higher: Sequence[Vectors]) -> Floats:
        """Return arc scores as they are."""
        return stacked(arcs).reshape(len(arcs), -1)

    def shift(self, parts: Floats, shifted: Floats) -> tuple[Floats, Floats]:
        """Subtract from the arcs of each word their maximum."""
        squares = (len(parts), self._size, self._size)
        largest = parts.reshape(squares).max(axis=1)
        largest[:, 0] = 0.0
        below = np.where(largest > -np.inf, largest, 0.0)[:, None]
        np.subtract(parts.reshape(squares), below, out=shifted.reshape(squares))
        return largest.sum(axis=1), np.full(len(parts), -np.inf)

    def buffers(self, count: int, dtype: npt.DTypeLike = np.float64) -> dict[str, Floats]:
        """Allocate the marginals of arcs."""
        return {"arc": np.empty((count, self._size, self._size), dtype)}

    def unfold(self, probabilities: Floats, buffers: dict[str, Floats]) -> None:
        """Copy the probabilities of arcs."""
        buffers["arc"][:] = probabilities.reshape(buffers["arc"].shape)


def word_frame(n: int, heads: Ints, modifiers: Ints, ends: bool = False) -> Frame:
    """Frame the programs that are indexed by words: four square charts, first C and second its copy.

    With last modifiers, those two are wider, and an item that is always one comes after all of them.
    """
    diagonal, size = np.arange(n + 1) * (n + 2), 4 * (n + 1) ** 2
    ones = np.concatenate([diagonal, (n + 1) ** 2 + diagonal])
    if ends:
        size += 2 * (n + 1) + 1
        ones = np.array([size - 1])
    return Frame(n, size, n + ends, ones, np.append(heads, -1), modifiers, runs_of(modifiers))


def stacked(arcs: Sequence[Floats] | Floats) -> Floats:
    """Return the arc scores of problems of the same length as one array: of those prepared together, that array."""
    if isinstance(arcs, np.ndarray):
        return arcs
    base = arcs[0].base
    together = base is not None and base.ndim == 3 and len(base) == len(arcs)
    if together and all(arc.base is base for arc in arcs):
        return np.asarray(base, np.float64)
    return np.stack(arcs)
