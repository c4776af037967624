"""Head automata whose state is the last modifier taken: bigrams of siblings, with or without grandparents.

Examples 1 and 3 of Koo et al. (2010).  For each side of a head h, with START before the nearest modifier and END after
the last, written down as *none*::

    B(-) = 0,    B(m) = gain(h, m) + max_s  B(s) + sibling(h, s, m)            (s nearer than m, or none)
    best = max_s  B(s) + last(h, s)

in O(d²) for d possible modifiers.  A grandparent/sibling automaton does so for each head g that h may have, with
``grand_sibling(g, h, s, m)`` in the place of ``sibling(h, s, m)``, and takes the best g.

The scores lie as the slots and pairs of `treewright.inference.arcs` do, so that a pruned problem is the same problem
with fewer arcs.  A modifier that must be taken is one that no pair reaches across: s is not sought inside it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Floats, Heads, Mask
from treewright.inference.arcs import Arcs
from treewright.inference.charts.walks import allocating
from treewright.inference.dual.automata import Automata, Choices, Wishes
from treewright.inference.maximum import larger
from treewright.kernels import kernel

__all__ = ["BIGRAMS", "GRAND_BIGRAMS", "Bigrams", "fold_grand"]


class Bigrams(NamedTuple):
    """Scores beyond arcs."""

    score: Floats  # for each sibling part, or for each grand-sibling part all that is scored within it (`fold_grand`)
    last: Floats  # for each slot of each head and side, what it scores as the last


class _Table(NamedTuple):
    """B for the slots of one side; for each arc (g, h), what h has at best below it."""

    best: Floats
    below: Floats


@allocating
def _scratch(x: Arcs, data: Bigrams) -> _Table:
    return _Table(np.empty(x.degree.max() + 1), np.empty(len(x.heads)))


class Side(NamedTuple):
    """One side of a head: where its scores and its slots begin, its first arc, how many there are.

    ``root`` is 0 for words, 1 for a root with any number of modifiers, 2 for a root with one.
    """

    row: int
    slots: int
    first: int
    degree: int
    root: int


@allocating
def _fill(score: Floats, last: Floats, gain: Floats, required: Mask, s: Side, best: Floats) -> Any:
    """Fill B for one side, and return the best score."""
    best[0], floor, row = 0.0, 0, s.row  # floor: the outermost slot so far that must be taken
    for j in range(s.degree):
        top = -np.inf
        for i in range(floor, 1 if s.root == 2 else j + 1):
            top = larger(top, best[np.uintp(i)] + score[np.uintp(row + i)])
        best[np.uintp(j + 1)] = top + gain[np.uintp(s.first + j)]
        row += j + 1
        if required[np.uintp(s.first + j)]:
            floor = j + 1
    top = -np.inf
    for i in range(max(floor, 1) if s.root > 0 else floor, s.degree + 1):
        top = larger(top, best[np.uintp(i)] + last[np.uintp(s.slots + i)])
    return top


@allocating
def _take(score: Floats, last: Floats, required: Mask, s: Side, best: Floats, taken: Mask) -> None:
    """Walk B back: take the modifiers of the best choice."""
    slot, top = 0, -np.inf
    for i in range(s.degree, -1, -1):
        if best[i] + last[s.slots + i] > top and not (i == 0 and s.root > 0):
            slot, top = i, best[i] + last[s.slots + i]
        if i > 0 and required[s.first + i - 1]:
            break
    for j in range(s.degree):
        taken[s.first + j] = False
    while slot > 0:
        j, top = slot - 1, -np.inf
        taken[s.first + j] = True
        row, slot = s.row + j * (j + 1) // 2, 0
        for i in range(0 if s.root == 2 else j, -1, -1):
            if best[i] + score[row + i] > top:
                slot, top = i, best[i] + score[row + i]
            if i > 0 and required[s.first + i - 1]:
                break


@allocating
def _decode(x: Arcs, data: Bigrams, wishes: Wishes, choices: Choices, table: _Table) -> None:
    score, last, gain, required, best = data.score, data.last, wishes.gain, wishes.required, table.best
    first, degree, pairs, slots = x.first, x.degree, x.pair_start, x.list_start
    changed, taken, value = choices.changed, choices.taken, choices.value
    for h in range(x.n + 1):
        if changed[h] > 0:
            root = 0 if h > 0 else 2 if wishes.single_root else 1
            value[h] = 0.0
            for side in range(2 * h + (h == 0), 2 * h + 2):  # the root has no left
                s = Side(pairs[side], slots[side], first[side], degree[side], root)
                value[h] += _fill(score, last, gain, required, s, best)
                _take(score, last, required, s, best, taken)


@allocating
def _decode_grand(x: Arcs, data: Bigrams, wishes: Wishes, choices: Choices, table: _Table) -> None:
    changed, taken, value, above = choices.changed, choices.taken, choices.value, choices.above
    best, below, gain, above_gain, required = table.best, table.below, wishes.gain, wishes.above_gain, wishes.required
    score, last, first, degree, slots = data.score, data.last, x.first, x.degree, x.list_start
    starts, arcs, arcs_start = x.grand_start, x.above, x.above_start
    for h in range(x.n + 1):
        if changed[h] == 0:
            continue
        side, root = 2 * h, 0 if h > 0 else 2 if wishes.single_root else 1
        pairs = degree[side] * (degree[side] + 1) // 2
        value[h], above[h] = -np.inf, -1
        for k in range(arcs_start[h], arcs_start[h + 1]):
            a = arcs[k]
            if above_gain[a] > -np.inf:
                if changed[h] > 1:
                    below[a] = 0.0
                    if h > 0:
                        left = Side(starts[a], slots[side], first[side], degree[side], 0)
                        below[a] = _fill(score, last, gain, required, left, best)
                    right = Side(starts[a] + pairs, slots[side + 1], first[side + 1], degree[side + 1], root)
                    below[a] += _fill(score, last, gain, required, right, best)
                if below[a] + above_gain[a] > value[h]:
                    value[h], above[h] = below[a] + above_gain[a], a
        a = above[h]
        if a >= 0:
            if h > 0:
                left = Side(starts[a], slots[side], first[side], degree[side], 0)
                _fill(score, last, gain, required, left, best)
                _take(score, last, required, left, best, taken)
            right = Side(starts[a] + pairs, slots[side + 1], first[side + 1], degree[side + 1], root)
            _fill(score, last, gain, required, right, best)
            _take(score, last, required, right, best, taken)


def _scorer(is_grand: bool) -> Any:
    @allocating
    def total(x: Arcs, data: Bigrams, tree: Heads, taken: Mask) -> Any:
        score, last, first, degree, number = data.score, data.last, x.first, x.degree, x.number
        pairs, slots, starts = x.pair_start, x.list_start, x.grand_start
        result = 0.0
        for side in range(1, 2 * x.n + 2):
            h, slot = side // 2, 0
            row = pairs[side]
            if is_grand:
                row += starts[number[tree[h], h] if h > 0 else len(taken)] - pairs[2 * h]
            for j in range(degree[side]):
                if taken[first[side] + j]:
                    result += score[row + slot]
                    slot = j + 1
                row += j + 1
            result += last[slots[side] + slot]
        return result

    return total


#: Bigram sibling automata (Example 1): the scores are of sibling parts.
BIGRAMS = Automata(choose_heads=False, scratch=_scratch, decode=_decode, score=_scorer(False))

#: Grandparent/sibling automata (Example 3): the scores are of grand-sibling parts.
GRAND_BIGRAMS = Automata(choose_heads=True, scratch=_scratch, decode=_decode_grand, score=_scorer(True))


@kernel
def fold_grand(x: Arcs, sibling: Floats, grandchild: Floats, grand_sibling: Floats) -> Floats:
    """Add up all that is scored within each grand-sibling part; an array that is missing has no entries.

    A head of h that is also its modifier is forbidden.
    """
    score = np.zeros(x.grand_start[-1])
    for a in range(len(x.heads)):
        g, h, p = x.heads[a], x.modifiers[a], x.grand_start[a]
        for right in range(2):
            side = 2 * h + right
            for j in range(x.degree[side]):
                m = x.first[side] + j
                for i in range(j + 1):
                    if h > 0 and (x.modifiers[m] == g or (i > 0 and x.modifiers[x.first[side] + i - 1] == g)):
                        score[p] = -np.inf
                    else:
                        if len(sibling):
                            score[p] += sibling[x.pair_start[side] + j * (j + 1) // 2 + i]
                        if len(grandchild):
                            score[p] += grandchild[x.grandchild_start[a] + m - x.first[2 * h]]
                        if len(grand_sibling):
                            score[p] += grand_sibling[p]
                    p += 1
    return score
