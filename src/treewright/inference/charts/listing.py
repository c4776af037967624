"""A walk back over a chart that lists a forest: all that may be in one of the best trees.

The chart is one of best scores.  ``adjoint`` is the score of the best rest of a tree around an item (minus infinity at
first, and zero at the goal), and ``part_adjoint`` is the list: how many alternatives there are, the bound that a tree
with one of them must reach, and then (item, a, b, p) of each.  Those that do not fit are only counted.
"""

from __future__ import annotations

from typing import Any

from treewright.inference.charts.walks import Chart, Function, Walk, do_nothing, jitable, terms

__all__ = ["BEFORE_LISTED", "LISTED", "LISTING"]

#: Numbers of one alternative in the list, and numbers before the first.
LISTED, BEFORE_LISTED = 4, 2


@jitable
def _is_too_bad(c: Chart, t: int, copy: int) -> Any:
    return max(c.adjoint[t], c.adjoint[copy]) + c.value[t] < c.part_adjoint[1]


@jitable
def _begin_listing(c: Chart, t: int, copy: int) -> Any:
    return max(c.adjoint[t], c.adjoint[copy]), t


def _listing(has_b: bool, has_p: bool) -> Function:
    term = terms(has_b, has_p)

    @jitable
    def visit(c: Chart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        rest, t = state
        for k in range(length):
            score = rest + term(c, a, b, p, k)
            if score >= c.part_adjoint[1]:
                c.adjoint[a + k] = max(c.adjoint[a + k], score - c.value[a + k])
                if has_b:
                    c.adjoint[b + k] = max(c.adjoint[b + k], score - c.value[b + k])
                place = BEFORE_LISTED + LISTED * int(c.part_adjoint[0])
                c.part_adjoint[0] += 1
                if place + LISTED <= len(c.part_adjoint):
                    c.part_adjoint[place] = t
                    c.part_adjoint[place + 1] = a + k
                    c.part_adjoint[place + 2] = b + k if has_b else -1
                    c.part_adjoint[place + 3] = p + k if has_p else -1
        return state

    return visit


LISTING = Walk(
    False, _is_too_bad, _begin_listing, _listing(True, False), _listing(True, True), _listing(False, True), do_nothing
)
