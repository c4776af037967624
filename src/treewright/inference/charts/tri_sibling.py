"""Projective trees under tri-sibling and grand-sibling scores: Model 2 of Koo & Collins (2010), Figure 7.

Every arc h → m is scored with s and t, the next two modifiers of h inside m (or none); the outermost pair of modifiers
of h on each side is scored with the head g of h.  The incomplete *s-span* Y knows the sibling s instead of g, and K is
its sum over_g_spans t::

    (a)  C(gh, e)   = Σ_m  I(gh, m) · C(hm, e)
    (b)  I(gh, m)   = Σ_s  Y(h, s, m) · grand_sibling(g, h, s, m)
    (c)  Y(h, s, m) = S(h, s, m) · K(h, s, m),         Y(h, -, m) = S(h, -, m) · tri_sibling(h, -, -, m)
         K(h, s, m) = Σ_t  Y(h, t, s) · tri_sibling(h, t, s, m)
    (d)  S(h, s, m) = Σ_r  C(hs, r) · C(hm, r + 1),    S(h, -, m) = C(hm, h + 1)

Items (a) and (d) are those of `treewright.inference.charts.g_spans`.
"""

from __future__ import annotations

from treewright.inference.charts.g_layout import Layout
from treewright.inference.charts.g_spans import Above, Span, complete, first_sibling, over_g_spans, siblings
from treewright.inference.charts.rules import items
from treewright.inference.charts.walks import Chart, Function, Walk, jitable

__all__ = ["KINDS", "program"]

#: The kinds of items, beside C.
KINDS = "SKYI"


def program(walk: Walk) -> Function:
    """Write the rules for a walk."""
    pair, _, weighted = items(walk)

    @jitable
    def inner(c: Chart, at: Layout, span: Span) -> None:  # K(h, s, m)
        for s in range(1, span.length):
            t, inside = at.K + span.pairs + s, s * (s - 1) // 2  # how many pairs are further inside
            weighted(c, t, t, at.Y + span.side_pairs + inside, span.tri_siblings + 1 + inside, s)

    @jitable
    def s_span(c: Chart, at: Layout, span: Span) -> None:  # Y(h, s, m)
        S, K, Y = at.S + span.pairs, at.K + span.pairs, at.Y + span.pairs
        weighted(c, Y, Y, S, span.tri_siblings, 1)
        for s in range(1, span.length):
            pair(c, Y + s, Y + s, S + s, K + s, 1)

    @jitable
    def incomplete(c: Chart, at: Layout, span: Span, above: Above) -> None:  # I(gh, m)
        t, parts = above.slots + span.rank + 1, above.grand_siblings + span.pairs - span.side_pairs
        weighted(c, t, t, at.Y + span.pairs, at.more + parts, span.length)

    arcs = [first_sibling(walk), inner, s_span]
    return over_g_spans(walk, complete(walk), [incomplete], arcs, siblings(walk))
