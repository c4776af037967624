"""Projective trees under arc scores: Eisner's algorithm, O(n³) time and O(n²) space.

Items and rules are those of Eisner (1996, 2000), drawn as in Figure 2 of Koo & Collins (2010)::

    C(h, e)   h and its descendants as far as e on one side        (complete span)
    I(h, m)   the arc h → m and all that lies between              (incomplete span)
    B(i, j)   all that lies between i and j, before either is the other's head

    B(i, j) = Σ_r  C(i, r) · C(j, r + 1)                           (r from i to j - 1)
    I(h, m) = B(h, m) · arc(h, m)
    C(h, e) = Σ_m  I(h, m) · C(m, e)                               (m from h, exclusive, to e)

The root is a head like any other, but stands to the left of all words.  For a single root it takes one modifier, the
first: in B(0, m) only r = 0 is left.

An item is indexed by its head and then by its other end, left or right, so that one square array holds both directions.
The sums over r run along two rows of C, those over m along a row of I and one of R, the transposed copy of C.
"""

from __future__ import annotations

from typing import Any

from treewright.arrays import Ints
from treewright.inference.charts.walks import Chart, Walk, jitable

__all__ = ["program"]


def program(walk: Walk) -> Any:
    """Write the rules down for a walk."""
    forward, idle, begin, pair, weighted, finish = (
        walk.forward,
        walk.idle,
        walk.begin,
        walk.pair,
        walk.weighted,
        walk.finish,
    )

    @jitable
    def item(c: Chart, i: int, j: int, size: int, single_root: bool, rule: int) -> None:
        C, R, I, B = 0, size * size, 2 * size * size, 3 * size * size
        ij, ji = i * size + j, j * size + i
        if rule == 0:  # B(i, j)
            length = 1 if single_root and i == 0 else j - i
            if not idle(c, B + ij, B + ij):
                state = begin(c, B + ij, B + ij)
                state = pair(c, state, C + i * size + i, C + j * size + i + 1, 0, length)
                finish(c, state, B + ij, B + ij)
        elif rule < 3:  # I(i, j) and I(j, i)
            arc = ij if rule == 1 else ji
            if (rule == 1 or i > 0) and not idle(c, I + arc, I + arc):
                state = begin(c, I + arc, I + arc)
                state = weighted(c, state, B + ij, 0, arc, 1)
                finish(c, state, I + arc, I + arc)
        elif rule == 3:  # C(i, j)
            if not idle(c, C + ij, R + ji):
                state = begin(c, C + ij, R + ji)
                state = pair(c, state, I + i * size + i + 1, R + j * size + i + 1, 0, j - i)
                finish(c, state, C + ij, R + ji)
        elif i > 0 and not idle(c, C + ji, R + ij):  # C(j, i)
            state = begin(c, C + ji, R + ij)
            state = pair(c, state, I + j * size + i, R + i * size + i, 0, j - i)
            finish(c, state, C + ji, R + ij)

    def visit(c: Chart, n: int, places: Ints, single_root: bool) -> None:
        size = n + 1
        C, R, I, B = 0, size * size, 2 * size * size, 3 * size * size
        for x in range(n):
            i = n - 1 - x if forward else x
            for y in range(n - i):
                j = i + 1 + y if forward else n - y
                ij, ji = i * size + j, j * size + i
                spans = idle(c, C + ij, R + ji) and idle(c, C + ji, R + ij)
                if spans and idle(c, I + ij, I + ji) and idle(c, B + ij, B + ij):
                    continue  # all five, as is most often so when one tree is walked back
                # Not in a loop, so that each is compiled for its rule.
                item(c, i, j, size, single_root, 0 if forward else 4)
                item(c, i, j, size, single_root, 1 if forward else 3)
                item(c, i, j, size, single_root, 2)
                item(c, i, j, size, single_root, 3 if forward else 1)
                item(c, i, j, size, single_root, 4 if forward else 0)

    return jitable(visit)
