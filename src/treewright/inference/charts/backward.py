"""Walks back over a finished chart: the adjoint of an item is passed on to its alternatives.

- `BEST`: all of it to the best alternative, which lists the parts of the best tree;
- `GRADIENT`, `LOG_GRADIENT`: to each alternative its share (inside–outside is backpropagation: Eisner 2016), which
  leaves at each part the derivative of the total with respect to its logarithm, and so its marginal;
- `SAMPLE` (over logarithms): all of it to one alternative, drawn with the probability of its share, which lists the
  parts of a random tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.inference.charts.rows import share_and_add_three, share_and_add_two, share_two
from treewright.inference.charts.walks import Chart, Function, Walk, do_nothing, jitable, terms
from treewright.inference.generator import uniform

__all__ = ["BEST", "GRADIENT", "LOG_GRADIENT", "SAMPLE", "adjoint_of", "has_no_adjoint"]


@jitable
def adjoint_of(c: Chart, t: int, copy: int) -> Any:
    """Return what has been passed on to an item and its copy."""
    # Without a branch, so that Numba sees that it need not count references, which costs more than all the rest.
    return c.adjoint[t] + c.adjoint[copy] * (copy != t)


@jitable
def has_no_adjoint(c: Chart, t: int, copy: int) -> Any:
    """Check whether nothing has been passed on to an item."""
    return adjoint_of(c, t, copy) == 0.0


# --- to each its share ----------------------------------------------------------------------------------------------


@jitable
def _adjoint_and_value(c: Chart, t: int, copy: int) -> tuple[float, float]:
    return adjoint_of(c, t, copy), c.value[t]


def _gradient(has_b: bool, has_p: bool) -> Function:
    @jitable
    def visit(c: Chart, state: float, a: int, b: int, p: int, length: int) -> Any:
        if has_b and has_p:
            share_and_add_three(c.adjoint, c.adjoint, c.part_adjoint, c.value, a, c.value, b, c.part, p, state, length)
        elif has_b:
            share_two(c.adjoint, c.adjoint, c.value, a, c.value, b, state, length)
        else:
            share_and_add_two(c.adjoint, c.part_adjoint, c.value, a, c.part, p, state, length)
        return state

    return visit


def _log_gradient(has_b: bool, has_p: bool) -> Function:
    term = terms(has_b, has_p)

    @jitable
    def visit(c: Chart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        adjoint, value = state
        if adjoint != 0.0:
            for k in range(length):
                share = adjoint * np.exp(term(c, a, b, p, k) - value)
                c.adjoint[a + k] += share
                if has_b:
                    c.adjoint[b + k] += share
                if has_p:
                    c.part_adjoint[p + k] += share
        return state

    return visit


GRADIENT = Walk.of(False, has_no_adjoint, adjoint_of, _gradient, do_nothing)
LOG_GRADIENT = Walk.of(False, has_no_adjoint, _adjoint_and_value, _log_gradient, do_nothing)


# --- all to one -----------------------------------------------------------------------------------------------------
#
# The state is (adjoint, bound, value, a, b, p): those of the item, the alternative chosen so far, and as a bound the
# score that a better one must exceed (BEST), or what is left of a random share of the value (SAMPLE).


@jitable
def _pass_on(c: Chart, state: Any, t: int, copy: int) -> None:
    adjoint, _, _, a, b, p = state
    if adjoint != 0.0 and a >= 0:
        c.adjoint[a] += adjoint
        if b >= 0:
            c.adjoint[b] += adjoint
        if p >= 0:
            count = int(c.part_adjoint[0]) + 1
            c.part_adjoint[0] = count
            c.part_adjoint[count] = p


@jitable
def _begin_best(c: Chart, t: int, copy: int) -> Any:
    return adjoint_of(c, t, copy), -np.inf, c.value[t], -1, -1, -1


def _best(has_b: bool, has_p: bool) -> Function:
    term = terms(has_b, has_p)

    @jitable
    def visit(c: Chart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        adjoint, best, value, chosen_a, chosen_b, chosen_p = state
        if adjoint != 0.0:
            for k in range(length):
                score = term(c, a, b, p, k)
                if score > best:
                    best, chosen_a = score, a + k
                    chosen_b = b + k if has_b else -1
                    chosen_p = p + k if has_p else -1
        return adjoint, best, value, chosen_a, chosen_b, chosen_p

    return visit


@jitable
def _begin_sample(c: Chart, t: int, copy: int) -> Any:
    adjoint = adjoint_of(c, t, copy)
    left = 0.0
    if adjoint != 0.0:
        left = uniform(c.random)  # type: ignore[arg-type]
    return adjoint, left, c.value[t], -1, -1, -1


def _sample(has_b: bool, has_p: bool) -> Function:
    term = terms(has_b, has_p)

    @jitable
    def visit(c: Chart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        adjoint, left, value, chosen_a, chosen_b, chosen_p = state
        if adjoint != 0.0 and left >= 0.0:
            for k in range(length):
                share = np.exp(term(c, a, b, p, k) - value)
                if share > 0.0:  # if rounding leaves a remainder, the last of them takes it
                    left -= share
                    chosen_a = a + k
                    chosen_b = b + k if has_b else -1
                    chosen_p = p + k if has_p else -1
                    if left < 0.0:
                        break
        return adjoint, left, value, chosen_a, chosen_b, chosen_p

    return visit


BEST = Walk.of(False, has_no_adjoint, _begin_best, _best, _pass_on)
SAMPLE = Walk.of(False, has_no_adjoint, _begin_sample, _sample, _pass_on)
