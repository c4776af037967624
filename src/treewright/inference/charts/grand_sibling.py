"""Projective trees under grand-sibling scores: Model 1 of Koo & Collins (2010), Figure 6.

Every arc h → m is scored with the head g of h and with s, the next modifier of h inside m (or none)::

    (a)  C(gh, e)   = Σ_m  I(gh, m) · C(hm, e)
    (b)  I(gh, m)   = Σ_s  I(gh, s) · S(h, s, m) · grand_sibling(g, h, s, m)
    (c)  S(h, s, m) = Σ_r  C(hs, r) · C(hm, r + 1),    S(h, -, m) = C(hm, h + 1)

Items (a) and (c) are those of `treewright.inference.charts.g_spans`.

Where last modifiers are scored too, h has its last modifier on a side when that span is completed::

    C(gh, h) = last(h, -),    C(gh, e) = Σ_m  I(gh, m) · C(hm, e) · last(h, m)
"""

from __future__ import annotations

from treewright.inference.charts.g_layout import GSpans, Layout
from treewright.inference.charts.g_spans import Above, Span, complete, first_sibling, over_g_spans, siblings, span_at
from treewright.inference.charts.rules import items
from treewright.inference.charts.walks import Chart, Function, Walk, jitable

__all__ = ["KINDS", "program"]

#: The kinds of items, beside C.
KINDS = "SI"


def program(walk: Walk, last: bool = False) -> Function:
    """Write the rules for a walk, with or without last modifiers."""
    _, triple, weighted = items(walk)

    @jitable
    def incomplete(c: Chart, at: Layout, span: Span, above: Above) -> None:  # I(gh, m)
        t, parts = above.slots + span.rank + 1, above.grand_siblings + span.pairs - span.side_pairs
        triple(c, t, t, above.slots, at.S + span.pairs, parts, span.length)

    @jitable
    def complete_with_last(c: Chart, at: Layout, span: Span, above: Above) -> None:  # C(gh, e)
        t, row = span_at(at, above.arc, span.m, span.right), at.R + span.m * at.arcs
        triple(c, t, row + above.arc, above.slots + 1, row + span.first, at.more + span.slots + 1, span.reach)

    @jitable
    def empty(c: Chart, shape: GSpans) -> None:  # C(gh, h), to the left and to the right
        _, x, at = shape
        for a in range(at.arcs - 1):
            h = x.modifiers[a]
            for right in range(2):
                t = span_at(at, a, h, right)
                copy = at.R + h * at.arcs + a if right == (x.heads[a] < h) else t
                weighted(c, t, copy, at.one, at.more + x.list_start[2 * h + right], 1)

    rules = [incomplete], [first_sibling(walk)], siblings(walk)
    if last:
        return over_g_spans(walk, complete_with_last, *rules, empty)
    return over_g_spans(walk, complete(walk), *rules)
