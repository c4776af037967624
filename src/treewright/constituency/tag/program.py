"""The dynamic programs of Carreras, Collins and Koo (2008), section 3.1: Eisner's, with senses and automata.

Every item is a span of a word h on one side, from h to an end e; z is a sense of h, q a state of its automaton on that
side, and s the last modifier that was joined (slot 0, -, before the first)::

    C(q, e)[s]   h in state q, its last modifier s, everything between h and e below h
    K(q, e)[s]   the same in q or in any state before it: K(p, 0) = K(p - 1, 1) + C(p, 0), K(p, 1) = K(p, 0) + C(p, 1)
    W(z, e)[s]   the side of z is finished: K in the last state, with close(z, e)

A link a = ⟨h, m, (GRM(l), A)⟩ that leads to the state q, its target, comes from the sense k of m::

    D(a, q, r)   = Σ_s  X(q, r)[s] · sibling(a, s),  where X is K(q), or C(q) for s-adjunction in a state with L
    near(a, k, e) = Σ_g  W(k, e)[g] · grand(a, g)   on that side of m where h is
    far(a, k, e)  = Σ_g  W(k, e)[g] · grand(a, g)    on the other side
    I(a, q, k)   = Σ_r  D(a, q, r) · near(a, k, r ± 1)
    C(q, e)[m]   = Σ_a  Σ_k  I(a, q, k) · far(a, k, e)

which is O(H n⁴) for the second-order model (Equation 3): D and far have four words.  In the first-order model (Equation
2) nothing is asked of s and g: S(q, e) = Σ_s C(q, e)[s] takes the place of C in K and X, W takes that of near and far,
sibling(a, -) is the score of the dependency itself, and all is O(G n³).  A sense is the same on both sides because I
has it, and the sides meet there.

The modifiers g, the *first* to the left and to the right of m (Q and G in section 2.2), are the first that is seen from
outside: the outermost, as in Carreras (2007).  The spine of a word is scored in close(z, e) on its left, and so are the
boundaries of constituents (footnote 5), on both sides.
"""

from __future__ import annotations

from typing import Any

from treewright.constituency.tag.layout import Layout
from treewright.inference.charts.walks import Chart, Walk, jitable

__all__ = ["program"]

#: Rules of a span, in order: D, near, I, far, C, S, K, W.
RULES = 8


