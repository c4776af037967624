"""The plans of the programs that are indexed by words: arcs and siblings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treewright.arrays import Array, Floats, Ints, Mask
from treewright.inference.charts.eisner import spans
from treewright.inference.charts.folding import Plan, Vectors
from treewright.inference.charts.frame import Frame, runs_of
from treewright.inference.charts.programs import Program
from treewright.inference.charts.sibling import sibling_spans
from treewright.inference.charts.walks import jitable
from treewright.inference.kinds import PartKind
from treewright.inference.scratch import scratch
from treewright.kernels import kernel

__all__ = ["ArcPlan", "SiblingPlan", "stacked"]


class ArcPlan(Plan):
    """Single arcs: nothing to fold."""

    program = Program("arc")

    def __init__(self, n: int) -> None:
        self.shape, self._size = spans(n), n + 1
        places = np.arange((n + 1) ** 2)
        self.frame = _word_frame(n, places // (n + 1), places % (n + 1))

    def fold(self, arcs: Sequence[Floats], higher: Sequence[Vectors]) -> Floats:
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


class SiblingPlan(Plan):
    """Arcs fold into sibling parts; the parts of an arc lie side by side, by s.  Last modifiers come after them."""

    def __init__(self, n: int, last: bool) -> None:
        self.program, self._size = Program("sibling", last), n + 1
        h, m, s = np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij")
        exists = (m > 0) & (((h <= s) & (s < m)) | ((m < s) & (s <= h)))
        counts = exists.sum(axis=2)
        places = (np.cumsum(counts) - counts.reshape(-1)).reshape(n + 1, n + 1)
        self.shape = sibling_spans(places, int(counts.sum()), last)
        self._origin = places - np.where(h < m, h, m + 1)[:, :, 0]  # where part (h, s, m) lies, less s
        self._ends = _ends(n) if last else None
        self.frame = _word_frame(n, h[exists], m[exists], last)

    def fold(self, arcs: Sequence[Floats], higher: Sequence[Vectors]) -> Floats:
        """Add arc scores to sibling scores, and order last modifiers."""
        count = len(self.frame.modifiers)
        parts = scratch("parts", (len(arcs), count + (0 if self._ends is None else len(self._ends[0]))))
        for arc, scored, part in zip(arcs, higher, parts, strict=True):
            if "sibling" in scored:
                _fold_siblings(arc, np.ascontiguousarray(scored["sibling"]), self._origin, part)
            else:
                _fold_siblings(arc, np.broadcast_to(0.0, (self._size,) * 3), self._origin, part)
            if self._ends is not None:
                flat, exists = self._ends
                part[count:] = np.where(exists, np.take(scored["last"], flat), -np.inf)
        return parts

    def buffers(self, count: int, dtype: npt.DTypeLike = np.float64) -> dict[str, Floats]:
        """Allocate the marginals of arcs, siblings and last modifiers; those of parts that do not exist stay zero."""
        kinds = ["arc", "sibling"] + ["last"] * self.program.last
        return {kind: np.zeros((count, *PartKind(kind).shape(self._size - 1)), dtype) for kind in kinds}

    def unfold(self, probabilities: Floats, buffers: dict[str, Floats]) -> None:
        """Put the probabilities of siblings where they belong, and add up those of arcs."""
        _unfold_siblings(probabilities, self._origin, buffers["arc"], buffers["sibling"])
        if self._ends is not None:
            flat, exists = self._ends
            last = probabilities[:, len(self.frame.modifiers) :]
            buffers["last"].reshape(len(last), -1)[:, flat[exists]] = last[:, exists]


def _ends(n: int) -> tuple[Ints, Mask]:
    """Order last modifiers by head, to the left and then to the right: places in a dense array, and which exist."""
    h, column = np.indices((n + 1, n + 2)).reshape(2, -1)
    right = column > h
    s = column - right
    return (h * (n + 1) + s) * 2 + right, s > 0


# Both kernels go through the dense array in its own order, because it comes from memory; within a head, the parts fit
# into the nearest cache.  Places are unsigned, because an index that may be negative costs more than all the rest.


@jitable
def _beyond(h: int, s: int, right: int, size: int) -> tuple[int, int]:
    """Return the range of the modifiers of h that lie beyond s on one side; it is empty if s is on the other."""
    if right:
        return s + 1, size if s >= h else s + 1
    return 1, s if s <= h else 1


@kernel
def _fold_siblings(arc: Floats, sibling: Array, origin: Ints, parts: Floats) -> None:
    """Add arc and sibling scores."""
    size = len(arc)
    for h in range(size):
        for s in range(size):
            for right in range(2):
                first, last = _beyond(h, s, right, size)
                for k in range(last - first):
                    m = np.uintp(first + k)
                    score = arc[np.uintp(h), m] + sibling[np.uintp(h), np.uintp(s), m]
                    parts[np.uintp(origin[np.uintp(h), m] + s)] = score


@kernel
def _unfold_siblings(probabilities: Floats, origin: Ints, arcs: Floats, siblings: Floats) -> None:
    """Put the probabilities of sibling parts where they belong, and add up those of each arc."""
    size = len(origin)
    for problem in range(len(probabilities)):
        probability, arc, sibling = probabilities[problem], arcs[problem], siblings[problem]
        for h in range(size):
            for s in range(size):
                for right in range(2):
                    first, last = _beyond(h, s, right, size)
                    for k in range(last - first):
                        m = np.uintp(first + k)
                        share = probability[np.uintp(origin[np.uintp(h), m] + s)]
                        sibling[np.uintp(h), np.uintp(s), m] = share
                        arc[np.uintp(h), m] += share


def _word_frame(n: int, heads: Ints, modifiers: Ints, ends: bool = False) -> Frame:
    """Frame the programs that are indexed by words: four square charts, first C and second its copy.

    With last modifiers, those two are wider, and an item that is always one comes after all of them.
    """
    diagonal, size = np.arange(n + 1) * (n + 2), 4 * (n + 1) ** 2
    ones = np.concatenate([diagonal, (n + 1) ** 2 + diagonal])
    if ends:
        size += 2 * (n + 1) + 1
        ones = np.array([size - 1])
    return Frame(n, size, n + ends, ones, np.append(heads, -1), modifiers, runs_of(modifiers))


def stacked(arcs: Sequence[Floats]) -> Floats:
    """Return the arc scores of problems of the same length as one array: of those prepared together, that array."""
    base = arcs[0].base
    together = base is not None and base.ndim == 3 and len(base) == len(arcs)
    if together and all(arc.base is base for arc in arcs):
        return np.asarray(base, np.float64)
    return np.stack(arcs)
