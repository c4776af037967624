"""The dynamic programs of Carreras, Collins and Koo (2008), section 3.1: Eisner's, with senses and automata.

Every item is a span of a word h on one side, from h to an end e.  z is a sense of h, q a state of its automaton on that
side, and s the last modifier joined so far (slot 0, -, before the first)::

    C(q, e)[s]   h in state q, its last modifier s, everything between h and e below h
    K(q, e)[s]   the same in q or in any state before it
    W(z, e)[s]   the side of z is finished

    K(p, 0) = K(p - 1, 1) + C(p, 0),    K(p, 1) = K(p, 0) + C(p, 1)
    W(z, e) = K(last state, e) · close(z, e)

A link a = ⟨h, m, (GRM(l), A)⟩ leads to a state q, its target, and comes from a sense k of m::

    D(a, q, r)    = Σ_s  X(q, r)[s] · sibling(a, s),  where X is K(q), or C(q) for s-adjunction in a state with L
    near(a, k, e) = Σ_g  W(k, e)[g] · grand(a, g)      on the side of m that faces h
    I(a, q, k)    = Σ_r  D(a, q, r) · near(a, k, r ± 1)
    far(a, k, e)  = Σ_g  W(k, e)[g] · grand(a, g)      on the other side
    C(q, e)[m]    = Σ_a  Σ_k  I(a, q, k) · far(a, k, e)

This is O(H n⁴) for the second-order model (Equation 3), where D and far have four words.  The first-order model
(Equation 2) does not depend on s and g: S(q, e) = Σ_s C(q, e)[s] takes the place of C in K and X, W takes that of near
and far, sibling(a, -) is the score of the dependency itself, and everything is O(G n³).  A sense is the same on both
sides because I has it, and the sides meet there.

The modifiers g, the *first* to the left and to the right of m (Q and G in section 2.2), are the first seen from
outside: the outermost, as in Carreras (2007).  close(z, e) scores the boundaries of constituents (footnote 5) on both
sides, and on the left also the spine.
"""

from __future__ import annotations

from typing import Any

from treewright.arrays import Ints
from treewright.constituency.tag.graph import LinkGraph
from treewright.constituency.tag.layout import ChartLayout
from treewright.inference.charts.walks import Chart, Walk, jitable

__all__ = ["program", "row_of"]

#: Rules of a span, in order: D, near, I, far, C, S, K, W; and the goal, which the last span has.
RULES = 9


@jitable
def end_of(w: int, right: int, e: int) -> Any:
    """Find which of the ends of w on one side e is."""
    return e - w if right else e - 1


@jitable
def row_of(ends: int, number: int, w: int, right: int, e: int, width: int) -> Any:
    """Find the row of the active state with this number at the end e, counted from the first of its sense."""
    return (number * ends + end_of(w, right, e)) * width


@jitable
def used_slots(reach: Ints, second: bool, w: int, e: int) -> Any:
    """Find the slots that a span from w to e can have: the first, and how many there are."""
    return (0, 1) if e == w or not second else (1, reach[w, e])


