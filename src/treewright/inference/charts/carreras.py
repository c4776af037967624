"""Projective trees under sibling scores and those of outermost grandchildren: the parser of Carreras (2007).

Every arc h → m is scored with s, the next modifier of h inside m (or none); the outermost modifiers of h, one on each
side, are scored with the head g of h.  So the incomplete span, here L, need not know g, and the grandchild is scored
when the span is completed::

    C(gh, e)   = Σ_m  L(h, m) · C(hm, e) · grandchild(g, h, m)
    L(h, m)    = Σ_s  L(h, s) · S(h, s, m) · sibling(h, s, m)
    S(h, s, m) = Σ_r  C(hs, r) · C(hm, r + 1),    S(h, -, m) = C(hm, h + 1)

S is that of `treewright.inference.charts.g_spans`.
"""

from __future__ import annotations

from treewright.inference.charts.g_layout import Layout
from treewright.inference.charts.g_spans import Above, Span, first_sibling, over_g_spans, siblings, span_at
from treewright.inference.charts.rules import items
from treewright.inference.charts.walks import Chart, Function, Walk, jitable

__all__ = ["KINDS", "program"]

#: The kinds of items, beside C.
KINDS = "SL"


def program(walk: Walk) -> Function:
    """Write the rules for a walk."""
    triple = items(walk).triple

    @jitable
    def incomplete(c: Chart, at: Layout, span: Span) -> None:  # L(h, m)
        slots = at.L + span.slots
        t = slots + span.rank + 1
        triple(c, t, t, slots, at.S + span.pairs, span.pairs, span.length)

    @jitable
    def complete(c: Chart, at: Layout, span: Span, above: Above) -> None:  # C(gh, e)
        t, row = span_at(at, above.arc, span.m, span.right), at.R + span.m * at.arcs
        slots, parts = at.L + span.slots, at.more + above.grandchildren
        triple(c, t, row + above.arc, slots + 1, row + span.first, parts, span.reach)

    return over_g_spans(walk, complete, arcs=[first_sibling(walk), incomplete], siblings=siblings(walk))
