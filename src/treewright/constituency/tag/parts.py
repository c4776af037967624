"""The parts of derivations, as rows of words: what Equations 2 and 3 of Carreras, Collins and Koo (2008) sum over.

Links of one arc have parts of the same words, so that rows are listed for each *arc*, one for each slot.  The scores
of a `Layout` follow each other: each link with each sibling (Equation 3), or alone (Equation 2); with each grandchild
on the near side of m; on the far side; and each sense with each end, from the first to the left to the last to the
right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints
from treewright.constituency.tag.layout import LEFT, RIGHT, Layout
from treewright.constituency.tag.search import Joins

__all__ = ["ArcRows", "PartRows", "list_parts", "parts_of_derivation"]


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
    by_arc : list of (str, ArcRows)
        In the second-order model, "sibling", rows (h, s, m), where h stands in the place of an s that is not there; and
        "grandchild" on the near side and on the far side, rows (h, m, g), where 0 stands in the place of a g that is
        not there on the left of m, and n + 1 on its right.
    ends : int64 array, shape (·, 2)
        Rows (w, o): a word, and the word just beyond a span of it; o is 0 … n + 1, but not w.
    words : int64 array
        The word of each sense.
    """

    arcs: Ints
    arc_of: Ints
    by_arc: list[tuple[str, ArcRows]]
    ends: Ints
    words: Ints


def _slots(sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """Give things of some sizes their slots: thing and number of each slot, and where those of a thing begin."""
    owners, starts = np.repeat(np.arange(len(sizes)), sizes), np.cumsum(sizes) - sizes
    return owners, np.arange(len(owners)) - starts[owners], starts


def list_parts(x: Layout) -> PartRows:
    """List the parts of a space."""
    count = len(x.modifiers)
    heads = np.repeat(np.arange(2 * x.n + 2), np.diff(np.append(x.first_arc, count))) // 2
    arcs = np.stack([heads, x.modifiers], axis=1)
    arc_of = np.repeat(np.arange(count), np.diff(x.run_starts[x.runs]))
    words = np.repeat(np.arange(x.n + 1), np.diff(x.sense_starts))
    right = (x.modifiers > heads).astype(np.int64)
    by_arc = []
    if x.second:
        by_arc = [
            ("sibling", _siblings(x, arcs, right)),
            ("grandchild", _grandchildren(x, arcs, 1 - right, x.near_grand)),
            ("grandchild", _grandchildren(x, arcs, right, x.far_grand)),
        ]
    return PartRows(arcs, arc_of, by_arc, _ends(x), words)


def _siblings(x: Layout, arcs: Ints, right: Ints) -> ArcRows:
    owners, slots, starts = _slots(x.reach[arcs[:, 0], arcs[:, 1]])
    h, m = arcs[owners].T
    s = np.where(slots > 0, x.modifiers[x.first_arc[2 * h + right[owners]] + slots - (slots > 0)], h)
    return ArcRows(np.stack([h, s, m], axis=1), owners, slots, starts, x.sibling)


def _grandchildren(x: Layout, arcs: Ints, side: Ints, base: Ints) -> ArcRows:
    degree = np.diff(np.append(x.first_arc, len(x.modifiers)))
    key = 2 * arcs[:, 1] + side
    owners, slots, starts = _slots(1 + degree[key])
    h, m = arcs[owners].T
    numbers = np.minimum(x.first_arc[key[owners]] + slots - 1, len(x.modifiers) - 1)
    g = np.where(slots > 0, x.modifiers[numbers], np.where(side[owners] == RIGHT, x.n + 1, 0))
    return ArcRows(np.stack([h, m, g], axis=1), owners, slots, starts, base)


def _ends(x: Layout) -> Ints:
    """List the ends of spans of each word but the root that modifiers can bring about, and those of no modifiers."""
    w, slot = np.divmod(np.arange(x.n * (x.n + 1)), x.n + 1)
    w += 1
    right = slot >= w
    e = np.where(right, slot, slot + 1)
    possible = (e == w) | (x.reach[w, e] > 0)
    rows: Ints = np.stack([w, slot + right], axis=1)[possible]
    return rows


def parts_of_derivation(x: Layout, joins: Joins, heads: Ints) -> Ints:
    """Find the parts of a derivation.

    Parameters
    ----------
    x : Layout
    joins : Joins
    heads : int64 array, shape (n + 1,)
        The head of each word; entry 0 is not looked at.
    """
    first, last, outermost, before = (column[1:] for column in _family(heads))
    above, words = heads[1:], np.arange(1, x.n + 1)
    if not x.second:
        used = [x.sibling[joins.links]]
    else:  # the modifier m of h has the slot reach[h, m]
        used = [x.sibling[joins.links] + np.where(before > 0, x.reach[above, before], 0)]
        right = (words > above).astype(np.int64)
        for base, side in ((x.near_grand, 1 - right), (x.far_grand, right)):
            g = outermost[words - 1, side]
            used.append(base[joins.links] + np.where(g > 0, x.reach[words, g], 0))
    used += [x.close[2 * joins.senses] + first - 1, x.close[2 * joins.senses + 1] + last - words]
    return np.concatenate(used)


def _family(heads: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Find the first and last word below each word, its outermost modifiers, and its next sibling inwards (or 0)."""
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
