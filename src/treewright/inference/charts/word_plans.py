"""The plans of the programs that are indexed by words: arcs, and siblings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Ints
from treewright.inference.charts.questions import Frame
from treewright.inference.charts.runs import runs_of, shift_runs
from treewright.inference.scratch import scratch
from treewright.kernels import kernel

__all__ = ["ArcPlan", "SiblingPlan", "stacked"]

Vectors = Mapping[str, npt.NDArray[np.float32] | npt.NDArray[np.float64]]

_NOTHING = np.zeros((1, 1), np.int64)


class ArcPlan:
    """Single arcs: nothing to fold."""

    factorization = "arc"

    def __init__(self, n: int) -> None:
        self.x, self.at, self._size = n, _NOTHING, n + 1
        places = np.arange((n + 1) ** 2)
        self.frame = _word_frame(n, places // (n + 1), places % (n + 1))

    def fold(self, arcs: Sequence[Floats], higher: Sequence[Vectors]) -> Floats:
        """Give arc scores as they are."""
        return stacked(arcs).reshape(len(arcs), -1)

    def shift(self, parts: Floats, shifted: Floats) -> tuple[Floats, Floats]:
        """Subtract from the arcs of each word their maximum."""
        squares = (len(parts), self._size, self._size)
        largest = parts.reshape(squares).max(axis=1)
        largest[:, 0] = 0.0
        below = np.where(largest > -np.inf, largest, 0.0)[:, None]
        np.subtract(parts.reshape(squares), below, out=shifted.reshape(squares))
        return largest.sum(axis=1), np.full(len(parts), -np.inf)

    def room(self, count: int) -> dict[str, Floats]:
        """Make room for arcs."""
        return {"arc": np.empty((count, self._size, self._size))}

    def unfold(self, probabilities: Floats, room: dict[str, Floats]) -> None:
        """Copy the probabilities of arcs."""
        room["arc"][:] = probabilities.reshape(room["arc"].shape)


class SiblingPlan:
    """Arcs fold into sibling parts; the parts of an arc lie side by side, by s.  Last modifiers come after them."""

    def __init__(self, n: int, factorization: str) -> None:
        self.factorization, self.x, self._size = factorization, n, n + 1
        h, m, s = np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij")
        exists = (m > 0) & (((h <= s) & (s < m)) | ((m < s) & (s <= h)))
        counts = exists.sum(axis=2)
        self.at = (np.cumsum(counts) - counts.reshape(-1)).reshape(n + 1, n + 1)
        self._origin = self.at - np.where(h < m, h, m + 1)[:, :, 0]  # where part (h, s, m) lies, less s
        self._ends = _ends(n) if factorization.endswith("+last") else None
        self.frame = _word_frame(n, h[exists], m[exists], self._ends is not None)

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

    def shift(self, parts: Floats, shifted: Floats) -> tuple[Floats, Floats]:
        """Subtract from the parts of each word their maximum."""
        return shift_runs(parts, self.frame, shifted)

    def room(self, count: int) -> dict[str, Floats]:
        """Make room for arcs, siblings and last modifiers; what does not exist stays zero."""
        size = self._size
        room = {"arc": np.zeros((count, size, size)), "sibling": np.zeros((count, size, size, size))}
        return room if self._ends is None else {**room, "last": np.zeros((count, size, size, 2))}

    def unfold(self, probabilities: Floats, room: dict[str, Floats]) -> None:
        """Put the probabilities of siblings where they belong, and add up those of arcs."""
        _unfold_siblings(probabilities, self._origin, room["arc"], room["sibling"])
        if self._ends is not None:
            flat, exists = self._ends
            last = probabilities[:, len(self.frame.modifiers) :]
            room["last"].reshape(len(last), -1)[:, flat[exists]] = last[:, exists]


def _ends(n: int) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Order last modifiers by head, to the left and then to the right: places in a dense array, and which exist."""
    h, column = np.indices((n + 1, n + 2)).reshape(2, -1)
    right = column > h
    s = column - right
    return (h * (n + 1) + s) * 2 + right, s > 0


# Both kernels go through the dense array in its own order, because it comes from memory; within a head, the parts fit
# into the nearest cache.  Places are unsigned, because an index that may be negative costs more than all the rest.


@kernel
def _fold_siblings(arc: Floats, sibling: npt.NDArray[Any], origin: Ints, parts: Floats) -> None:
    """Add arc and sibling scores."""
    size = len(arc)
    for h in range(size):
        for s in range(size):
            for side in range(2):
                first, last = (s + 1, size) if side else (1, s)
                if (s < h and side) or (s > h and not side):
                    continue
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
                for side in range(2):
                    first, last = (s + 1, size) if side else (1, s)
                    if (s < h and side) or (s > h and not side):
                        continue
                    for k in range(last - first):
                        m = np.uintp(first + k)
                        share = probability[np.uintp(origin[np.uintp(h), m] + s)]
                        sibling[np.uintp(h), np.uintp(s), m] = share
                        arc[np.uintp(h), m] += share


def _word_frame(n: int, heads: Ints, modifiers: Ints, ends: bool = False) -> Frame:
    """Frame the programs that are indexed by words: four square charts, the first being C, the second its copy.

    With last modifiers, those two are wider, and after all of them comes an item that is always one.
    """
    diagonal, size = np.arange(n + 1) * (n + 2), 4 * (n + 1) ** 2
    ones = np.concatenate([diagonal, (n + 1) ** 2 + diagonal])
    if ends:
        size += 2 * (n + 1) + 1
        ones = np.array([size - 1])
    return Frame(n, size, n + ends, ones, np.append(heads, -1), modifiers, runs_of(modifiers))


def stacked(arcs: Sequence[Floats]) -> Floats:
    """Give arc scores of problems of the same length as one array; of those prepared together, that array."""
    base = arcs[0].base
    together = base is not None and base.ndim == 3 and len(base) == len(arcs)
    if together and all(arc.base is base for arc in arcs):
        return np.asarray(base, np.float64)
    return np.stack(arcs)
