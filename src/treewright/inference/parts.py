"""The parts that the surviving arcs of a pruned sentence make up, and which smaller parts each of them contains."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints
from treewright.inference.arcs import Arcs, arcs_of
from treewright.inference.kinds import PartKind
from treewright.kernels import kernel

__all__ = ["Parts", "all_parts"]


class _Column:
    """One of the arrays that a property of `Parts` computes together."""

    def __init__(self, table: str, index: int, description: str) -> None:
        self.table, self.index, self.__doc__ = table, index, description

    def __get__(self, parts: Parts, owner: type[Parts]) -> Ints:
        column: Ints = getattr(parts, self.table)[self.index]
        return column


class Parts:
    """All parts that surviving arcs make up.

    Scores for them are vectors, ``Scores(arc=…, sibling=…, parts=parts)``, whose entries belong to the rows of the
    arrays here.  An index that does not exist repeats h.

    Parameters
    ----------
    allowed : bool array, shape (n + 1, n + 1)
        The arcs ``[h, m]`` that survive.
    projective : bool
        Whether only projective trees will be searched, so that the scores of crossing parts do not matter.

    Examples
    --------
    >>> parts = Parts(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], bool))     # root → 1 → 2
    >>> parts.arc.tolist()
    [[0, 1], [1, 2]]
    >>> parts.sibling.tolist()            # h, s, m
    [[0, 0, 1], [1, 1, 2]]
    >>> parts.grandchild.tolist()         # g, h, m
    [[0, 1, 2], [0, 0, 1]]
    """

    def __init__(self, allowed: npt.ArrayLike, *, projective: bool = False) -> None:
        mask = np.asarray(allowed, bool)
        if mask.ndim != 2 or mask.shape[0] != mask.shape[1] or len(mask) < 2:
            raise ValueError(f"allowed has shape {mask.shape}: it must be (n+1, n+1), with the root at index 0")
        self.projective = projective
        self.arcs: Arcs = arcs_of(np.ascontiguousarray(mask))
        self.n = self.arcs.n
        self._flat: dict[str, Ints] = {}
        self._crossing: dict[str, Ints] = {}

    @functools.cached_property
    def arc(self) -> Ints:
        """The arcs, rows (h, m)."""
        return np.stack([self.arcs.heads, self.arcs.modifiers], axis=1)[:-1]

    def count(self, name: str) -> int:
        """Count the parts of a kind."""
        return int(getattr(self.arcs, PartKind(name).starts)[-1])

    def rows(self, name: str) -> Ints:
        """Return the parts of a kind, one a row, with the indices of `PartKind`."""
        rows: Ints = getattr(self, name)
        return rows

    @functools.cached_property
    def _pairs(self) -> tuple[Ints, Ints, Ints]:
        """For each pair: (h, s, m), the arc (h, m), and the rank (from 1) of s, 0 for none."""
        x = self.arcs
        return _pairs(x.modifiers, x.first, x.degree, x.pair_start)

    sibling = _Column("_pairs", 0, "The sibling parts, rows (h, s, m): neighbours on one side of h in some tree.")
    arc_of_sibling = _Column("_pairs", 1, "The arc (h, m) of each sibling part (h, s, m).")

    @functools.cached_property
    def last(self) -> Ints:
        """The last modifiers, rows (h, s, side): for each head and side none, s = h, and all that there may be."""
        lists = np.repeat(np.arange(len(self.arcs.degree)), self.arcs.degree + 1)
        slot = np.arange(len(lists)) - self.arcs.list_start[lists]
        s = np.where(slot > 0, self.arcs.modifiers[self.arcs.first[lists] + np.maximum(slot - 1, 0)], lists // 2)
        return np.stack([lists // 2, s, lists % 2], axis=1)

    @functools.cached_property
    def _grandchildren(self) -> tuple[Ints, Ints]:
        """For each arc and each arc below it: (g, h, m), and the arc (h, m)."""
        x = self.arcs
        return _grandchildren(x.heads, x.modifiers, x.first, x.grandchild_start)

    grandchild = _Column("_grandchildren", 0, "The grandchild parts, rows (g, h, m).")
    arc_of_grandchild = _Column("_grandchildren", 1, "The arc (h, m) of each grandchild part (g, h, m).")

    @functools.cached_property
    def _grand(self) -> tuple[Ints, Ints, Ints, Ints]:
        """For each arc (g, h) and each pair of h: (g, h, s, m), the pair, and the grandchild parts of m and s."""
        x = self.arcs
        return _grand(x.heads, x.modifiers, x.first, x.pair_start, x.grandchild_start, x.grand_start, *self._pairs)

    grand_sibling = _Column("_grand", 0, "The grand-sibling parts, rows (g, h, s, m).")
    sibling_of_grand = _Column("_grand", 1, "The sibling part (h, s, m) of each grand-sibling part (g, h, s, m).")
    outer_of_grand = _Column("_grand", 2, "The grandchild part (g, h, m) of each grand-sibling part (g, h, s, m).")
    inner_of_grand = _Column("_grand", 3, "The grandchild part (g, h, s) of each (g, h, s, m); -1 where there is no s.")

    @functools.cached_property
    def sibling_of_tri(self) -> Ints:
        """The sibling part (h, s, m) of each tri-sibling part (h, t, s, m)."""
        return np.repeat(np.arange(len(self.arcs.tri_start) - 1), np.diff(self.arcs.tri_start))

    @functools.cached_property
    def tri_sibling(self) -> Ints:
        """The tri-sibling parts, rows (h, t, s, m)."""
        pair = self.sibling_of_tri
        within = np.arange(len(pair)) - self.arcs.tri_start[pair]
        h, s, m = self.sibling[pair].T
        first = self.arcs.first[2 * h + (m > h)]
        t = np.where(within > 0, self.arcs.modifiers[first + np.maximum(within - 1, 0)], h)
        return np.stack([h, t, s, m], axis=1)

    def crossing(self, name: str) -> Ints:
        """Find the parts whose g stands between h and m, or is m: no projective tree has them."""
        if not PartKind(name).can_cross:
            return np.empty(0, np.int64)
        if name not in self._crossing:
            self._crossing[name] = np.flatnonzero(_cross(self.rows(name)))
        return self._crossing[name]

    def flat(self, name: str) -> Ints:
        """Return the place of each part of a kind in a flattened dense array."""
        if name not in self._flat:
            shape = PartKind(name).shape(self.n)
            self._flat[name] = np.ravel_multi_index(tuple(self.rows(name).T), shape)
        return self._flat[name]


# Kernels, because for the few parts of a pruned sentence each call of NumPy costs more than all that it does.


@kernel
def _pairs(modifiers: Ints, first: Ints, degree: Ints, pair_start: Ints) -> tuple[Ints, Ints, Ints]:
    rows, arcs = np.empty((pair_start[-1], 3), np.int64), np.empty(pair_start[-1], np.int64)
    ranks = np.empty(pair_start[-1], np.int64)
    pair = 0
    for side in range(len(degree)):
        h = side // 2
        for j in range(degree[side]):
            for i in range(j + 1):
                s = modifiers[first[side] + i - 1] if i > 0 else h
                rows[pair, 0], rows[pair, 1], rows[pair, 2] = h, s, modifiers[first[side] + j]
                arcs[pair], ranks[pair] = first[side] + j, i
                pair += 1
    return rows, arcs, ranks


@kernel
def _grandchildren(heads: Ints, modifiers: Ints, first: Ints, starts: Ints) -> tuple[Ints, Ints]:
    rows, arcs = np.empty((starts[-1], 3), np.int64), np.empty(starts[-1], np.int64)
    for above in range(len(heads)):
        h = modifiers[above]
        for place in range(starts[above], starts[above + 1]):
            arc = first[2 * h] + place - starts[above]
            rows[place, 0], rows[place, 1], rows[place, 2] = heads[above], h, modifiers[arc]
            arcs[place] = arc
    return rows, arcs


@kernel
def _grand(
    heads: Ints,
    modifiers: Ints,
    first: Ints,
    pair_start: Ints,
    grandchild_start: Ints,
    starts: Ints,
    siblings: Ints,
    arcs: Ints,
    ranks: Ints,
) -> tuple[Ints, Ints, Ints, Ints]:
    rows = np.empty((starts[-1], 4), np.int64)
    pairs, outer, inner = np.empty(starts[-1], np.int64), np.empty(starts[-1], np.int64), np.empty(starts[-1], np.int64)
    for above in range(len(heads)):
        h = modifiers[above]
        below = grandchild_start[above] - first[2 * h]
        for place in range(starts[above], starts[above + 1]):
            pair = pair_start[2 * h] + place - starts[above]
            s, m = siblings[pair, 1], siblings[pair, 2]
            rows[place, 0], rows[place, 1], rows[place, 2], rows[place, 3] = heads[above], h, s, m
            pairs[place], outer[place] = pair, below + arcs[pair]
            inner[place] = below + first[2 * h + (m > h)] + ranks[pair] - 1 if ranks[pair] > 0 else -1
    return rows, pairs, outer, inner


@kernel
def _cross(rows: Ints) -> npt.NDArray[np.bool_]:
    """Mark the rows (g, h, …, m) in which g stands between h and m, or is m."""
    crosses = np.empty(len(rows), np.bool_)
    for row in range(len(rows)):
        g, h, m = rows[row, 0], rows[row, 1], rows[row, -1]
        crosses[row] = h > 0 and min(h, m) <= g <= max(h, m)
    return crosses


#: Parts of longer sentences are not kept: there are too many of them.
KEPT = 32

_kept: dict[int, Parts] = {}


def all_parts(n: int) -> Parts:
    """List the parts of a sentence of n words with all its arcs; those of short sentences are made once."""
    if n > KEPT:
        return Parts(np.ones((n + 1, n + 1), bool))
    if n not in _kept:
        _kept[n] = Parts(np.ones((n + 1, n + 1), bool))
    return _kept[n]
