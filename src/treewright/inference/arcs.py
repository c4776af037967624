"""The arcs that survive pruning, and the parts they make up.

Arcs are numbered by head, then side (left before right), then distance, so that the modifiers of a head on one side are
neighbours, the nearest first.  Last comes one that stands for the missing arc into the root, with g = h = 0 ("an index
that does not exist repeats h").  For each head and side, its d modifiers m₀, m₁, … make up

- *slots*: "none", m₀, m₁, …  (d + 1 of them);
- *pairs* (s, m): (-, m₀), (-, m₁), (m₀, m₁), (-, m₂), (m₀, m₂), (m₁, m₂), …
  The pairs of m_j begin at j (j + 1) / 2.

From these follow the numbers of all other parts: a grandchild part is an arc (g, h) and a modifier of h, a
grand-sibling part an arc (g, h) and a pair of h, a tri-sibling part a pair (s, m) and a pair (t, s) inside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints, Mask
from treewright.kernels import inner_kernel, kernel

__all__ = ["Arcs", "arcs_of"]


class Arcs(NamedTuple):
    """Arcs in order, and where things begin."""

    n: int  # the number of words
    # (A + 1,): the arcs, and last (0, 0) for the root.
    heads: Ints
    modifiers: Ints
    number: Ints  # (n + 1, n + 1): the number of each arc (h, m), or -1
    rank: Ints  # (A + 1,): how many modifiers of the same head on the same side are nearer
    # (2n + 3,) and (2n + 2,): the first arc of each head and side (2h left, 2h + 1 right), and how many there are.
    first: Ints
    degree: Ints
    reach: Ints  # (n + 1, n + 1): how many modifiers h has on the side of e, as far as e, at [h, e]
    # The arcs into each word: those of h are ``above[above_start[h]:above_start[h + 1]]``.
    above: Ints
    above_start: Ints
    # (2n + 3,): for each head and side, its first pair and its first slot.
    pair_start: Ints
    list_start: Ints
    # (A + 2,): where the slots, arcs and pairs of h that an arc (g, h) is combined with begin, for each arc.
    slot_start: Ints
    grandchild_start: Ints
    grand_start: Ints
    tri_start: Ints  # (pairs + 1,): for each pair (s, m), its first tri-sibling part


# Arrays are made by functions of their own, which are compiled once: to make one takes more code than to fill it.


@kernel
def _zeros(size: int) -> Ints:
    return np.zeros(size, np.int64)


@kernel
def _square(size: int, value: int) -> Ints:
    return np.full((size, size), value, np.int64)


@kernel
def _starts(counts: Ints) -> Ints:
    starts = _zeros(len(counts) + 1)
    for k in range(len(counts)):
        starts[k + 1] = starts[k] + counts[k]
    return starts


@kernel
def arcs_of(allowed: Mask) -> Arcs:
    """List the arcs of a mask ``allowed[h, m]``; there are no arcs into the root, or from a word to itself."""
    size = len(allowed)
    number, reach, degree, count = _square(size, -1), _square(size, 0), _zeros(2 * size), 0
    for h in range(size):
        for m in range(h - 1, -1, -1):
            if allowed[h, m] and m > 0:
                number[h, m] = count
                degree[2 * h] += 1
                count += 1
            reach[h, m] = degree[2 * h]
        for m in range(h + 1, size):
            if allowed[h, m]:
                number[h, m] = count
                degree[2 * h + 1] += 1
                count += 1
            reach[h, m] = degree[2 * h + 1]
    lists, pairs = _zeros(2 * size), _zeros(2 * size)
    for side in range(2 * size):
        lists[side], pairs[side] = degree[side] + 1, degree[side] * (degree[side] + 1) // 2
    first, pair_start = _starts(degree), _starts(pairs)
    heads, modifiers, rank = _zeros(count + 1), _zeros(count + 1), _zeros(count + 1)
    above, above_start = _zeros(count + 1), _zeros(size + 1)
    listed = 0
    for m in range(size):
        for h in range(size):
            arc = number[h, m]
            if arc >= 0:
                heads[arc], modifiers[arc], rank[arc] = h, m, arc - first[2 * h + (m > h)]
                above[listed] = arc
                listed += 1
        if m == 0:  # the last one, which stands for the arc into the root
            above[0] = count
            listed = 1
        above_start[m + 1] = listed
    slots, grandchildren, grand = _zeros(count + 1), _zeros(count + 1), _zeros(count + 1)
    for a in range(count + 1):  # plain loops, because array expressions take long to compile
        left, right = 2 * modifiers[a], 2 * modifiers[a] + 1
        slots[a] = lists[left] + lists[right]
        grandchildren[a] = degree[left] + degree[right]
        grand[a] = pairs[left] + pairs[right]
    return Arcs(
        size - 1,
        heads,
        modifiers,
        number,
        rank,
        first,
        degree,
        reach,
        above,
        above_start,
        pair_start,
        _starts(lists),
        _starts(slots),
        _starts(grandchildren),
        _starts(grand),
        _starts(_tri_counts(degree, pair_start)),
    )


@inner_kernel
def _tri_counts(degree: Ints, pair_start: Ints) -> Ints:
    """Count the tri-sibling parts of each pair (s, m): one for each pair (t, s), and one for the pair (-, m)."""
    counts = np.ones(pair_start[-1], np.int64)
    for side in range(len(degree)):
        for j in range(degree[side]):
            for i in range(1, j + 1):
                counts[pair_start[side] + j * (j + 1) // 2 + i] = i
    return counts
