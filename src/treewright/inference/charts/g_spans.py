"""Complete g-spans: what the programs that know grandparents share, in O(n⁴) time and O(n³) space.

A *g-span* (Koo & Collins 2010, section 4) is a span whose head h knows its own head g, that is, a span for each arc
(g, h)::

    C(gh, e)     h and its descendants as far as e on one side, below g           (complete g-span)
    S(h, s, m)   all that lies between two modifiers s and m of h                 (sibling g-span)
    S(h, -, m)   all that lies between h and its first modifier m
    I            the arc h → m and all that lies between                          (incomplete span)

    C(gh, e)   = Σ_m  I(gh, m) · C(hm, e)
    S(h, s, m) = Σ_r  C(hs, r) · C(hm, r + 1),    S(h, -, m) = C(hm, h + 1)

What differs is the incomplete span, so each model has a text of its own:

- `treewright.inference.charts.grandchild`: Model 0, Figures 4 and 5;
- `treewright.inference.charts.grand_sibling`: Model 1, Figure 6;
- `treewright.inference.charts.tri_sibling`: Model 2, Figure 7;
- `treewright.inference.charts.carreras`: the parser of Carreras (2007).

Sums over s include "none", -, with I(gh, -) = 1.  For a single root, the root takes only a first arc.

Everything is indexed by *arcs*, numbered by head, side and distance (`treewright.inference.arcs`), so that a pruned
problem is the same problem with fewer arcs, and so that all sums run along contiguous rows: the modifiers of a head on
one side are neighbours, and so are the pairs (-, m), (s₁, m), (s₂, m), … of each modifier m.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from treewright.inference.charts.g_layout import GSpans, Layout
from treewright.inference.charts.rules import items, nothing
from treewright.inference.charts.walks import Chart, Function, Walk, jitable

__all__ = ["Above", "Span", "complete", "first_sibling", "over_g_spans", "siblings", "span_at"]


# The rules of models are given numbers instead of the arrays that hold them, because Numba takes long to compile
# functions with many arguments, and an array counts for seven.


class Span(NamedTuple):
    """The words from i to j, of which one is h and the other is m."""

    i: int
    j: int
    h: int
    m: int
    right: int  # 1 if m stands to the right of h, otherwise 0
    # The first arc, slot and pair of h on that side.
    first: int
    slots: int
    side_pairs: int
    reach: int  # how many modifiers h has on that side, as far as m
    # The arc h → m, if there is one, and how many modifiers of h are nearer.
    arc: int
    rank: int
    # The first of its pairs (-, m), (s₁, m), (s₂, m), …, and how many there are.
    pairs: int
    length: int
    tri_siblings: int  # the first of its tri-sibling parts
    only: bool  # whether h is a root that takes one modifier


class Above(NamedTuple):
    """An arc (g, h) above the modifiers of h on one side."""

    arc: int  # the number of the arc
    slots: int  # I(gh, -), which I(gh, m₀), I(gh, m₁), … follow
    # The first part of each kind that the arc has with them.
    grandchildren: int
    grand_siblings: int


@jitable
def span_at(at: Layout, a: int, e: int, right: int) -> Any:
    """Find C(gh, e), where a is the arc (g, h) and e is to the left or right of h, or h itself."""
    return at.C + a * at.wide + e + right * at.last


def complete(walk: Walk) -> Function:
    """Write C(gh, e) = Σ_m I(gh, m) · C(hm, e) for a walk."""
    pair = items(walk).pair

    @jitable
    def rule(c: Chart, at: Layout, span: Span, above: Above) -> None:
        t, row = span_at(at, above.arc, span.m, span.right), at.R + span.m * at.arcs
        pair(c, t, row + above.arc, above.slots + 1, row + span.first, span.reach)

    return rule


def first_sibling(walk: Walk) -> Function:
    """Write S(h, -, m) = C(hm, h ± 1) for a walk."""
    pair = items(walk).pair

    @jitable
    def rule(c: Chart, at: Layout, span: Span) -> None:
        t, next_to = at.S + span.pairs, span.h + 1 if span.right else span.h - 1
        pair(c, t, t, span_at(at, span.arc, next_to, 1 - span.right), at.one, 1)

    return rule


def siblings(walk: Walk) -> Function:
    """Write S(h, s, m) = Σ_r C(hs, r) · C(hm, r + 1) for a walk, where s and m are i and j."""
    pair = items(walk).pair

    @jitable
    def rule(c: Chart, shape: GSpans, i: int, j: int, single_root: bool) -> None:
        _, x, at = shape
        for k in range(x.above_start[i], x.above_start[i + 1]):
            a = x.above[k]
            h = x.heads[a]
            b = x.number[h, j]
            if i <= h <= j or b < 0 or (single_root and h == 0):
                continue
            near, far = (a, b) if h < i else (b, a)
            rank = x.rank[far]
            t = at.S + x.pair_start[2 * h + (h < i)] + rank * (rank + 1) // 2 + x.rank[near] + 1
            pair(c, t, t, span_at(at, a, i, 1), span_at(at, b, i + 1, 0), j - i)

    return rule


@jitable
def _no_sibling(c: Chart, shape: GSpans, i: int, j: int, single_root: bool) -> None:
    pass


@jitable
def _no_arc(c: Chart, at: Layout, span: Span) -> None:
    pass


@jitable
def _no_grandparent(c: Chart, at: Layout, span: Span, above: Above) -> None:
    pass


def over_g_spans(
    walk: Walk,
    complete: Function,
    grandparents: Sequence[Function] = (),
    arcs: Sequence[Function] = (),
    siblings: Function = _no_sibling,
    empty: Function = nothing,
) -> Function:
    """Make the program ``(chart, shape, single_root)`` that applies rules to all spans.

    The rules of a span come in this order, and in reverse when walking back:

    - ``siblings(chart, shape, i, j, single_root)``;
    - ``arcs``, at most three, ``(chart, at, span)``: applied in both directions, where there is an arc h → m;
    - ``grandparents``, at most two, ``(chart, at, span, above)``: applied also to every g outside the span;
    - ``complete(chart, at, span, above)``: the same, whether or not there is an arc h → m.

    ``empty(chart, shape)`` visits the empty spans of single words, which come before all others.
    """
    forward, start, of_arcs = walk.forward, 1 if siblings is _no_sibling else 0, len(arcs)
    final = 1 + len(arcs) + len(grandparents)
    first, second, third = (list(arcs) + [_no_arc] * 3)[:3]
    last_but_one, last = ([_no_grandparent] * 2 + list(grandparents))[-2:]

    @jitable
    def visit(c: Chart, shape: GSpans, single_root: bool) -> None:
        n, x, at = shape
        if forward:
            empty(c, shape)
        for outer in range(n):
            i = n - 1 - outer if forward else outer
            for inner in range(n - i):
                j = i + 1 + inner if forward else n - inner
                for step in range(start, final + 1):
                    rule = step if forward else final + start - step
                    if rule == 0:
                        siblings(c, shape, i, j, single_root)
                        continue
                    for right in range(2):
                        h, m = (i, j) if right else (j, i)
                        arc, left_side, side = x.number[h, m], 2 * h, 2 * h + right
                        if (arc < 0 and rule < final) or m == 0:
                            continue
                        nearest, slots, side_pairs = x.first[side], x.list_start[side], x.pair_start[side]
                        rank, only, reach = x.rank[arc], single_root and h == 0, x.reach[h, m]
                        pairs, length = side_pairs + rank * (rank + 1) // 2, 1 if only else rank + 1
                        span = Span(
                            i, j, h, m, right, nearest, slots, side_pairs, reach, arc, rank, pairs, length,
                            x.tri_start[pairs], only,
                        )  # fmt: skip
                        if rule <= of_arcs:
                            if rule == 1:
                                first(c, at, span)
                            elif rule == 2:
                                second(c, at, span)
                            else:
                                third(c, at, span)
                            continue
                        items = at.I + right * (x.degree[left_side] + 1)
                        grandchildren = nearest - x.first[left_side]
                        grand_siblings = side_pairs - x.pair_start[left_side]
                        begin, end = x.above_start[h], x.above_start[h + 1]
                        if rule == final:  # apart, so that the loop asks for no rule
                            for k in range(begin, end):
                                a = x.above[k]
                                if h == 0 or x.heads[a] < i or x.heads[a] > j:
                                    above = Above(a, items + x.slot_start[a], grandchildren + x.grandchild_start[a], 0)
                                    complete(c, at, span, above)
                            continue
                        for k in range(begin, end):
                            a = x.above[k]
                            if h == 0 or x.heads[a] < i or x.heads[a] > j:
                                parts = grandchildren + x.grandchild_start[a], grand_siblings + x.grand_start[a]
                                above = Above(a, items + x.slot_start[a], parts[0], parts[1])
                                if rule == final - 1:
                                    last(c, at, span, above)
                                else:
                                    last_but_one(c, at, span, above)
        if not forward:
            empty(c, shape)

    return visit
