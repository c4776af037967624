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
what visiting does.  Forwards, it adds the alternatives up (Goodman 1999, *Semiring Parsing*):

- `MAXIMUM`: the score of the best derivation; `SUM`: the total weight of all of them; `LOG_SUM`: its logarithm.

Backwards, over the finished chart and with the items in reverse order, it passes on what an item owes to its
alternatives:

- `BEST`: all to the best one, which lists the parts of the best tree;
- `GRADIENT`, `LOG_GRADIENT`: to each its share (inside–outside is backpropagation: Eisner 2016), which leaves at
  each part the derivative of the total, and so its marginal;
- `SAMPLE`: (of logarithms) all to one drawn with the probability of its share, which lists the parts of a random tree;
- `treewright.inference.charts.listing.LISTING`: (of the best scores) to each the score of the rest of the best tree
  with it, which lists a forest of the best trees.

So an algorithm written down once answers every question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from treewright.arrays import Floats
from treewright.inference.charts.rows import (
    max_of_sums,
    max_of_three,
    share_three,
    share_two,
    sum_of_products,
    sum_of_three,
)
from treewright.inference.generator import State, uniform
from treewright.kernels import FAST_MATH

__all__ = [
    "BEST",
    "GRADIENT",
    "LOG_GRADIENT",
    "LOG_SUM",
    "MAXIMUM",
    "SAMPLE",
    "SUM",
    "Chart",
    "Walk",
    "do_nothing",
    "jitable",
    "terms",
]

Function = Callable[..., Any]


class Chart(NamedTuple):
    """What a program works on: flat arrays, indexed as its text says.

    Attributes
    ----------
    value : float64 array
        The value of each item.
    owed : float64 array
        What has been passed on to each item when walking back.
    part, part_owed : float64 array
        The score (or weight) of each part, and what has been passed on to it; where all is passed on to one
        alternative, instead a list of the parts of the tree: how many there are, and then which.
    random : uint64 array
        The state of a random number generator.
    """

    value: Floats
    owed: Floats
    part: Floats
    part_owed: Floats
    random: State


