"""Projective trees under sibling scores: O(n³) time and O(n²) space, part scores aside.

The algorithm of Eisner (1996) and McDonald & Pereira (2006), drawn as in Figure 3 of Koo & Collins (2010)::

    C(h, e)   h and its descendants as far as e on one side                       (complete span)
    I(h, m)   the arc h → m and all that lies between                             (incomplete span)
    S(s, m)   all that lies between two modifiers of one head                     (sibling span)

    S(s, m) = Σ_r  C(s, r) · C(m, r + 1)                                          (r from s to m - 1)
    I(h, m) = C(m, h + 1) · sibling(h, -, m)  +  Σ_s  I(h, s) · S(s, m) · sibling(h, s, m)
    C(h, e) = Σ_m  I(h, m) · C(m, e)

and mirrored to the left.  For a single root, the root takes no second modifier: its sum over s is left out.

Where last modifiers are scored as well, h has its last modifier on a side when that span is completed::

    C(h, h) = last(h, -),    C(h, e) = Σ_m  I(h, m) · C(m, e) · last(h, m)

Then C(h, h) is two items, one for each side, and the rows of C, of R and of the last modifiers are one longer: what is
to the right stands one place further along in C and in the scores, what is to the left in R.

The parts (h, s, m) of each arc lie side by side, by s, with s = h where there is no sibling inside (so that it
comes first to the right and last to the left); those of arc (h, m) begin at ``places[h, m]``.
"""

from __future__ import annotations

from typing import Any

from treewright.arrays import Ints
from treewright.inference.charts.walks import Chart, Walk, jitable

__all__ = ["program"]


def program(walk: Walk, ends: bool) -> Any:
    """Write the rules down for a walk, with or without last modifiers."""
    forward, idle, begin, finish = walk.forward, walk.idle, walk.begin, walk.finish
    pair, triple, weighted = walk.pair, walk.triple, walk.weighted
    further = 1 if ends else 0

    @jitable
    def spans(c: Chart, t: int, copy: int, row: int, others: int, last: int, length: int) -> None:
        if not idle(c, t, copy):
            state = begin(c, t, copy)
            if ends:
                state = triple(c, state, row, others, last, length)
            else:
                state = pair(c, state, row, others, 0, length)
            finish(c, state, t, copy)

    @jitable
    def item(c: Chart, i: int, j: int, size: int, places: Ints, single_root: bool, rule: int) -> None:
        wide = size + further
        C, R, I, S = 0, size * wide, 2 * size * wide, 2 * size * wide + size * size
        last = len(c.part) - size * wide
        ij, ji = i * size + j, j * size + i
        if rule == 0:  # S(i, j); nothing is the head of the root, here and below
            if i > 0 and not idle(c, S + ij, S + ji):
                state = begin(c, S + ij, S + ji)
                state = pair(c, state, C + i * wide + i + further, C + j * wide + i + 1, 0, j - i)
                finish(c, state, S + ij, S + ji)
        elif rule < 3:  # I(i, j) and I(j, i); the modifiers inside are i + 1 … j - 1
            h, m, end, none = (i, j, i + 1, 0) if rule == 1 else (j, i, j - 1 + further, j - i - 1)
            t, parts = I + h * size + m, places[h, m]
            if m > 0 and not idle(c, t, t):
                state = begin(c, t, t)
                state = weighted(c, state, C + m * wide + end, 0, parts + none, 1)
                length = 0 if single_root and h == 0 else j - i - 1
                state = triple(c, state, I + h * size + i + 1, S + m * size + i + 1, parts + (rule == 1), length)
                finish(c, state, t, t)
        elif rule == 3:  # C(i, j)
            t, copy, scores = C + i * wide + j + further, R + j * wide + i, last + i * wide + i + 2
            spans(c, t, copy, I + i * size + i + 1, R + j * wide + i + 1, scores, j - i)
        elif i > 0:  # C(j, i)
            t, copy, scores = C + j * wide + i, R + i * wide + j + further, last + j * wide + i
            spans(c, t, copy, I + j * size + i, R + i * wide + i + further, scores, j - i)

    @jitable
    def empty(c: Chart, size: int) -> None:  # C(h, h), to the left and to the right
        R, last = size * (size + 1), len(c.part) - size * (size + 1)
        for h in range(1, size):
            own = h * (size + 1) + h
            for right in range(2):
                t, copy = own + right, R + own + 1 - right
                if not idle(c, t, copy):
                    state = weighted(c, begin(c, t, copy), len(c.value) - 1, 0, last + own + right, 1)
                    finish(c, state, t, copy)

    def visit(c: Chart, n: int, places: Ints, single_root: bool) -> None:
        size, wide = n + 1, n + 1 + further
        C, R, I, S = 0, size * wide, 2 * size * wide, 2 * size * wide + size * size
        if ends and forward:
            empty(c, size)
        for x in range(n):
            i = n - 1 - x if forward else x
            for y in range(n - i):
                j = i + 1 + y if forward else n - y
                ij, ji = i * size + j, j * size + i
                right, left = i * wide + j, j * wide + i
                done = idle(c, C + right + further, R + left) and idle(c, C + left, R + right + further)
                if done and idle(c, I + ij, I + ji) and idle(c, S + ij, S + ji):
                    continue  # all five, as is most often so when one tree is walked back
                # Not in a loop, so that each is compiled for its rule.
                item(c, i, j, size, places, single_root, 0 if forward else 4)
                item(c, i, j, size, places, single_root, 1 if forward else 3)
                item(c, i, j, size, places, single_root, 2)
                item(c, i, j, size, places, single_root, 3 if forward else 1)
                item(c, i, j, size, places, single_root, 4 if forward else 0)
        if ends and not forward:
            empty(c, size)

    return jitable(visit)