def program(walk: Walk) -> Any:
    """Write the rules down for a walk.

    Functions that take a graph and a layout cost seconds to compile, so there is one for each rule and no more.
    """
    forward, idle, begin, finish = walk.forward, walk.idle, walk.begin, walk.finish
    pair, weighted = walk.pair, walk.weighted

    @jitable
    def rule_d(c: Chart, x: LinkGraph, at: ChartLayout, a: int, h: int, right: int, low: int, length: int) -> None:
        # D(a, q, r) = Σ_s X(q, r)[s] · sibling(a, s), for the r from low
        first_target, last_target = x.target_starts[x.menus[a]], x.target_starts[x.menus[a] + 1]
        for place in range(last_target - first_target):
            q = x.targets[first_target + place]
            rows = at.S[2 * x.sense_of[q] + right]
            if x.adjunctions[a] == 1 or q % 2 == 0:
                rows += at.K
            for k in range(length):
                r, t = low + k, at.D[a] + place * length + k
                if idle(c, t, t):
                    continue
                state = begin(c, t, t)
                if h > 0 or r == h:  # the root has one modifier
                    first, count = used_slots(x.reach, x.second, h, r)
                    row = rows + row_of(x.ends[h, right], x.number[q, right], h, right, r, at.width[h, right])
                    state = weighted(c, state, row + first, 0, at.sibling[a] + first, count)
                finish(c, state, t, t)

    @jitable
    def rule_grand(
        c: Chart, x: LinkGraph, at: ChartLayout, a: int, m: int, right: int, e: int, t: int, step: int, grand: int
    ) -> None:
        # near or far(a, k, e) = Σ_g W(k, e)[g] · grand(a, g): that of the first k at t, of each other a step further
        first, count = used_slots(x.reach, x.second, m, e)
        row = end_of(m, right, e) * at.width[m, right] + first
        for k in range(x.senses[a]):
            item = t + k * step
            if not idle(c, item, item):
                finished = at.W[2 * (x.first_sense[a] + k) + right] + row
                finish(c, weighted(c, begin(c, item, item), finished, 0, grand + first, count), item, item)

    @jitable
    def rule_i(c: Chart, x: LinkGraph, at: ChartLayout, a: int, m: int, right: int, low: int, length: int) -> None:
        # I(a, q, k) = Σ_r D(a, q, r) · near(a, k, r ± 1), for the r ± 1 from low
        senses = x.senses[a]
        for place in range(x.target_starts[x.menus[a] + 1] - x.target_starts[x.menus[a]]):
            for k in range(senses):
                t = at.I[a] + place * senses + k
                if not idle(c, t, t):
                    if x.second:
                        near = at.near[a] + k * length
                    else:
                        near = at.W[2 * (x.first_sense[a] + k) + 1 - right] + end_of(m, 1 - right, low)
                    finish(c, pair(c, begin(c, t, t), at.D[a] + place * length, near, 0, length), t, t)

    @jitable
    def rule_c(c: Chart, x: LinkGraph, at: ChartLayout, arc: int, h: int, right: int, e: int, slot: int) -> None:
        # C(q, e)[m] = Σ_a Σ_k I(a, q, k) · far(a, k, e)
        m, slots = x.modifiers[arc], x.slots[h, right]
        end, ends = end_of(m, right, e), x.ends[m, right]
        for run in range(x.runs[arc], x.runs[arc + 1]):
            for place in range(x.target_starts[x.run_menus[run]], x.target_starts[x.run_menus[run] + 1]):
                q = x.targets[place]
                t = at.C[2 * x.sense_of[q] + right] + slot
                t += row_of(x.ends[h, right], x.number[q, right], h, right, e, slots)
                if idle(c, t, t):
                    continue
                state = begin(c, t, t)
                for a in range(x.run_starts[run], x.run_starts[run + 1]):
                    if x.adjunctions[a] > q % 2:
                        continue
                    joined = at.I[a] + x.rank[q, x.adjunctions[a]] * x.senses[a]
                    for k in range(x.senses[a]):
                        far = at.far[a] + k * ends if x.second else at.W[2 * (x.first_sense[a] + k) + right]
                        state = pair(c, state, joined + k, far + end, 0, 1)
                finish(c, state, t, t)

    @jitable
    def rule_s(c: Chart, x: LinkGraph, at: ChartLayout, z: int, h: int, right: int, e: int) -> None:
        # S(q, e) = Σ_s C(q, e)[s]
        ends, slots = x.ends[h, right], x.slots[h, right]
        for number in range(x.active[2 * z + right]):
            t = at.S[2 * z + right] + row_of(ends, number, h, right, e, 1)
            if not idle(c, t, t):
                row = at.C[2 * z + right] + row_of(ends, number, h, right, e, slots) + 1
                finish(c, weighted(c, begin(c, t, t), row, 0, at.zeros, x.reach[h, e]), t, t)

    @jitable
    def rule_k(c: Chart, x: LinkGraph, at: ChartLayout, z: int, h: int, right: int, e: int) -> None:
        # K(q, e)[s] = K(q - 1, e)[s] + C(q, e)[s], or S in place of C
        count, ends, width = x.active[2 * z + right], x.ends[h, right], at.width[h, right]
        first, used = used_slots(x.reach, x.second, h, e)
        for step in range(count):
            number = step if forward else count - 1 - step
            row = at.S[2 * z + right] + at.K + row_of(ends, number, h, right, e, width) + first
            for t in range(row, row + used):
                if not idle(c, t, t):
                    state = pair(c, begin(c, t, t), t - at.K, at.one, 0, 1)
                    if number > 0:
                        state = pair(c, state, t - ends * width, at.one, 0, 1)
                    finish(c, state, t, t)

    @jitable
    def rule_w(c: Chart, x: LinkGraph, at: ChartLayout, z: int, h: int, right: int, e: int) -> None:
        # W(z, e)[s] = K(last state, e)[s] · close(z, e), and W(z, h) = close(z, h) for a side without modifiers
        first, used = used_slots(x.reach, x.second, h, e)
        end, width, last = end_of(h, right, e), at.width[h, right], x.active[2 * z + right] - 1
        row = at.S[2 * z + right] + at.K + row_of(x.ends[h, right], last, h, right, e, width)
        for slot in range(first, first + used):
            t = at.W[2 * z + right] + end * width + slot
            if (e == h or last >= 0) and not idle(c, t, t):
                finished = at.one if e == h else row + slot
                finish(c, weighted(c, begin(c, t, t), finished, 0, at.close[2 * z + right] + end, 1), t, t)

    @jitable
    def goal(c: Chart, x: LinkGraph, at: ChartLayout) -> None:
        # Σ_s W(root, n)[s]
        if not idle(c, at.goal, at.goal):
            first, count = used_slots(x.reach, x.second, 0, x.n)
            row = at.W[1] + x.n * at.width[0, 1] + first
            finish(c, weighted(c, begin(c, at.goal, at.goal), row, 0, at.zeros, count), at.goal, at.goal)

    def visit(c: Chart, x: LinkGraph, at: ChartLayout) -> None:
        for outer in range(x.n + 1):
            i = x.n - outer if forward else outer
            for inner in range(x.n + 1 - i):
                j = i + inner if forward else x.n - inner
                for step in range(RULES):
                    rule = step if forward else RULES - 1 - step
                    if j == i and rule != 7:
                        continue  # an empty span
                    for right in range(1 if i == 0 else 0, 2):
                        h, e = (i, j) if right else (j, i)
                        if rule < 3 and x.arc[h, e] >= 0:  # the links of the arc h → e
                            arc, length, low = x.arc[h, e], j - i, i + 1 if right else i
                            for a in range(x.run_starts[x.runs[arc]], x.run_starts[x.runs[arc + 1]]):
                                if rule == 0:
                                    rule_d(c, x, at, a, h, right, i + 1 - right, length)
                                elif rule == 2:
                                    rule_i(c, x, at, a, e, right, low, length)
                                elif x.second:
                                    for k in range(length):
                                        near = at.near[a] + k
                                        rule_grand(c, x, at, a, e, 1 - right, low + k, near, length, at.near_grand[a])
                        elif rule == 3 or rule == 4:  # the modifiers of h up to e
                            for slot in range(1, 1 + x.reach[h, e]):
                                arc = x.first_arc[2 * h + right] + slot - 1
                                if rule == 4:
                                    rule_c(c, x, at, arc, h, right, e, slot)
                                elif x.second:
                                    m = x.modifiers[arc]
                                    for a in range(x.run_starts[x.runs[arc]], x.run_starts[x.runs[arc + 1]]):
                                        far = at.far[a] + end_of(m, right, e)
                                        rule_grand(c, x, at, a, m, right, e, far, x.ends[m, right], at.far_grand[a])
                        elif 4 < rule < 8:  # the senses of h
                            for z in range(x.sense_starts[h], x.sense_starts[h + 1]):
                                if rule == 5 and not x.second:
                                    rule_s(c, x, at, z, h, right, e)
                                elif rule == 6:
                                    rule_k(c, x, at, z, h, right, e)
                                elif rule == 7:
                                    rule_w(c, x, at, z, h, right, e)
                    if rule == 8 and i == 0 and j == x.n:
                        goal(c, x, at)

    return jitable(visit)