@dataclass(frozen=True)
class Walk:
    """What visiting an item does.

    Attributes
    ----------
    forward : bool
        Whether items come in order, or in reverse.
    idle : function ``(chart, t, copy) -> bool``
        Whether nothing is to be done for item ``t``, which is often so when walking back.
    begin : function ``(chart, t, copy) -> state``
        Called first for item ``t``, whose value is kept at ``copy`` as well (the same place if there is no copy).
    pair, triple, weighted : function ``(chart, state, a, b, p, length) -> state``
        Called for its alternatives; what a kind does not use is ignored.
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


def jitable(function: Function) -> Function:
    """Make a function that kernels may call.

    Not a kernel itself: Numba tells cached closures apart by pickling what they close over, and a compiled kernel
    pickles differently in every process, so that its closures would be compiled anew each time.  Always inlined,
    because between functions Numba counts references.
    """
    compiled: Function = register_jitable(fastmath=FAST_MATH, forceinline=True)(function)
    return compiled


@jitable
def _owed(c: Chart, t: int, copy: int) -> Any:
    # Without a branch, for then Numba sees that it need not count references, which costs more than all the rest.
    return c.owed[t] + c.owed[copy] * (copy != t)


@jitable
def _never(c: Chart, t: int, copy: int) -> Any:
    return False


@jitable
def _owes_nothing(c: Chart, t: int, copy: int) -> Any:
    return _owed(c, t, copy) == 0.0


def _walk(forward: bool, begin: Function, visit: Callable[[bool, bool], Function], finish: Function) -> Walk:
    """Make the three kinds of alternatives of one: with a second item, with a part, or both."""
    idle = _never if forward else _owes_nothing
    return Walk(forward, idle, begin, visit(True, False), visit(True, True), visit(False, True), finish)


def terms(has_b: bool, has_p: bool) -> Function:
    """Make the score of alternative k: values and parts are logarithms."""

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


# --- forwards -------------------------------------------------------------------------------------------------------


@jitable
def _store(c: Chart, state: float, t: int, copy: int) -> None:
    c.value[t] = state
    c.value[copy] = state


@jitable
def _begin_zero(c: Chart, t: int, copy: int) -> Any:
    return 0.0


@jitable
def _begin_log_zero(c: Chart, t: int, copy: int) -> Any:
    return -np.inf


def _maximum(has_b: bool, has_p: bool) -> Function:
    @jitable
    def visit(c: Chart, state: float, a: int, b: int, p: int, length: int) -> Any:
        if has_b and has_p:
            return max_of_three(c.value, a, c.value, b, c.part, p, state, length)
        if has_b:
            return max_of_sums(c.value, a, c.value, b, state, length)
        return max_of_sums(c.value, a, c.part, p, state, length)

    return visit


def _sum(has_b: bool, has_p: bool) -> Function:
    @jitable
    def visit(c: Chart, state: float, a: int, b: int, p: int, length: int) -> Any:
        if has_b and has_p:
            return sum_of_three(c.value, a, c.value, b, c.part, p, state, length)
        if has_b:
            return sum_of_products(c.value, a, c.value, b, state, length)
        return sum_of_products(c.value, a, c.part, p, state, length)

    return visit


def _log_sum(has_b: bool, has_p: bool) -> Function:
    term, largest = terms(has_b, has_p), _maximum(has_b, has_p)

    @jitable
    def visit(c: Chart, state: float, a: int, b: int, p: int, length: int) -> Any:
        most = largest(c, state, a, b, p, length)
        if most == -np.inf:
            return most
        total = np.exp(state - most)
        for k in range(length):
            total += np.exp(term(c, a, b, p, k) - most)
        return most + np.log(total)

    return visit


MAXIMUM = _walk(True, _begin_log_zero, _maximum, _store)
SUM = _walk(True, _begin_zero, _sum, _store)
LOG_SUM = _walk(True, _begin_log_zero, _log_sum, _store)


# --- backwards: to each its share -----------------------------------------------------------------------------------


@jitable
def _owed_and_value(c: Chart, t: int, copy: int) -> tuple[float, float]:
    return _owed(c, t, copy), c.value[t]


@jitable
def do_nothing(c: Chart, state: Any, t: int, copy: int) -> None:
    """Finish an item for which all is done already."""


def _gradient(has_b: bool, has_p: bool) -> Function:
    @jitable
    def visit(c: Chart, state: float, a: int, b: int, p: int, length: int) -> Any:
        if has_b and has_p:
            share_three(c.owed, c.owed, c.part_owed, c.value, a, c.value, b, c.part, p, state, length)
        elif has_b:
            share_two(c.owed, c.owed, c.value, a, c.value, b, state, length)
        else:
            share_two(c.owed, c.part_owed, c.value, a, c.part, p, state, length)
        return state

    return visit


def _log_gradient(has_b: bool, has_p: bool) -> Function:
    term = terms(has_b, has_p)

    @jitable
    def visit(c: Chart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        owed, value = state
        if owed != 0.0:
            for k in range(length):
                share = owed * np.exp(term(c, a, b, p, k) - value)
                c.owed[a + k] += share
                if has_b:
                    c.owed[b + k] += share
                if has_p:
                    c.part_owed[p + k] += share
        return state

    return visit


GRADIENT = _walk(False, _owed, _gradient, do_nothing)
LOG_GRADIENT = _walk(False, _owed_and_value, _log_gradient, do_nothing)


# --- backwards: all to one ------------------------------------------------------------------------------------------
#
# The state is (what is owed, a bound, the value of the item, a, b, p): the alternative chosen so far, and the
# score that a better one has to exceed (BEST), or what is left of a random share of the value (SAMPLE).


@jitable
def _pass_on(c: Chart, state: Any, t: int, copy: int) -> None:
    owed, _, _, a, b, p = state
    if owed != 0.0 and a >= 0:
        c.owed[a] += owed
        if b >= 0:
            c.owed[b] += owed
        if p >= 0:
            count = int(c.part_owed[0]) + 1
            c.part_owed[0] = count
            c.part_owed[count] = p


@jitable
def _begin_best(c: Chart, t: int, copy: int) -> Any:
    return _owed(c, t, copy), -np.inf, c.value[t], -1, -1, -1


def _best(has_b: bool, has_p: bool) -> Function:
    term = terms(has_b, has_p)

    @jitable
    def visit(c: Chart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        owed, best, value, chosen_a, chosen_b, chosen_p = state
        if owed != 0.0:
            for k in range(length):
                score = term(c, a, b, p, k)
                if score > best:
                    best, chosen_a = score, a + k
                    chosen_b = b + k if has_b else -1
                    chosen_p = p + k if has_p else -1
        return owed, best, value, chosen_a, chosen_b, chosen_p

    return visit


@jitable
def _begin_sample(c: Chart, t: int, copy: int) -> Any:
    owed = _owed(c, t, copy)
    left = 0.0
    if owed != 0.0:
        left = uniform(c.random)
    return owed, left, c.value[t], -1, -1, -1


def _sample(has_b: bool, has_p: bool) -> Function:
    term = terms(has_b, has_p)

    @jitable
    def visit(c: Chart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        owed, left, value, chosen_a, chosen_b, chosen_p = state
        if owed != 0.0 and left >= 0.0:
            for k in range(length):
                share = np.exp(term(c, a, b, p, k) - value)
                if share > 0.0:  # if rounding leaves something over, the last of them has it
                    left -= share
                    chosen_a = a + k
                    chosen_b = b + k if has_b else -1
                    chosen_p = p + k if has_p else -1
                    if left < 0.0:
                        break
        return owed, left, value, chosen_a, chosen_b, chosen_p

    return visit


BEST = _walk(False, _begin_best, _best, _pass_on)
SAMPLE = _walk(False, _begin_sample, _sample, _pass_on)
