"""The parts of a sentence whose arcs have been pruned: which there are, and how the small ones lie within the large."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from treewright.inference.arcs import Arcs, arcs_of

__all__ = ["Parts", "all_parts"]

Ints = npt.NDArray[np.int64]


class Parts:
    """All parts that surviving arcs make up.

    Scores for them are vectors, ``Scores(arc=…, sibling=…, parts=parts)``, whose entries belong to the rows of the
    arrays here.  An index that does not exist repeats h.

    Parameters
    ----------
    allowed : bool array, shape (n + 1, n + 1)
        The arcs ``[h, m]`` that survive.

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

    def __init__(self, allowed: npt.ArrayLike) -> None:
        mask = np.asarray(allowed, bool)
        if mask.ndim != 2 or mask.shape[0] != mask.shape[1] or len(mask) < 2:
            raise ValueError(f"allowed has shape {mask.shape}: it must be (n+1, n+1), with the root at index 0")
        self.arcs: Arcs = arcs_of(mask)
        self.n = self.arcs.n
        self._flat: dict[str, Ints] = {}
        self._crossing: dict[str, Ints] = {}

    @functools.cached_property
    def arc(self) -> Ints:
        """The arcs, rows (h, m)."""
        return np.stack([self.arcs.heads, self.arcs.modifiers], axis=1)[:-1]

    @functools.cached_property
    def _pairs(self) -> tuple[Ints, Ints, Ints]:
        """For each pair: its head and side, and the ranks (from 1) of s, 0 for none, and of m."""
        sides = np.repeat(np.arange(len(self.arcs.degree)), np.diff(self.arcs.pair_start))
        within = np.arange(len(sides)) - self.arcs.pair_start[sides]
        j = ((np.sqrt(8.0 * within + 1.0) - 1.0) / 2.0).astype(np.int64)
        return sides, within - j * (j + 1) // 2, j

    @functools.cached_property
    def sibling(self) -> Ints:
        """The sibling parts, rows (h, s, m): all pairs of modifiers on one side, next to each other in some tree."""
        sides, i, j = self._pairs
        h, first = sides // 2, self.arcs.first[sides]
        s = np.where(i > 0, self.arcs.modifiers[first + np.maximum(i - 1, 0)], h)
        return np.stack([h, s, self.arcs.modifiers[first + j]], axis=1)

    @functools.cached_property
    def arc_of_sibling(self) -> Ints:
        """The arc (h, m) of each sibling part (h, s, m)."""
        sides, _, j = self._pairs
        return self.arcs.first[sides] + j

    @functools.cached_property
    def grandchild(self) -> Ints:
        """The grandchild parts, rows (g, h, m)."""
        above = np.repeat(np.arange(len(self.arcs.heads)), np.diff(self.arcs.grandchild_start))
        g, h = self.arcs.heads[above], self.arcs.modifiers[above]
        return np.stack([g, h, self.arcs.modifiers[self.arc_of_grandchild]], axis=1)

    @functools.cached_property
    def arc_of_grandchild(self) -> Ints:
        """The arc (h, m) of each grandchild part (g, h, m)."""
        above = np.repeat(np.arange(len(self.arcs.heads)), np.diff(self.arcs.grandchild_start))
        within = np.arange(len(above)) - self.arcs.grandchild_start[above]
        return self.arcs.first[2 * self.arcs.modifiers[above]] + within

    @functools.cached_property
    def _grand(self) -> tuple[Ints, Ints]:
        """For each grand-sibling part (g, h, s, m), its arc (g, h) and its sibling part (h, s, m)."""
        above = np.repeat(np.arange(len(self.arcs.heads)), np.diff(self.arcs.grand_start))
        within = np.arange(len(above)) - self.arcs.grand_start[above]
        return above, self.arcs.pair_start[2 * self.arcs.modifiers[above]] + within

    @functools.cached_property
    def grand_sibling(self) -> Ints:
        """The grand-sibling parts, rows (g, h, s, m)."""
        above, pair = self._grand
        return np.concatenate([self.arcs.heads[above, None], self.sibling[pair]], axis=1)

    @property
    def sibling_of_grand(self) -> Ints:
        """The sibling part (h, s, m) of each grand-sibling part (g, h, s, m)."""
        return self._grand[1]

    @functools.cached_property
    def outer_of_grand(self) -> Ints:
        """The grandchild part (g, h, m) of each grand-sibling part (g, h, s, m)."""
        above, pair = self._grand
        own = self.arc_of_sibling[pair] - self.arcs.first[2 * self.arcs.modifiers[above]]
        return self.arcs.grandchild_start[above] + own

    @functools.cached_property
    def inner_of_grand(self) -> Ints:
        """The grandchild part (g, h, s) of each grand-sibling part (g, h, s, m), or -1 where there is no s."""
        above, pair = self._grand
        sides, i, _ = self._pairs
        own = self.arcs.first[sides[pair]] + i[pair] - 1 - self.arcs.first[2 * self.arcs.modifiers[above]]
        return np.where(i[pair] > 0, self.arcs.grandchild_start[above] + own, -1)

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
        first = self.arcs.first[self._pairs[0][pair]]
        t = np.where(within > 0, self.arcs.modifiers[first + np.maximum(within - 1, 0)], h)
        return np.stack([h, t, s, m], axis=1)

    def crossing(self, name: str) -> Ints:
        """Find the parts whose g stands between h and m, or is m: no projective tree has them."""
        if name not in ("grandchild", "grand_sibling"):
            return np.empty(0, np.int64)
        if name not in self._crossing:
            rows = getattr(self, name)
            g, h, m = rows[:, 0], rows[:, 1], rows[:, -1]
            self._crossing[name] = np.flatnonzero((h > 0) & (np.minimum(h, m) <= g) & (g <= np.maximum(h, m)))
        return self._crossing[name]

    def flat(self, name: str) -> Ints:
        """Give for each part of a kind its place in a dense array."""
        if name not in self._flat:
            rows = getattr(self, name)
            self._flat[name] = np.ravel_multi_index(tuple(rows.T), (self.n + 1,) * rows.shape[1])
        return self._flat[name]


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
