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

from typing import Any, NamedTuple

from treewright.inference.charts.rules import items, over_spans
from treewright.inference.charts.walks import Chart, Function, Walk, jitable

__all__ = ["Spans", "program", "spans"]


class Spans(NamedTuple):
    """The shape of the program: the number of words, and where in the chart R, I and B begin; C is the first square."""

    n: int
    size: int
    R: int
    I: int
    B: int


@jitable
def spans(n: int) -> Any:
    """Lay out the chart for n words."""
    square = (n + 1) * (n + 1)
    return Spans(n, n + 1, square, 2 * square, 3 * square)


def program(walk: Walk) -> Function:
    """Write the rules for a walk."""
    idle, (pair, _, weighted) = walk.idle, items(walk)

    @jitable
    def between(c: Chart, at: Spans, i: int, j: int, single_root: bool) -> None:  # B(i, j)
        t, length = at.B + i * at.size + j, 1 if single_root and i == 0 else j - i
        pair(c, t, t, i * at.size + i, j * at.size + i + 1, length)

    @jitable
    def incomplete(c: Chart, at: Spans, i: int, j: int, right: int, single_root: bool) -> None:  # I(h, m)
        h, m = (i, j) if right else (j, i)
        arc = h * at.size + m
        if right or m > 0:  # nothing is the head of the root, here and below
            weighted(c, at.I + arc, at.I + arc, at.B + i * at.size + j, arc, 1)

    @jitable
    def complete(c: Chart, at: Spans, i: int, j: int, right: int) -> None:  # C(h, e)
        h, e = (i, j) if right else (j, i)
        t, copy, first = h * at.size + e, at.R + e * at.size + h, i + right
        if right or e > 0:
            pair(c, t, copy, at.I + h * at.size + first, at.R + e * at.size + first, j - i)

    @jitable
    def skip(c: Chart, at: Spans, i: int, j: int) -> Any:  # as can most often be done when one tree is walked back
        ij, ji = i * at.size + j, j * at.size + i
        finished = idle(c, ij, at.R + ji) and idle(c, ji, at.R + ij)
        return finished and idle(c, at.I + ij, at.I + ji) and idle(c, at.B + ij, at.B + ij)

    return over_spans(walk, between, incomplete, complete, skip)
