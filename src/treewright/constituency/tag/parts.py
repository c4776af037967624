"""The parts of derivations, as rows of words: what Equations 2 and 3 of Carreras, Collins and Koo (2008) sum over.

All links of an arc have parts of the same words, so that rows are listed for each *arc*, one for each slot.  The scores
of a `ChartLayout` follow each other: each link with each sibling (Equation 3), or alone (Equation 2); with each
grandchild on the near side of m; on the far side; and each sense with each end, from the leftmost to the rightmost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Hashes, Ints
from treewright.constituency.tag.graph import LinkGraph
from treewright.constituency.tag.layout import ChartLayout
from treewright.constituency.tag.links import LEFT, RIGHT, Joins
from treewright.kernels import kernel

__all__ = ["ArcRows", "PartRows", "list_between", "list_parts", "parts_of_derivation"]


class ArcRows(NamedTuple):
    """Rows of words, one for each slot of each arc."""

    rows: Ints  # (rows, 3)
    arcs: Ints  # the arc of each row
    slots: Ints  # the slot of each row
    starts: Ints  # where the rows of each arc begin
    base: Ints  # where the scores of each *link* begin


class PartRows(NamedTuple):
    """The parts of a space, as rows of words.

    In the second-order model ``by_arc`` has "sibling", with rows (h, s, m), where h stands for an s that does not
    exist, and "grandchild" on the near side and on the far side, with rows (h, m, g), where 0 stands for a g that does
    not exist on the left of m, and n + 1 on its right.
    """

    arcs: Ints  # rows (h, m)
    arc_of: Ints  # the arc of each link
    by_arc: list[tuple[str, ArcRows]]
    ends: Ints  # rows (w, o): a word, and the word just beyond a span of it; o is 0 … n + 1, but not w
    words: Ints  # the word of each sense


def list_parts(x: LinkGraph, at: ChartLayout) -> PartRows:
    """List the parts of a space."""
    count = len(x.modifiers)
    heads = np.repeat(np.arange(x.n + 1), (x.slots - 1).sum(axis=1))
    arcs = np.stack([heads, x.modifiers], axis=1)
    arc_of = np.repeat(np.arange(count), np.diff(x.arc_starts))
    right = (x.modifiers > heads).astype(np.int64)
    by_arc = []
    if x.second:
        by_arc = [
            ("sibling", _siblings(x, arcs, right, at.sibling)),
            ("grandchild", _grandchildren(x, arcs, 1 - right, at.near_grand)),
            ("grandchild", _grandchildren(x, arcs, right, at.far_grand)),
        ]
    return PartRows(arcs, arc_of, by_arc, _ends(x), x.words)


def list_between(arcs: Ints, tags: Hashes) -> tuple[Ints, Ints]:
    """List rows (b, h, m) of each arc (h, m), with a word b for each tag between its ends; and the arc of each row."""
    return _list_between(arcs, np.unique(tags, return_inverse=True)[1])


@kernel
def _list_between(arcs: Ints, tags: Ints) -> tuple[Ints, Ints]:
    rows, owners = np.empty((0, 3), np.int64), np.empty(0, np.int64)
    for is_counted in range(2):
        seen, count = np.full(len(tags), -1), 0
        for a in range(len(arcs)):
            h, m = arcs[a]
            for b in range(min(h, m) + 1, max(h, m)):
                if seen[tags[b]] < a:
                    seen[tags[b]] = a
                    if is_counted:
                        rows[count, 0], rows[count, 1], rows[count, 2], owners[count] = b, h, m, a
                    count += 1
        if not is_counted:
            rows, owners = np.empty((count, 3), np.int64), np.empty(count, np.int64)
    return rows, owners


def _list_slots(counts: Ints) -> tuple[Ints, Ints, Ints]:
    """List the slots of arcs that have these many: the arc and the number of each, and where each arc begins."""
    arcs, starts = np.repeat(np.arange(len(counts)), counts), np.cumsum(counts) - counts
    return arcs, np.arange(len(arcs)) - starts[arcs], starts


def _siblings(x: LinkGraph, arcs: Ints, right: Ints, base: Ints) -> ArcRows:
    owners, slots, starts = _list_slots(x.reach[arcs[:, 0], arcs[:, 1]])
    h, m = arcs[owners].T
    s = np.where(slots > 0, x.modifiers[x.first_arc[2 * h + right[owners]] + slots - (slots > 0)], h)
    return ArcRows(np.stack([h, s, m], axis=1), owners, slots, starts, base)


def _grandchildren(x: LinkGraph, arcs: Ints, side: Ints, base: Ints) -> ArcRows:
    owners, slots, starts = _list_slots(x.slots[arcs[:, 1], side])
    h, m = arcs[owners].T
    first = x.first_arc[2 * m + side[owners]]
    g = x.modifiers[np.minimum(first + slots - 1, len(x.modifiers) - 1)]
    g = np.where(slots > 0, g, np.where(side[owners] == RIGHT, x.n + 1, 0))
    return ArcRows(np.stack([h, m, g], axis=1), owners, slots, starts, base)


def _ends(x: LinkGraph) -> Ints:
    """List the ends of spans of each word but the root: those without modifiers, and those that modifiers reach."""
    w, slot = np.divmod(np.arange(x.n * (x.n + 1)), x.n + 1)
    w += 1
    right = slot >= w
    e = np.where(right, slot, slot + 1)
    possible = (e == w) | (x.reach[w, e] > 0)
    rows: Ints = np.stack([w, slot + right], axis=1)[possible]
    return rows


def parts_of_derivation(x: LinkGraph, at: ChartLayout, joins: Joins, heads: Ints) -> Ints:
    """Find the parts of a derivation; ``heads`` are those of words 0 … n, of which the first is ignored."""
    first, last, outermost, before = (column[1:] for column in _family(heads))
    above, words = heads[1:], np.arange(1, x.n + 1)
    if not x.second:
        used = [at.sibling[joins.links]]
    else:  # the modifier m of h has the slot reach[h, m]
        used = [at.sibling[joins.links] + np.where(before > 0, x.reach[above, before], 0)]
        right = (words > above).astype(np.int64)
        for base, side in ((at.near_grand, 1 - right), (at.far_grand, right)):
            g = outermost[words - 1, side]
            used.append(base[joins.links] + np.where(g > 0, x.reach[words, g], 0))
    used += [at.close[2 * joins.senses] + first - 1, at.close[2 * joins.senses + 1] + last - words]
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
