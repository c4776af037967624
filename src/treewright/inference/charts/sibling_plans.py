"""The plans of siblings: a row of parts (h, s, m) for each arc, by s, whatever other arcs there are.

The rows of all arcs between i and j lie in the order in which the program visits those spans, so that it goes straight
through memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treewright.arrays import Array, Floats, Ints, Mask
from treewright.inference.charts.folding import Plan, Vectors
from treewright.inference.charts.programs import Program
from treewright.inference.charts.sibling import SiblingSpans, sibling_spans
from treewright.inference.charts.walks import jitable
from treewright.inference.charts.word_plans import word_frame
from treewright.inference.kinds import PartKind
from treewright.inference.parts import Parts
from treewright.inference.scratch import scratch
from treewright.kernels import kernel, prefetch

__all__ = ["PrunedSiblingPlan", "SiblingPlan"]


class _SiblingRows(Plan):
    """Arcs fold into sibling parts.  Last modifiers come after them.

    Parameters
    ----------
    n : int
    heads, modifiers : int arrays
        The arcs, in the order of their rows.
    last : bool
        Whether last modifiers are scored.
    """

    shape: SiblingSpans

    def __init__(self, n: int, heads: Ints, modifiers: Ints, last: bool) -> None:
        self.program, self._size = Program("sibling", last), n + 1
        lengths = abs(heads - modifiers)
        places = np.full((n + 1, n + 1), -1)
        places[heads, modifiers] = np.cumsum(lengths) - lengths
        self._count = int(lengths.sum())
        self.shape = sibling_spans(places, self._count, last)
        near = np.arange(n + 1)
        self._origin = places - np.where(near[:, None] < near, near[:, None], near + 1)  # where (h, s, m) lies, less s
        self.frame = word_frame(n, np.repeat(heads, lengths), np.repeat(modifiers, lengths), last)

    def _empty(self, count: int) -> Floats:
        last = self._size * (self._size + 1) if self.program.last else 0
        return scratch("parts", (count, self._count + last))


class SiblingPlan(_SiblingRows):
    """All arcs, and dense scores."""

    def __init__(self, n: int, last: bool) -> None:
        pairs = np.stack(np.triu_indices(n + 1, 1), axis=1)
        arcs = np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)  # for each i and j, i → j and then j → i
        heads, modifiers = arcs[arcs[:, 1] > 0].T
        super().__init__(n, heads, modifiers, last)
        self._ends = _ends(n) if last else None

    def fold(self, arcs: Sequence[Floats], higher: Sequence[Vectors]) -> Floats:
        """Add arc scores to sibling scores, and order last modifiers."""
        parts = self._empty(len(arcs))
        for arc, scored, part in zip(arcs, higher, parts, strict=True):
            if "sibling" in scored:
                _fold_siblings(arc, np.ascontiguousarray(scored["sibling"]), self._origin, part)
            else:
                _fold_siblings(arc, np.broadcast_to(0.0, (self._size,) * 3), self._origin, part)
            if self._ends is not None:
                flat, exists = self._ends
                part[self._count :] = np.where(exists, np.take(scored["last"], flat), -np.inf)
        return parts

    def buffers(self, count: int, dtype: npt.DTypeLike = np.float64) -> dict[str, Floats]:
        """Allocate the marginals of arcs, siblings and last modifiers."""
        kinds = ["arc", "sibling"] + ["last"] * self.program.last
        return {kind: np.empty((count, *PartKind(kind).shape(self._size - 1)), dtype) for kind in kinds}

    def unfold(self, probabilities: Floats, buffers: dict[str, Floats]) -> None:
        """Put the probabilities of siblings where they belong, and add up those of arcs."""
        _unfold_siblings(probabilities, self._origin, buffers["arc"], buffers["sibling"])
        if self._ends is not None:
            flat, exists = self._ends
            last = probabilities[:, self._count :]
            buffers["last"][:] = 0.0
            buffers["last"].reshape(len(last), -1)[:, flat[exists]] = last[:, exists]


class PrunedSiblingPlan(_SiblingRows):
    """Some arcs, and scores of the parts that they make up: memory for those, and for n² items of the chart."""

    sparse = True

    def __init__(self, parts: Parts, last: bool) -> None:
        heads, modifiers = parts.arc.T
        super().__init__(parts.n, heads, modifiers, last)
        self._parts = parts
        h, s, m = parts.sibling.T
        self._siblings = self._origin[h, m] + s

    def fold(self, arcs: Sequence[Floats], higher: Sequence[Vectors]) -> Floats:
        """Add arc scores to sibling scores; what lies between them is forbidden."""
        parts, flat = self._empty(len(arcs)), self._parts.flat("arc")
        parts[:] = -np.inf
        for arc, scored, part in zip(arcs, higher, parts, strict=True):
            part[self._siblings] = np.take(arc, flat)[self._parts.arc_of_sibling] + scored.get("sibling", 0.0)
            if self.program.last:
                h, s, side = self._parts.last.T
                exists = s > 0  # the root has no left, and at least one modifier
                part[self._ends_of(h, s, side)[exists]] = scored["last"][exists]
        return parts

    def buffers(self, count: int, dtype: npt.DTypeLike = np.float64) -> dict[str, Floats]:
        """Allocate the marginals of arcs, and vectors of those of siblings and last modifiers."""
        kinds = ["sibling"] + ["last"] * self.program.last
        vectors = {kind: np.empty((count, self._parts.count(kind)), dtype) for kind in kinds}
        return {"arc": np.zeros((count, self._size, self._size), dtype), **vectors}

    def unfold(self, probabilities: Floats, buffers: dict[str, Floats]) -> None:
        """Take the probabilities of siblings out of the rows, and add up those of arcs."""
        flat = self._parts.flat("arc")
        for problem, probability in enumerate(probabilities):
            siblings = probability[self._siblings]
            arcs = np.bincount(self._parts.arc_of_sibling, siblings, len(flat))
            buffers["arc"][problem].reshape(-1)[flat] = arcs
            buffers["sibling"][problem] = siblings
            if self.program.last:
                h, s, side = self._parts.last.T
                buffers["last"][problem] = np.where(s > 0, probability[self._ends_of(h, s, side)], 0.0)

    def _ends_of(self, h: Ints, s: Ints, side: Ints) -> Ints:
        """Return where last modifiers lie: those of each head, to the left and then to the right."""
        places: Ints = self._count + h * (self._size + 1) + s + side
        return places


def _ends(n: int) -> tuple[Ints, Mask]:
    """Order last modifiers by head, to the left and then to the right: places in a dense array, and which exist."""
    h, column = np.indices((n + 1, n + 2)).reshape(2, -1)
    right = column > h
    s = column - right
    return (h * (n + 1) + s) * 2 + right, s > 0


# All kernels go through a dense array in its own order, because it comes from memory.  Places are unsigned, because an
# index that may be negative costs more than all the rest.

#: The bytes that the cache loads together, and the size of an array that stays near.
_LINE, _NEAR = 64, 1 << 18


@jitable
def _beyond(h: int, s: int, right: int, size: int) -> tuple[int, int]:
    """Return the range of the modifiers of h that lie beyond s on one side; it is empty if s is on the other."""
    if right:
        return s + 1, size if s >= h else s + 1
    return 1, s if s <= h else 1


@kernel
def _fold_siblings(arc: Floats, sibling: Array, origin: Ints, parts: Floats) -> None:
    """Add arc and sibling scores."""
    size, step = len(arc), _LINE // sibling.itemsize
    is_far = sibling.size * sibling.itemsize > _NEAR
    for h in range(size):
        for s in range(size):
            for right in range(2):
                if is_far:  # half of each row is left out, which no machine foresees
                    first, last = _beyond(h + 1, s, right, size)
                    for ahead in range(first, last, step):
                        prefetch(sibling, np.uintp(((h + 1) * size + s) * size + ahead))
                first, last = _beyond(h, s, right, size)
                for k in range(last - first):
                    m = np.uintp(first + k)
                    score = arc[np.uintp(h), m] + sibling[np.uintp(h), np.uintp(s), m]
                    parts[np.uintp(origin[np.uintp(h), m] + s)] = score


@kernel
def _unfold_siblings(probabilities: Floats, origin: Ints, arcs: Floats, siblings: Floats) -> None:
    """Put the probabilities of sibling parts where they belong, zeros between them, and add up those of each arc.

    Memory that may not have been touched before is written in its order, the parts of one head at a time.
    """
    size = len(origin)
    total = np.empty(size)
    for problem in range(len(probabilities)):
        probability, arc, sibling = probabilities[problem], arcs[problem], siblings[problem]
        for h in range(size):
            total[:] = 0.0
            sibling[h] = 0.0
            for s in range(size):
                for right in range(2):
                    first, last = _beyond(h, s, right, size)
                    for k in range(last - first):
                        m = np.uintp(first + k)
                        share = probability[np.uintp(origin[np.uintp(h), m] + s)]
                        sibling[np.uintp(h), np.uintp(s), m] = share
                        total[m] += share
            arc[h] = total
