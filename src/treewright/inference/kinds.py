"""The kinds of parts, and the factorizations that score them: the tables to extend for a new one.

Indices have the letters of the papers: h is a head, m its modifier, s the next modifier of h inside m (nearer to h, on
the same side), t the next one inside s, and g the head of h.  An index that does not exist repeats h.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints, Mask

__all__ = ["FACTORIZATIONS", "Factorization", "PartKind", "check_scored"]


class PartKind(StrEnum):
    """A kind of part.  It is a string: the name of its array in `Scores` and in `Parts`.

    Attributes
    ----------
    indices : tuple of str
        What the axes of a dense array of scores stand for.  All are words, but ``side``: 0 is left, 1 is right.
    starts : str
        The array of `treewright.inference.arcs.Arcs` that numbers the parts of this kind; its last entry is how many
        there are.

    Examples
    --------
    >>> PartKind.GRAND_SIBLING.indices, PartKind("last").shape(n=4)
    (('g', 'h', 's', 'm'), (5, 5, 2))
    """

    indices: tuple[str, ...]
    starts: str

    ARC = "arc", "h m", "first"
    SIBLING = "sibling", "h s m", "pair_start"
    LAST = "last", "h s side", "list_start"
    GRANDCHILD = "grandchild", "g h m", "grandchild_start"
    GRAND_SIBLING = "grand_sibling", "g h s m", "grand_start"
    TRI_SIBLING = "tri_sibling", "h t s m", "tri_start"

    def __new__(cls, name: str, indices: str = "", starts: str = "") -> PartKind:
        """Make a member of the table."""
        kind = str.__new__(cls, name)
        kind._value_, kind.indices, kind.starts = name, tuple(indices.split()), starts
        return kind

    @property
    def rank(self) -> int:
        """The number of indices."""
        return len(self.indices)

    @property
    def head(self) -> int:
        """The position of h among the indices."""
        return self.indices.index("h")

    @property
    def can_cross(self) -> bool:
        """Whether arcs of such a part may cross each other: that of g and that of m."""
        return "g" in self.indices

    def shape(self, n: int) -> tuple[int, ...]:
        """Return the shape of a dense array for a sentence of n words."""
        return tuple(2 if index == "side" else n + 1 for index in self.indices)

    def exists(self, n: int) -> Mask:
        """Return which entries of a dense array are parts of some tree, projective or not."""
        axes: dict[str, Ints] = dict(zip(self.indices, np.ix_(*map(np.arange, self.shape(n))), strict=True))
        h, s = axes["h"], axes.get("s", axes["h"])
        if self is PartKind.LAST:
            exists: Mask = (s > 0) & np.where(axes["side"] == 0, s <= h, h <= s)
            return exists
        m = axes["m"]
        exists = (m > 0) & (h != m) & _is_inside(h, s, m)
        if "t" in axes:
            t = axes["t"]
            exists = exists & _is_inside(h, t, s) & ((t == h) | (t != s))
        if "g" in axes:
            g = axes["g"]
            exists = exists & np.where(h == 0, g == 0, g != h) & (g != m) & ((g != s) | (s == h))
        return exists


def _is_inside(h: Ints, s: Ints, m: Ints) -> Mask:
    """Return where s is inside m, or does not exist."""
    return np.asarray((s == h) | ((h < s) & (s < m)) | ((m < s) & (s < h)))


class Factorization(NamedTuple):
    """Which parts a model scores."""

    kinds: tuple[PartKind, ...]  # the kinds of parts
    nonprojective: bool = False  # whether trees that need not be projective can be searched
    outermost: bool = False  # whether parts with a g are scored for the outermost modifier of each side only
    inner: bool = False  # whether, beside an outermost modifier, the next one inside is scored as a grandchild too


def _of(*names: str, nonprojective: bool = False, outermost: bool = False, inner: bool = False) -> Factorization:
    return Factorization(tuple(map(PartKind, names)), nonprojective, outermost, inner)


#: Every factorization by name: Eisner (2000); McDonald & Pereira (2006); Model 0 of Koo & Collins (2010); Carreras
#: (2007); Models 1 and 2.
FACTORIZATIONS: Mapping[str, Factorization] = {
    "arc": _of("arc", nonprojective=True),
    "sibling": _of("arc", "sibling", "last", nonprojective=True),
    "grandchild": _of("arc", "grandchild"),
    "carreras": _of("arc", "sibling", "grandchild", outermost=True),
    "grand-sibling": _of("arc", "sibling", "last", "grandchild", "grand_sibling", nonprojective=True),
    "tri-sibling": _of("arc", "sibling", "grandchild", "grand_sibling", "tri_sibling", outermost=True, inner=True),
}


def check_scored(names: Iterable[str], factorization: str) -> None:
    """Refuse arrays that a factorization does not score."""
    for name in names:
        if name not in FACTORIZATIONS[factorization].kinds:
            raise ValueError(f"{name} is given, but the factorization {factorization!r} does not score it")
