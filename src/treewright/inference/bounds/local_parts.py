"""What a backbone scores of a factor by itself, and what is left of it.

A backbone such as that of Carreras (2007) knows more than arcs: which modifiers are next to each other, and which
grandchildren are outermost.  So a factor of two arcs, with score φ, is a part of the backbone and a smaller factor,

- siblings:        φ z_hs z_hm = φ [s is the next modifier inside m] + φ z_hs · [m's next one inside is beyond s]
- grandchildren:   φ z_gh z_hm = φ [g, h, and m outermost]           + φ z_gh · [m is a modifier of h, not outermost]

and only the second is bounded (`treewright.inference.bounds.relaxation`).  The indicators in brackets are sums of parts
of the backbone, so that they may have scores like arcs do.  Qian & Liu (2013) bound the whole of such a factor by its
arcs, which is looser: in their terms, every bound here is at most theirs.

A *place* is an arc (h (n + 1) + m), or, after all arcs, a pair (s, m) for "m has a next modifier inside, at s or
beyond", or, after all pairs, the number of an arc for "m is not outermost".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Ints, Mask
from treewright.inference.arcs import Arcs
from treewright.inference.bounds.relaxation import Table
from treewright.kernels import copy, inner_kernel, kernel

__all__ = ["Local", "add_to_parts", "local_of", "mark", "split", "without"]


class Local(NamedTuple):
    """The places of a backbone."""

    owner: Ints  # the arc that each place is about
    # (A + 1,): the pairs of each arc (h, m), by its number: that without s, then with s further and further out.
    first_pair: Ints
    number: Ints  # (n + 1, n + 1): the number of each arc, or -1
    outermost: Ints  # the number of the arc (h, m) of each outermost grandchild; these parts come after the pairs


def without(n: int) -> Local:
    """Return the places of a backbone of which nothing but arcs is known."""
    nothing = np.zeros(0, np.int64)
    return Local(np.arange((n + 1) ** 2), np.zeros(1, np.int64), np.full((n + 1, n + 1), -1, np.int64), nothing)


def local_of(x: Arcs, arc_of_sibling: Ints, arc_of_grandchild: Ints) -> Local:
    """Return the places of the backbone ``carreras``, whose parts are pairs and outermost grandchildren."""
    arcs = x.heads[:-1] * (x.n + 1) + x.modifiers[:-1]
    owner = np.concatenate([np.arange((x.n + 1) ** 2), arcs[arc_of_sibling], arcs])
    first_pair = np.searchsorted(arc_of_sibling, np.arange(len(arcs) + 1))
    return Local(owner, first_pair, x.number, arc_of_grandchild)


@kernel
def split(table: Table, local: Local, x: Arcs, parts: Floats) -> Table:
    """Move what the backbone scores of each factor into its parts; return what is left."""
    size, pairs = len(local.number), local.first_pair[-1]
    arcs = size * size
    offsets, places, scores = np.zeros_like(table.offsets), np.empty_like(table.places), np.empty_like(table.scores)
    count, end = 0, 0
    for c in range(len(table.scores)):
        first, last, score = table.offsets[c], table.offsets[c + 1], table.scores[c]
        copy(table.places[first:last], places[end:])
        is_left = True
        if last - first == 2:
            a, b = table.places[first], table.places[first + 1]
            one, other = local.number[a // size, a % size], local.number[b // size, b % size]
            if one < 0 or other < 0:  # which no tree has
                is_left = False
            elif a // size == b // size and (a % size > a // size) == (b % size > b // size):  # siblings on one side
                if x.rank[one] > x.rank[other]:
                    a, b, one, other = b, a, other, one
                pair = local.first_pair[other] + x.rank[one] + 1
                parts[pair] += score
                places[end], places[end + 1] = a, arcs + pair + 1
                is_left = pair + 1 < local.first_pair[other + 1]
            elif a % size == b // size or b % size == a // size:  # a grandchild
                if b % size == a // size:
                    a, b, one, other = b, a, other, one
                h, m = b // size, b % size
                parts[pairs + x.grandchild_start[one] + other - x.first[2 * h]] += score
                places[end], places[end + 1] = a, arcs + pairs + other
                is_left = x.rank[other] + 1 < x.degree[2 * h + (m > h)]
        if is_left:
            scores[count] = score
            end += last - first
            count += 1
            offsets[count] = end
    return Table(offsets[: count + 1], places[:end], scores[:count])


@inner_kernel
def add_to_parts(local: Local, bonus: Floats, more: Floats, parts: Floats, changed: Floats) -> None:
    """Change the scores of parts by two bonuses of places that are no arcs."""
    pairs = local.first_pair[-1]
    after_arcs = len(local.number) ** 2
    after_pairs = after_arcs + pairs
    for a in range(len(local.first_pair) - 1):
        total = bonus[after_pairs + a] + more[after_pairs + a]
        for pair in range(local.first_pair[a], local.first_pair[a + 1]):
            total += bonus[after_arcs + pair] + more[after_arcs + pair]
            changed[pair] += total
    for k in range(len(local.outermost)):
        place = after_pairs + local.outermost[k]
        changed[pairs + k] = parts[pairs + k] - bonus[place] - more[place]


@kernel
def mark(local: Local, tree: Ints, in_tree: Mask) -> None:
    """Mark the places that a tree has, given the arc of each word."""
    size = len(local.number)
    in_tree[:] = False
    for m in range(1, size):
        in_tree[tree[m]] = True
    if len(local.first_pair) == 1:
        return
    after_arcs = size * size
    after_pairs = after_arcs + local.first_pair[-1]
    inside = np.empty(size, np.int64)
    for right in range(2):
        inside[:] = -1
        for k in range(1, size):
            m = k if right else size - k
            h = tree[m] // size
            if (m > h) != (right == 1):
                continue
            number, s = local.number[h, m], inside[h]
            if s >= 0:  # then s is not outermost, and m has a next modifier inside
                in_tree[after_pairs + s] = True
                pair = local.first_pair[number] + 1 + s - _nearest(local, s)
                for place in range(local.first_pair[number], pair + 1):
                    in_tree[after_arcs + place] = True
            else:
                in_tree[after_arcs + local.first_pair[number]] = True
            inside[h] = number


@inner_kernel
def _nearest(local: Local, arc: int) -> int:
    """Return the first arc of the same head on the same side: an arc has as many pairs as there are arcs up to it."""
    return int(arc + 1 - (local.first_pair[arc + 1] - local.first_pair[arc]))
