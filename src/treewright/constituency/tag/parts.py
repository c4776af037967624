"""The parts of derivations, as rows of words: what Equations 2 and 3 of Carreras, Collins and Koo (2008) sum over.

Links of one arc have parts of the same words, so that rows are listed for each *arc*, one for each slot.  The scores
of a `Space` follow each other: each link with each sibling (Equation 3), or alone (Equation 2); with each grandchild on
the near side of m; on the far side; and each sense with each end, from the first to the left to the last to the right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.constituency.tag.search import Joins
from treewright.constituency.tag.space import LEFT, RIGHT, Space

__all__ = ["ArcRows", "PartRows", "list_parts", "parts_of_derivation"]

Ints = npt.NDArray[np.int64]


class ArcRows(NamedTuple):
    """Rows of words, one for each slot of each arc.

    Attributes
    ----------
    rows : int64 array, shape (·, 3)
    arcs, slots : int64 arrays
        The arc and the slot of each row.
    starts : int64 array
        Where the rows of each arc begin.
    base : int64 array
        Where the scores of each *link* begin.
    """

    rows: Ints
    arcs: Ints
    slots: Ints
    starts: Ints
    base: Ints


class PartRows(NamedTuple):
    """The parts of a space, as rows of words.

    Attributes
    ----------
    arcs : int64 array, shape (arcs, 2)
        Rows (h, m).
    arc_of : int64 array
        The arc of each link.
    sibling : ArcRows
        Rows (h, s, m); where there is no s, h stands in its place.
    near, far : ArcRows
        Rows (h, m, g); where there is no g, 0 stands in its place on the left of m, and n + 1 on its right.
    ends : int64 array, shape (·, 2)
        Rows (w, o): a word, and the word just beyond a span of it; o is 0 … n + 1, but not w.
    words : int64 array
        The word of each sense.
    """

    arcs: Ints
    arc_of: Ints
    sibling: ArcRows
    near: ArcRows
    far: ArcRows
    ends: Ints
    words: Ints


def _slots(sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """Give things of some sizes their slots: the thing and the number of each slot, and where those of a thing begin."""
    owners, starts = np.repeat(np.arange(len(sizes)), sizes), np.cumsum(sizes) - sizes
    return owners, np.arange(len(owners)) - starts[owners], starts


def list_parts(x: Space) -> PartRows:
    """List the parts of a space."""
    count = len(x.modifiers)
    heads = np.repeat(np.arange(2 * x.n + 2), np.diff(np.append(x.first_arc, count))) // 2
    arcs = np.stack([heads, x.modifiers], axis=1)
    arc_of = np.repeat(np.arange(count), np.diff(x.run_starts[x.runs]))
    words = np.repeat(np.arange(x.n + 1), np.diff(x.sense_starts))
    right = (x.modifiers > heads).astype(np.int64)
    near, far = (_grandchildren(x, arcs, side, base) for side, base in ((1 - right, x.near_grand), (right, x.far_grand)))
    return PartRows(arcs, arc_of, _siblings(x, arcs, right), near, far, _ends(x), words)


def _siblings(x: Space, arcs: Ints, right: Ints) -> ArcRows:
    sizes = x.reach[arcs[:, 0], arcs[:, 1]] if x.second else np.zeros(len(arcs), np.int64)
    owners, slots, starts = _slots(sizes)
    h, m = arcs[owners].T
    s = np.where(slots > 0, x.modifiers[x.first_arc[2 * h + right[owners]] + slots - (slots > 0)], h)
    return ArcRows(np.stack([h, s, m], axis=1), owners, slots, starts, x.sibling)


def _grandchildren(x: Space, arcs: Ints, side: Ints, base: Ints) -> ArcRows:
    degree = np.diff(np.append(x.first_arc, len(x.modifiers)))
    key = 2 * arcs[:, 1] + side
    owners, slots, starts = _slots((1 + degree[key]) * x.second)
    h, m = arcs[owners].T
    numbers = np.minimum(x.first_arc[key[owners]] + slots - 1, len(x.modifiers) - 1)
    g = np.where(slots > 0, x.modifiers[numbers], np.where(side[owners] == RIGHT, x.n + 1, 0))
    return ArcRows(np.stack([h, m, g], axis=1), owners, slots, starts, base)


def _ends(x: Space) -> Ints:
    """List the ends of spans of each word but the root that modifiers can bring about, and that of none on each side."""
    w, slot = np.divmod(np.arange(x.n * (x.n + 1)), x.n + 1)
    w += 1
    right = slot >= w
    e = np.where(right, slot, slot + 1)
    possible = (e == w) | (x.reach[w, e] > 0)
    return np.stack([w, slot + right], axis=1)[possible]


def parts_of_derivation(x: Space, joins: Joins, heads: Ints) -> Ints:
    """Find the parts of a derivation.

    Parameters
    ----------
    x : Space
    joins : Joins
    heads : int64 array, shape (n + 1,)
        The head of each word; entry 0 is not looked at.
    """
    n = x.n
    first, last, outermost, before = _family(heads)
    ends = np.stack([first, last], axis=1)
    slot_of = x.reach  # the modifier m of h has slot reach[h, m]
    words = np.arange(1, n + 1)
    used = []
    if x.second:
        inner = before[1:]
        slots = np.where(inner > 0, slot_of[heads[1:], np.maximum(inner, 1)], 0)
        used.append(x.sibling[joins.links] + slots)
        right = (words > heads[1:]).astype(np.int64)
        for base, side in ((x.near_grand, 1 - right), (x.far_grand, right)):
            g = outermost[words, side]
            used.append(base[joins.links] + np.where(g > 0, slot_of[words, g], 0))
    else:
        used.append(x.sibling[joins.links])
    used += [x.close[2 * joins.senses + LEFT] + ends[1:, LEFT] - 1, x.close[2 * joins.senses + RIGHT] + ends[1:, RIGHT] - words]
    return np.concatenate(used)


def _family(heads: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Find the first and the last word below each word, its outermost modifiers, and its next sibling inwards (or 0)."""
    n = len(heads) - 1
    first, last = np.arange(n + 1), np.arange(n + 1)
    outermost, before = np.zeros((n + 1, 2), np.int64), np.zeros(n + 1, np.int64)
    for side in (LEFT, RIGHT):
        for m in range(1, n + 1) if side == RIGHT else range(n, 0, -1):
            h = int(heads[m])
            if (m > h) == bool(side):
                before[m] = outermost[h, side]
                outermost[h, side] = m
    for w in _bottom_up(heads):
        for side, ends in ((LEFT, first), (RIGHT, last)):
            if outermost[w, side]:
                ends[w] = ends[outermost[w, side]]
    return first, last, outermost, before


def _bottom_up(heads: Ints) -> list[int]:
    """Order the words so that modifiers come before their heads."""
    children: list[list[int]] = [[] for _ in heads]
    for m, h in enumerate(heads[1:].tolist(), 1):
        children[h].append(m)
    order = [0]
    for w in order:
        order += children[w]
    return order[::-1]
