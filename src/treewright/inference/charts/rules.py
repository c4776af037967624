"""What the texts of dynamic programs share: items, rules in order, and the loop over spans.

A program is a list of rules.  A rule is a function ``(chart, shape, i, j, single_root)`` that visits items of the span
from word i to word j; ``shape`` says where in the chart they lie, and has at least the number of words, ``n``.  Small
spans come before the larger ones that contain them, and the rules of a span come in the order given; walking back,
everything comes in reverse.
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
def _no_rule(c: Chart, shape: Any, i: int, j: int, single_root: bool) -> None:
    pass


@jitable
def _never(c: Chart, shape: Any, i: int, j: int) -> Any:
    return False


@jitable
def nothing(c: Chart, shape: Any) -> None:
    """Visit no empty spans."""


def over_spans(walk: Walk, *rules: Function, empty: Function = nothing, skip: Function = _never) -> Function:
    """Make the program ``(chart, shape, single_root)`` that applies rules, at most six, to all spans.

    ``empty(chart, shape)`` visits the empty spans of single words, which come before all others.  A span is left out
    if ``skip(chart, shape, i, j)``.
    """
    forward, padded = walk.forward, [*rules, *[_no_rule] * (6 - len(rules))]
    first, second, third, fourth, fifth, sixth = padded if forward else padded[::-1]

    @jitable
    def visit(c: Chart, shape: Any, single_root: bool) -> None:
        n = shape.n
        if forward:
            empty(c, shape)
        for x in range(n):
            i = n - 1 - x if forward else x
            for y in range(n - i):
                j = i + 1 + y if forward else n - y
                if skip(c, shape, i, j):
                    continue
                # Not in a loop, so that each is compiled for its rule.
                first(c, shape, i, j, single_root)
                second(c, shape, i, j, single_root)
                third(c, shape, i, j, single_root)
                fourth(c, shape, i, j, single_root)
                fifth(c, shape, i, j, single_root)
                sixth(c, shape, i, j, single_root)
        if not forward:
            empty(c, shape)

    return visit
