"""How a chart is filled and how it is walked back: all that differs between the questions asked of it.

A dynamic program is a list of items in an order, and for each item its *alternatives*: sums over ``k`` of products of
earlier items and part scores that lie side by side,

============ ==============================================
``pair``     value[a + k] · value[b + k]
``triple``   value[a + k] · value[b + k] · part[p + k]
``weighted`` value[a + k] · part[p + k]
============ ==============================================

because contracting contiguous rows, and not a pairwise product, is what vectorises.  The text of a program
(`treewright.inference.charts.eisner` and its neighbours) visits the items and names their alternatives; a `Walk` says
what visiting does.  Walking forward adds the alternatives up (`treewright.inference.charts.forward`); walking backward,
over the finished chart and with the items in reverse order, passes the adjoint of an item on to its alternatives
(`treewright.inference.charts.backward`).  So an algorithm written down once answers every question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Floats
from treewright.inference.generator import State
from treewright.kernels import FAST_MATH, subroutine

__all__ = ["Chart", "Function", "Walk", "allocating", "do_nothing", "jitable", "terms"]

Function = Callable[..., Any]


class Chart(NamedTuple):
    """What a program works on: flat arrays, indexed as its text says.

    Attributes
    ----------
    value : float64 array
        The value of each item.
    adjoint : float64 array
        What has been passed on to each item when walking back.
    part, part_adjoint : float64 array
        The score (or weight) of each part, and what has been passed on to it.  Where everything is passed on to one
        alternative, ``part_adjoint`` is a list of the parts of the tree instead: their number, and then the parts.
    random : uint64 array or None
        The state of a random number generator, if trees are drawn.
    """

    value: Floats
    adjoint: Floats
    part: Floats
    part_adjoint: Floats
    random: State | None


@dataclass(frozen=True)
class Walk:
    """What visiting an item does.

    Attributes
    ----------
    forward : bool
        Whether items come in order, or in reverse.
    idle : function ``(chart, t, copy) -> bool``
        Whether there is nothing to do for item ``t``, as is often so when walking back.
    begin : function ``(chart, t, copy) -> state``
        Called first for item ``t``, whose value is also kept at ``copy`` (the same place if there is no copy).
    pair, triple, weighted : function ``(chart, state, a, b, p, length) -> state``
        Called for its alternatives; each kind ignores the arguments that it does not use.
    finish : function ``(chart, state, t, copy)``
        Called last.
    """

    forward: bool
    idle: Function
    begin: Function
    pair: Function
    triple: Function
    weighted: Function
    finish: Function

    @classmethod
    def of(
        cls, forward: bool, idle: Function, begin: Function, visit: Callable[[bool, bool], Function], finish: Function
    ) -> Walk:
        """Make the three kinds of alternatives of one, ``visit(has_b, has_p)``: with a second item, a part, or both."""
        return cls(forward, idle, begin, visit(True, False), visit(True, True), visit(False, True), finish)


def jitable(function: Function) -> Function:
    """Make a function that kernels may call; it neither makes nor returns arrays.

    It is not a kernel itself, which would be compiled and cached for its own sake.  It is always inlined, because Numba
    counts references between functions; and within it, where all arrays are those of its caller, none are counted,
    which saves the compiler a tenth of its work.
    """
    compiled: Function = subroutine(fastmath=FAST_MATH, forceinline=True, _nrt=False)(function)
    return compiled


def allocating(function: Function) -> Function:
    """Make a function that kernels may call, as `jitable` does, and that may make and return arrays."""
    compiled: Function = subroutine(fastmath=FAST_MATH, forceinline=True)(function)
    return compiled


def terms(has_b: bool, has_p: bool) -> Function:
    """Make the function that scores alternative k; values and parts are logarithms."""

    @jitable
    def term(c: Chart, a: int, b: int, p: int, k: int) -> Any:
        # Places are unsigned, because an index that may be negative keeps a loop from vectorising.
        score = c.value[np.uintp(a + k)]
        if has_b:
            score += c.value[np.uintp(b + k)]
        if has_p:
            score += c.part[np.uintp(p + k)]
        return score

    return term


@jitable
def do_nothing(c: Chart, state: Any, t: int, copy: int) -> None:
    """Finish an item for which everything is done already."""
