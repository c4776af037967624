"""Projective trees under grandchild scores: Model 0 of Koo & Collins (2010), Figures 4 and 5.

Every arc h → m is scored with the head g of h.  The items are complete and incomplete g-spans
(`treewright.inference.charts.g_spans`), and B, an incomplete g-span before its grandchild is scored::

    (a)  C(gh, e) = Σ_m  I(gh, m) · C(hm, e)
    (b)  I(gh, m) = B(gh, m) · grandchild(g, h, m),    B(gh, m) = Σ_r  C(gh, r) · C(hm, r + 1)
"""

from __future__ import annotations

from treewright.inference.charts.g_layout import Layout
from treewright.inference.charts.g_spans import Above, Span, complete, over_g_spans, span_at
from treewright.inference.charts.rules import items
from treewright.inference.charts.walks import Chart, Function, Walk, jitable

__all__ = ["KINDS", "program"]

#: The kinds of items, beside C.
KINDS = "BI"


def program(walk: Walk) -> Function:
    """Write the rules for a walk."""
    pair, _, weighted = items(walk)

    @jitable
    def between(c: Chart, at: Layout, span: Span, above: Above) -> None:  # B(gh, m)
        t, i, length = above.slots + span.rank + 1 + at.B - at.I, span.i, 1 if span.only else span.j - span.i
        left, right = (above.arc, span.arc) if span.right else (span.arc, above.arc)
        pair(c, t, t, span_at(at, left, i, 1), span_at(at, right, i + 1, 0), length)

    @jitable
    def incomplete(c: Chart, at: Layout, span: Span, above: Above) -> None:  # I(gh, m)
        t = above.slots + span.rank + 1
        weighted(c, t, t, t + at.B - at.I, above.grandchildren + span.rank, 1)

    return over_g_spans(walk, complete(walk), grandparents=[between, incomplete])
