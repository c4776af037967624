"""Projective trees under grandparent and third-order scores: O(n⁴) time and O(n³) space, part scores aside.

Models 0, 1 and 2 of Koo & Collins (2010, Figures 5–7) and the parser of Carreras (2007).  What they share is the
complete *g-span*: a span whose head h knows its own head g, that is, a span for each arc (g, h)::

    C(gh, e)     h and its descendants as far as e on one side, below g
    S(h, s, m)   all that lies between two modifiers s and m of h                 (sibling g-span)
    S(h, -, m)   all that lies between h and its first modifier m

    S(h, s, m) = Σ_r  C(hs, r) · C(hm, r + 1),    S(h, -, m) = C(hm, h + 1)
    C(gh, e)   = Σ_m  I(gh, m) · C(hm, e)

and what differs is the incomplete span I, the arc h → m and all that lies between:

- ``grandchild`` (Model 0, Figure 5)      I(gh, m) = grandchild(g, h, m) · Σ_r C(gh, r) · C(hm, r + 1)
- ``grand-sibling`` (Model 1, Figure 6)   I(gh, m) = Σ_s  I(gh, s) · S(h, s, m) · grand_sibling(g, h, s, m)
- ``carreras``                            I(h, m)  = Σ_s  I(h, s) · S(h, s, m) · sibling(h, s, m),
  which does not know g; the outermost grandchild is scored on the way to C(gh, e).
- ``tri-sibling`` (Model 2, Figure 7)   Y(h, s, m) = S(h, s, m) · Σ_t  Y(h, t, s) · tri_sibling(h, t, s, m)
                                          I(gh, m)   = Σ_s  Y(h, s, m) · grand_sibling(g, h, s, m)

Where last modifiers are scored as well (with ``grand-sibling``), h has its last modifier on a side when that span is
completed: C(gh, h) = last(h, -) and C(gh, e) = Σ_m I(gh, m) · C(hm, e) · last(h, m).  Then C(gh, h) is two items, one
for each side, and the rows of C are one longer: what is to the right of h stands one place further along.

The sums over s and t include "none", -, with I(gh, -) = 1.  For a single root, the root takes only a first modifier.

Everything is indexed by *arcs*, numbered by head, side and distance (`treewright.inference.arcs`), so that a
pruned problem is the same problem with fewer arcs, and so that all sums run along contiguous rows: the modifiers
of a head on one side are neighbours, and so are the pairs (-, m), (s₁, m), (s₂, m), … of each modifier m.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.inference.arcs import Arcs
from treewright.inference.charts.walks import Chart, Walk, jitable

__all__ = ["Layout", "goal", "layout", "ones", "program"]

#: Rules of a span, in order: two for S, three for what is between S and C, and C.
RULES = 6


class Layout(NamedTuple):
    """Where in the chart each kind of item begins.

    C and its transposed copy R are indexed by arc and end; S, K and Y by pairs (K is Y's sum over t); I and B (I's
    sum over r, before the grandchild is scored) by slots of arcs; L (the incomplete spans of ``carreras``) by
    slots of heads.
    ``one`` is always one.
    """

    C: int
    R: int
    S: int
    I: int
    B: int
    L: int
    K: int
    Y: int
    one: int


def layout(x: Arcs, ends: bool) -> Layout:
    """Lay out the chart; its size is ``one + 1``."""
    complete, pairs = (x.n + 1) * len(x.heads), int(x.pair_start[-1])
    slots, lists = int(x.slot_start[-1]), int(x.list_start[-1])
    sizes = [complete + ends * len(x.heads), complete, pairs, slots, slots, lists, pairs, pairs]
    return Layout(0, *np.cumsum(sizes).tolist())


def goal(x: Arcs, ends: bool) -> int:
    """Find C(-0, n): everything below the root."""
    return len(x.heads) * (x.n + 1 + ends) - 1


def ones(x: Arcs, ends: bool) -> npt.NDArray[np.int64]:
    """Find the empty items: C(gh, h) and its copy, I(gh, -), L(h, -), and the one that is always one."""
    arcs, at = np.arange(len(x.heads)), layout(x, ends)
    left = x.slot_start[:-1]
    right = left + x.degree[2 * x.modifiers] + 1
    items = [at.I + left, at.I + right, at.L + x.list_start[:-1], np.array([at.one])]
    if not ends:
        items += [at.C + arcs * (x.n + 1) + x.modifiers, at.R + x.modifiers * len(arcs) + arcs]
    return np.concatenate(items).astype(np.int64)


def program(walk: Walk, model: str, ends: bool) -> Any:
    """Write the rules of a model down for a walk, with or without last modifiers."""
    forward, idle, begin, finish = walk.forward, walk.idle, walk.begin, walk.finish
    pair, triple, weighted = walk.pair, walk.triple, walk.weighted
    is_grandchild, is_carreras = model == "grandchild", model == "carreras"
    is_grand_sibling, is_tri_sibling = model == "grand-sibling", model == "tri-sibling"

    further = 1 if ends else 0

    @jitable
    def empty(c: Chart, x: Arcs, at: Layout) -> None:  # C(gh, h), to the left and to the right
        arcs, wide, last = len(x.heads), x.n + 1 + further, x.grand_start[-1]
        for a in range(arcs - 1):
            h = x.modifiers[a]
            for right in range(2):
                t = at.C + a * wide + h + right
                copy = at.R + h * arcs + a if right == (x.heads[a] < h) else t
                if not idle(c, t, copy):
                    state = weighted(c, begin(c, t, copy), at.one, 0, last + x.list_start[2 * h + right], 1)
                    finish(c, state, t, copy)

    def visit(c: Chart, x: Arcs, at: Layout, single_root: bool) -> None:
        n, size, wide, arcs = x.n, x.n + 1, x.n + 1 + further, len(x.heads)
        # The parts of the model come first, those that C (carreras, ends) or I (tri-sibling) adds after them.
        second = x.pair_start[-1] if is_carreras else x.grand_start[-1] if ends else x.tri_start[-1]
        if ends and forward:
            empty(c, x, at)
        for outer in range(n):
            i = n - 1 - outer if forward else outer
            for inner in range(n - i):
                j = i + 1 + inner if forward else n - inner
                for step in range(RULES):
                    rule = step if forward else RULES - 1 - step
                    if rule == 0:  # S(h, s, m) where s and m are i and j
                        if is_grandchild:
                            continue
                        for above in range(x.above_start[i], x.above_start[i + 1]):
                            a = x.above[above]
                            h = x.heads[a]
                            b = x.number[h, j]
                            if i <= h <= j or b < 0 or (single_root and h == 0):
                                continue
                            near, far = (i, j) if h < i else (j, i)
                            rank = x.rank[x.number[h, far]]
                            t = at.S + x.pair_start[2 * h + (h < i)]
                            t += rank * (rank + 1) // 2 + x.rank[x.number[h, near]] + 1
                            if idle(c, t, t):
                                continue
                            state = begin(c, t, t)
                            state = pair(c, state, at.C + a * wide + i + further, at.C + b * wide + i + 1, 0, j - i)
                            finish(c, state, t, t)
                        continue
                    for right in range(2):  # the arc i → j, and then j → i
                        h, m = (i, j) if right else (j, i)
                        side, arc = 2 * h + right, x.number[h, m]
                        if rule == 5:  # C(gh, m): here m is the end, and need not be a modifier
                            reach, begins = x.reach[h, m], x.first[side]
                            if m == 0:
                                continue
                            for above in range(x.above_start[h], x.above_start[h + 1]):
                                a = x.above[above]
                                if i <= x.heads[a] <= j and h > 0:
                                    continue
                                t, copy = at.C + a * wide + m + right * further, at.R + m * arcs + a
                                if idle(c, t, copy):
                                    continue
                                state = begin(c, t, copy)
                                spans = at.R + m * arcs + begins
                                if is_carreras:
                                    p = second + x.grandchild_start[a] + begins - x.first[2 * h]
                                    state = triple(c, state, at.L + x.list_start[side] + 1, spans, p, reach)
                                    finish(c, state, t, copy)
                                    continue
                                slots = at.I + x.slot_start[a] + right * (x.degree[2 * h] + 1)
                                if ends:
                                    state = triple(c, state, slots + 1, spans, second + x.list_start[side] + 1, reach)
                                else:
                                    state = pair(c, state, slots + 1, spans, 0, reach)
                                finish(c, state, t, copy)
                            continue
                        if arc < 0:
                            continue
                        rank = x.rank[arc]
                        pairs = x.pair_start[side] + rank * (rank + 1) // 2
                        length = 1 if single_root and h == 0 else rank + 1
                        if rule == 1:  # S(h, -, m)
                            t = at.S + pairs
                            if is_grandchild or idle(c, t, t):
                                continue
                            state = begin(c, t, t)
                            inner = at.C + arc * wide + (h + 1 if right else h - 1 + further)
                            state = pair(c, state, inner, at.one, 0, 1)
                            finish(c, state, t, t)
                        elif rule == 3 and is_grandchild:  # B(gh, m), the sum over r
                            for above in range(x.above_start[h], x.above_start[h + 1]):
                                a = x.above[above]
                                if i <= x.heads[a] <= j and h > 0:
                                    continue
                                t = at.B + x.slot_start[a] + right * (x.degree[2 * h] + 1) + rank + 1
                                if idle(c, t, t):
                                    continue
                                left_arc, right_arc = (a, arc) if right else (arc, a)
                                within = 1 if single_root and h == 0 else j - i
                                state = begin(c, t, t)
                                state = pair(
                                    c, state, at.C + left_arc * size + i, at.C + right_arc * size + i + 1, 0, within
                                )
                                finish(c, state, t, t)
                        elif rule == 2 and is_tri_sibling:  # K(h, s, m), the sum over t
                            for s in range(1, length):
                                t, inside = at.K + pairs + s, x.pair_start[side] + s * (s - 1) // 2
                                if idle(c, t, t):
                                    continue
                                state = begin(c, t, t)
                                state = weighted(c, state, at.Y + inside, 0, x.tri_start[pairs + s], s)
                                finish(c, state, t, t)
                        elif rule == 3 and is_tri_sibling:  # Y(h, s, m)
                            for s in range(length):
                                t = at.Y + pairs + s
                                if idle(c, t, t):
                                    continue
                                state = begin(c, t, t)
                                if s == 0:
                                    state = weighted(c, state, at.S + pairs, 0, x.tri_start[pairs], 1)
                                else:
                                    state = pair(c, state, at.S + pairs + s, at.K + pairs + s, 0, 1)
                                finish(c, state, t, t)
                        elif rule == 4 and is_carreras:  # I(h, m)
                            slots = at.L + x.list_start[side]
                            t = slots + rank + 1
                            if idle(c, t, t):
                                continue
                            state = begin(c, t, t)
                            state = triple(c, state, slots, at.S + pairs, pairs, length)
                            finish(c, state, t, t)
                        elif rule == 4:  # I(gh, m)
                            for above in range(x.above_start[h], x.above_start[h + 1]):
                                a = x.above[above]
                                if i <= x.heads[a] <= j and h > 0:
                                    continue
                                slots = at.I + x.slot_start[a] + right * (x.degree[2 * h] + 1)
                                t = slots + rank + 1
                                if idle(c, t, t):
                                    continue
                                state = begin(c, t, t)
                                grand = x.grand_start[a] + pairs - x.pair_start[2 * h]
                                if is_grand_sibling:
                                    state = triple(c, state, slots, at.S + pairs, grand, length)
                                elif is_tri_sibling:
                                    state = weighted(c, state, at.Y + pairs, 0, second + grand, length)
                                else:
                                    p = x.grandchild_start[a] + arc - x.first[2 * h]
                                    state = weighted(c, state, t + at.B - at.I, 0, p, 1)
                                finish(c, state, t, t)

        if ends and not forward:
            empty(c, x, at)

    return jitable(visit)
