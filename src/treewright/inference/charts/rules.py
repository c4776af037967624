"""What the texts of dynamic programs share: items, rules in order, and the loop over spans.

A rule is a function ``(chart, shape, i, j, …)`` that visits items of the span from word i to word j, to the right or to
the left; ``shape`` says where in the chart they lie, and has at least the number of words, ``n``.  Small spans come
before the larger ones that contain them, and the rules of a span come in the order given; walking back, everything
comes in reverse.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from treewright.inference.charts.walks import Chart, Function, Walk, jitable

__all__ = ["Items", "items", "nothing", "over_spans"]


class Items(NamedTuple):
    """Functions that visit an item with one alternative (see `treewright.inference.charts.walks`)."""

    pair: Function  # ``(chart, t, copy, a, b, length)``: the item is the sum over k of value[a + k] · value[b + k]
    triple: Function  # ``(chart, t, copy, a, b, p, length)``: the sum of value[a + k] · value[b + k] · part[p + k]
    weighted: Function  # ``(chart, t, copy, a, p, length)``: the sum of value[a + k] · part[p + k]


@functools.cache  # so that they are compiled once for all rules
def items(walk: Walk) -> Items:
    """Make the functions that visit items for a walk."""
    idle, begin, finish = walk.idle, walk.begin, walk.finish
    add_pair, add_triple, add_weighted = walk.pair, walk.triple, walk.weighted

    @jitable
    def pair(c: Chart, t: int, copy: int, a: int, b: int, length: int) -> None:
        if not idle(c, t, copy):
            finish(c, add_pair(c, begin(c, t, copy), a, b, 0, length), t, copy)

    @jitable
    def triple(c: Chart, t: int, copy: int, a: int, b: int, p: int, length: int) -> None:
        if not idle(c, t, copy):
            finish(c, add_triple(c, begin(c, t, copy), a, b, p, length), t, copy)

    @jitable
    def weighted(c: Chart, t: int, copy: int, a: int, p: int, length: int) -> None:
        if not idle(c, t, copy):
            finish(c, add_weighted(c, begin(c, t, copy), a, 0, p, length), t, copy)

    return Items(pair, triple, weighted)


@jitable
def nothing(c: Chart, shape: Any) -> None:
    """Visit no empty spans."""


def over_spans(
    walk: Walk, between: Function, incomplete: Function, complete: Function, skip: Function, empty: Function = nothing
) -> Function:
    """Make the program ``(chart, shape, single_root)`` that applies rules to all spans.

    What lies ``between`` i and j comes first, then the incomplete spans, to the right and to the left, then the
    complete ones.  ``empty(chart, shape)`` visits the empty spans of single words, which come before all others.  A
    span is left out if ``skip(chart, shape, i, j)``.
    """
    forward, has_empty = walk.forward, empty is not nothing
    starts_empty, ends_empty = forward and has_empty, not forward and has_empty

    @jitable
    def visit(c: Chart, shape: Any, single_root: bool) -> None:
        n = shape.n
        if starts_empty:
            empty(c, shape)
        for x in range(n):
            i = n - 1 - x if forward else x
            for y in range(n - i):
                j = i + 1 + y if forward else n - y
                if skip(c, shape, i, j):
                    continue
                # Not in a loop, so that each is compiled for its direction.
                if forward:
                    between(c, shape, i, j, single_root)
                    incomplete(c, shape, i, j, 1, single_root)
                    incomplete(c, shape, i, j, 0, single_root)
                    complete(c, shape, i, j, 1)
                    complete(c, shape, i, j, 0)
                else:
                    complete(c, shape, i, j, 0)
                    complete(c, shape, i, j, 1)
                    incomplete(c, shape, i, j, 0, single_root)
                    incomplete(c, shape, i, j, 1, single_root)
                    between(c, shape, i, j, single_root)
        if ends_empty:
            empty(c, shape)

    return visit