def program(walk: Walk) -> Any:
    """Write the rules down for a walk."""
    forward, idle, begin, finish = walk.forward, walk.idle, walk.begin, walk.finish
    pair, weighted = walk.pair, walk.weighted

    @jitable
    def end_of(x: Layout, w: int, right: int, e: int) -> Any:  # which of its ends e is
        return e - w if right else e - 1

    @jitable
    def slots_of(x: Layout, w: int, right: int) -> Any:  # how many slots C has
        if right:
            return 1 + x.reach[w, x.n] if w < x.n else 1
        return 1 + x.reach[w, 1] if w > 1 else 1

    @jitable
    def ends_of(x: Layout, w: int, right: int) -> Any:
        return x.n + 1 - w if right else w

    @jitable
    def close(c: Chart, x: Layout, z: int, w: int, right: int, e: int) -> None:  # W(z, e)
        first, slots = (0, 1) if e == w or not x.second else (1, x.reach[w, e])
        width = slots_of(x, w, right) if x.second else 1
        at, ends = end_of(x, w, right, e), ends_of(x, w, right)
        last = x.active[2 * z + right] - 1
        for slot in range(first, first + slots):
            t = x.W[2 * z + right] + at * width + slot
            if not idle(c, t, t):
                finished = x.one if e == w else x.S[2 * z + right] + x.K + (last * ends + at) * width + slot
                finish(c, weighted(c, begin(c, t, t), finished, 0, x.close[2 * z + right] + at, 1), t, t)

    @jitable
    def finish_empty(c: Chart, x: Layout) -> None:  # W(z, h), a side without modifiers
        for w in range(x.n + 1):
            for z in range(x.sense_starts[w], x.sense_starts[w + 1]):
                for right in range(1 if w == 0 else 0, 2):
                    close(c, x, z, w, right, w)

    @jitable
    def reach_goal(c: Chart, x: Layout) -> None:
        first, slots = (1, x.reach[0, x.n]) if x.second else (0, 1)
        width = 1 + x.reach[0, x.n] if x.second else 1
        row = x.W[1] + x.n * width + first
        if not idle(c, x.goal, x.goal):
            state = weighted(c, begin(c, x.goal, x.goal), row, 0, x.zeros, slots)
            finish(c, state, x.goal, x.goal)

    @jitable
    def share_sides(c: Chart, x: Layout, a: int, m: int, right: int, e: int, t: int, step: int, row: int) -> None:
        # near or far(a, k, e) of all senses k, those of the first at t, of the others each a step further
        slots = slots_of(x, m, right)
        first, count = (0, 1) if e == m else (1, x.reach[m, e])
        at = end_of(x, m, right, e)
        for k in range(x.senses[a]):
            item = t + k * step
            if not idle(c, item, item):
                finished = x.W[2 * (x.first_sense[a] + k) + right] + at * slots + first
                finish(c, weighted(c, begin(c, item, item), finished, 0, row + first, count), item, item)

    def visit(c: Chart, x: Layout) -> None:
        n = x.n
        if forward:
            finish_empty(c, x)
        else:
            reach_goal(c, x)
        for outer in range(n):
            i = n - 1 - outer if forward else outer
            for inner in range(n - i):
                j = i + 1 + inner if forward else n - inner
                for step in range(RULES):
                    rule = step if forward else RULES - 1 - step
                    for right in range(1 if i == 0 else 0, 2):
                        h, m = (i, j) if right else (j, i)
                        slots, ends = slots_of(x, h, right), ends_of(x, h, right)
                        width = slots if x.second else 1
                        if rule < 3:  # the links of the arc h → m
                            arc, length = x.arc[h, m], j - i
                            if arc < 0:
                                continue
                            for a in range(x.run_starts[x.runs[arc]], x.run_starts[x.runs[arc + 1]]):
                                menu, senses = x.menus[a], x.senses[a]
                                targets = x.target_starts[menu + 1] - x.target_starts[menu]
                                low = i if right else i + 1  # the first r
                                if rule == 0:
                                    for place in range(targets):
                                        q = x.targets[x.target_starts[menu] + place]
                                        z = x.sense_of[q]
                                        rows = x.S[2 * z + right] + x.number[q, right] * ends * width
                                        if x.adjunctions[a] == 1 or q % 2 == 0:
                                            rows += x.K
                                        for k in range(length):
                                            r, t = low + k, x.D[a] + place * length + k
                                            if idle(c, t, t):
                                                continue
                                            row = rows + end_of(x, h, right, r) * width
                                            state = begin(c, t, t)
                                            if r == h or not x.second:
                                                if h > 0 or r == h:  # the root has one modifier
                                                    state = weighted(c, state, row, 0, x.sibling[a], 1)
                                            elif h > 0:
                                                count = x.reach[h, r]
                                                state = weighted(c, state, row + 1, 0, x.sibling[a] + 1, count)
                                            finish(c, state, t, t)
                                elif rule == 1:
                                    if x.second:
                                        for k in range(length):
                                            e = low + k + (1 if right else -1)
                                            share_sides(
                                                c, x, a, m, 1 - right, e, x.near[a] + k, length, x.near_grand[a]
                                            )
                                else:
                                    for place in range(targets):
                                        for k in range(senses):
                                            t = x.I[a] + place * senses + k
                                            if idle(c, t, t):
                                                continue
                                            if x.second:
                                                side = x.near[a] + k * length
                                            else:
                                                side = x.W[2 * (x.first_sense[a] + k) + 1 - right]
                                                side += end_of(x, m, 1 - right, low + (1 if right else -1))
                                            state = pair(c, begin(c, t, t), x.D[a] + place * length, side, 0, length)
                                            finish(c, state, t, t)
                            continue
                        e, at = m, end_of(x, h, right, m)  # from here on, m is an end
                        if rule == 3 or rule == 4:
                            begins = x.first_arc[2 * h + right]
                            for slot in range(1, 1 + x.reach[h, e]):
                                arc = begins + slot - 1
                                m = x.modifiers[arc]
                                far = end_of(x, m, right, e)
                                if rule == 3:
                                    if x.second:
                                        step_of = ends_of(x, m, right)
                                        for a in range(x.run_starts[x.runs[arc]], x.run_starts[x.runs[arc + 1]]):
                                            share_sides(c, x, a, m, right, e, x.far[a] + far, step_of, x.far_grand[a])
                                    continue
                                for run in range(x.runs[arc], x.runs[arc + 1]):
                                    first, last = x.run_starts[run], x.run_starts[run + 1]
                                    menu = x.run_menus[run]
                                    for place in range(x.target_starts[menu], x.target_starts[menu + 1]):
                                        q = x.targets[place]
                                        z = x.sense_of[q]
                                        t = x.C[2 * z + right] + (x.number[q, right] * ends + at) * slots + slot
                                        if idle(c, t, t):
                                            continue
                                        state = begin(c, t, t)
                                        for a in range(first, last):
                                            if x.adjunctions[a] > q % 2:
                                                continue
                                            item = x.I[a] + x.rank[q, x.adjunctions[a]] * x.senses[a]
                                            for k in range(x.senses[a]):
                                                if x.second:
                                                    side = x.far[a] + k * ends_of(x, m, right) + far
                                                else:
                                                    side = x.W[2 * (x.first_sense[a] + k) + right] + far
                                                state = pair(c, state, item + k, side, 0, 1)
                                        finish(c, state, t, t)
                            continue
                        for z in range(x.sense_starts[h], x.sense_starts[h + 1]):
                            count = x.active[2 * z + right]
                            if count == 0:
                                continue
                            if rule == 5 and not x.second:
                                for q in range(count):
                                    t = x.S[2 * z + right] + q * ends + at
                                    if not idle(c, t, t):
                                        row = x.C[2 * z + right] + (q * ends + at) * slots + 1
                                        state = weighted(c, begin(c, t, t), row, 0, x.zeros, x.reach[h, e])
                                        finish(c, state, t, t)
                            elif rule == 6:
                                first, used = (1, x.reach[h, e]) if x.second else (0, 1)
                                for number in range(count):
                                    q = number if forward else count - 1 - number
                                    row = x.S[2 * z + right] + (q * ends + at) * width + first
                                    for t in range(row + x.K, row + x.K + used):
                                        if not idle(c, t, t):
                                            state = pair(c, begin(c, t, t), t - x.K, x.one, 0, 1)
                                            if q > 0:
                                                state = pair(c, state, t - ends * width, x.one, 0, 1)
                                            finish(c, state, t, t)
                            elif rule == 7:
                                close(c, x, z, h, right, e)
        if forward:
            reach_goal(c, x)
        else:
            finish_empty(c, x)

    return jitable(visit)
