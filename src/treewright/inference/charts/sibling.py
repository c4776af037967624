"""Projective trees under sibling scores: O(n³) time and O(n²) space, part scores aside.

The algorithm of Eisner (1996) and McDonald & Pereira (2006), drawn as in Figure 3 of Koo & Collins (2010)::

    C(h, e)   h and its descendants as far as e on one side                       (complete span)
    I(h, m)   the arc h → m and all that lies between                             (incomplete span)
    S(s, m)   all that lies between two modifiers of one head                     (sibling span)

    S(s, m) = Σ_r  C(s, r) · C(m, r + 1)                                          (r from s to m - 1)
    I(h, m) = C(m, h + 1) · sibling(h, -, m)  +  Σ_s  I(h, s) · S(s, m) · sibling(h, s, m)
    C(h, e) = Σ_m  I(h, m) · C(m, e)

and mirrored to the left.  For a single root, the root takes no second modifier: its sum over s is left out.

Where last modifiers are scored too, h has its last modifier on a side when that span is completed::

    C(h, h) = last(h, -),    C(h, e) = Σ_m  I(h, m) · C(m, e) · last(h, m)

Then C(h, h) is two items, one for each side, and the rows of C, of R and of the last modifiers are one longer: what is
to the right stands one place further along in C and in the scores, what is to the left in R.

The parts (h, s, m) of each arc lie side by side, by s, with s = h where there is no sibling inside (so that it
comes first to the right and last to the left); those of arc (h, m) begin at ``places[h, m]``, -1 if it was pruned.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from treewright.arrays import Ints
from treewright.inference.charts.rules import items, nothing, over_spans
from treewright.inference.charts.walks import Chart, Function, Walk, jitable

__all__ = ["SiblingSpans", "program", "sibling_spans"]


class Layout(NamedTuple):
    """Where each kind of item begins."""

    size: int  # the number of words, with the root
    # Where each kind of item begins, and the item that is always one (only where last modifiers are scored).
    C: int
    R: int
    I: int
    S: int
    one: int
    ends: int  # the first part that is a last modifier


class SiblingSpans(NamedTuple):
    """The shape of the program: the number of words, the first part of each arc, and the layout of the chart."""

    n: int
    places: Ints
    at: Layout


def sibling_spans(places: Ints, ends: int, last: bool) -> SiblingSpans:
    """Lay out the chart for parts that lie at these places."""
    size, wide = len(places), len(places) + last
    R, I, S = size * wide, 2 * size * wide, 2 * size * wide + size * size
    at = Layout(size, 0, R, I, S, S + size * size, ends)
    return SiblingSpans(size - 1, places, at)


def program(walk: Walk, last: bool = False) -> Function:
    """Write the rules for a walk, with or without last modifiers."""
    idle, begin, finish = walk.idle, walk.begin, walk.finish
    first_modifier, next_modifier = walk.weighted, walk.triple
    pair, triple, weighted = items(walk)
    extra = int(last)  # rows of C and R are longer by this: C(h, h) to the left and to the right are not the same

    @jitable
    def span_at(at: Layout, h: int, e: int, right: int) -> Any:  # C(h, e)
        return at.C + h * (at.size + extra) + e + right * extra

    @jitable
    def copy_at(at: Layout, h: int, e: int, right: int) -> Any:  # its transposed copy
        return at.R + e * (at.size + extra) + h + (1 - right) * extra

    @jitable
    def end_at(at: Layout, h: int, e: int, right: int) -> Any:  # the part of e as the last modifier of h
        return at.ends + h * (at.size + extra) + e + right

    @jitable
    def between(c: Chart, shape: SiblingSpans, i: int, j: int, single_root: bool) -> None:  # S(i, j)
        at = shape.at
        if i > 0:  # nothing is the head of the root, here and below
            t, copy = at.S + i * at.size + j, at.S + j * at.size + i
            pair(c, t, copy, span_at(at, i, i, 1), span_at(at, j, i + 1, 0), j - i)

    # I(h, m); the modifiers inside are i + 1 … j - 1
    @jitable
    def incomplete(c: Chart, shape: SiblingSpans, i: int, j: int, right: int, single_root: bool) -> None:
        at = shape.at
        h, m, next_to, none = (i, j, i + 1, 0) if right else (j, i, j - 1, j - i - 1)
        t, parts = at.I + h * at.size + m, shape.places[h, m]
        if m > 0 and not idle(c, t, t):
            state, exists = begin(c, t, t), int(parts >= 0)
            state = first_modifier(c, state, span_at(at, m, next_to, 1 - right), 0, parts + none, exists)
            row, others = at.I + h * at.size + i + 1, at.S + m * at.size + i + 1
            length = 0 if single_root and h == 0 else (j - i - 1) * exists
            state = next_modifier(c, state, row, others, parts + right, length)
            finish(c, state, t, t)

    @jitable
    def complete(c: Chart, shape: SiblingSpans, i: int, j: int, right: int) -> None:  # C(h, e)
        at = shape.at
        h, e = (i, j) if right else (j, i)
        t, copy, first = span_at(at, h, e, right), copy_at(at, h, e, right), i + right
        row, others = at.I + h * at.size + first, copy_at(at, first, e, right)
        if e > 0:
            if last:
                triple(c, t, copy, row, others, end_at(at, h, first, right), j - i)
            else:
                pair(c, t, copy, row, others, j - i)

    @jitable
    def skip(c: Chart, shape: SiblingSpans, i: int, j: int) -> Any:  # most spans, when one tree is walked back
        at = shape.at
        ij, ji = i * at.size + j, j * at.size + i
        finished = idle(c, span_at(at, i, j, 1), copy_at(at, i, j, 1))
        finished = finished and idle(c, span_at(at, j, i, 0), copy_at(at, j, i, 0))
        return finished and idle(c, at.I + ij, at.I + ji) and idle(c, at.S + ij, at.S + ji)

    @jitable
    def empty(c: Chart, shape: SiblingSpans) -> None:  # C(h, h), to the left and to the right
        at = shape.at
        for h in range(1, at.size):
            for right in range(2):
                t, copy = span_at(at, h, h, right), copy_at(at, h, h, right)
                weighted(c, t, copy, at.one, end_at(at, h, h, right), 1)

    return over_spans(walk, between, incomplete, complete, skip, empty if last else nothing)
