"""Walks over values and their tangents: how sums and marginals change along a direction.

Every number has a *tangent*, its derivative as the scores of parts move along a direction: forward-mode differentiation
of the walks forward and backward.  So the walk back, which leaves the marginals, also leaves their derivatives, the
product of the Hessian of log Z and the direction, at a small multiple of the cost (Pearlmutter 1994).

- `TANGENTS`, forward and back: values are weights, and tangents are those of weights;
- `LOG_TANGENTS`: values are logarithms, and the tangent of an item is the direction that a derivation of it is expected
  to have (the expectation semiring of Li & Eisner 2009).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Floats
from treewright.inference.charts.backward import adjoint_of, has_no_adjoint
from treewright.inference.charts.forward import maxima, never
from treewright.inference.charts.row_tangents import (
    share_three_tangents,
    share_two_tangents,
    tangent_of_products,
    tangent_of_three,
)
from treewright.inference.charts.rows import sum_of_products, sum_of_three
from treewright.inference.charts.walks import Function, Walk, do_nothing, jitable, terms

__all__ = ["LOG_TANGENTS", "TANGENTS", "TangentChart"]


class TangentChart(NamedTuple):
    """A `treewright.inference.charts.walks.Chart` whose arrays hold numbers and, further along, their tangents."""

    value: Floats
    adjoint: Floats
    part: Floats
    part_adjoint: Floats
    # How many places further along the tangent of an item is, and that of a part.
    items: int
    parts: int


@jitable
def _store(c: TangentChart, state: Any, t: int, copy: int) -> None:
    value, tangent = state
    c.value[t] = c.value[copy] = value
    c.value[c.items + t] = c.value[c.items + copy] = tangent


# --- weights --------------------------------------------------------------------------------------------------------


@jitable
def _begin_zero(c: TangentChart, t: int, copy: int) -> Any:
    return 0.0, 0.0


def _sum(has_b: bool, has_p: bool) -> Function:
    @jitable
    def visit(c: TangentChart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        (value, tangent), items, parts = state, c.items, c.parts
        if has_b and has_p:
            value = sum_of_three(c.value, a, c.value, b, c.part, p, value, length)
            tangent = tangent_of_three(c.value, a, items, c.value, b, items, c.part, p, parts, tangent, length)
        elif has_b:
            value = sum_of_products(c.value, a, c.value, b, value, length)
            tangent = tangent_of_products(c.value, a, items, c.value, b, items, tangent, length)
        else:
            value = sum_of_products(c.value, a, c.part, p, value, length)
            tangent = tangent_of_products(c.value, a, items, c.part, p, parts, tangent, length)
        return value, tangent

    return visit


@jitable
def _adjoint_and_tangent(c: TangentChart, t: int, copy: int) -> Any:
    return adjoint_of(c, t, copy), adjoint_of(c, c.items + t, c.items + copy)


def _gradient(has_b: bool, has_p: bool) -> Function:
    @jitable
    def visit(c: TangentChart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        (scale, tangent), items, parts = state, c.items, c.parts
        if has_b and has_p:
            share_three_tangents(
                c.adjoint, c.adjoint, c.part_adjoint, c.value, a, items, c.value, b, items, c.part, p, parts,
                scale, tangent, length,
            )  # fmt: skip
        elif has_b:
            share_two_tangents(
                c.adjoint, c.adjoint, c.value, a, items, c.value, b, items, scale, tangent, length
            )  # fmt: skip
        else:
            share_two_tangents(
                c.adjoint, c.part_adjoint, c.value, a, items, c.part, p, parts, scale, tangent, length
            )  # fmt: skip
        return state

    return visit


TANGENTS = (
    Walk.of(True, never, _begin_zero, _sum, _store),
    Walk.of(False, has_no_adjoint, _adjoint_and_tangent, _gradient, do_nothing),
)


# --- logarithms -----------------------------------------------------------------------------------------------------
#
# The direction of an alternative is the sum of those of its items and its part, as its score is the sum of theirs.


@jitable
def _begin_log_zero(c: TangentChart, t: int, copy: int) -> Any:
    return -np.inf, 0.0


def _log_sum(has_b: bool, has_p: bool) -> Function:
    term, largest = terms(has_b, has_p), maxima(has_b, has_p)

    @jitable
    def visit(c: TangentChart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        (value, mean), items, parts = state, c.items, c.parts
        most = largest(c, value, a, b, p, length)
        if most > -np.inf:
            total = np.exp(value - most)
            moment = total * mean
            for k in range(length):
                weight = np.exp(term(c, a, b, p, k) - most)
                total += weight
                moment += weight * term(c, a + items, b + items, p + parts, k)
            value, mean = most + np.log(total), moment / total
        return value, mean

    return visit


@jitable
def _begin_log_gradient(c: TangentChart, t: int, copy: int) -> Any:
    adjoint, tangent = _adjoint_and_tangent(c, t, copy)
    return adjoint, tangent, c.value[t], c.value[c.items + t]


def _log_gradient(has_b: bool, has_p: bool) -> Function:
    term = terms(has_b, has_p)

    @jitable
    def visit(c: TangentChart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        (adjoint, tangent, value, mean), items, parts = state, c.items, c.parts
        for k in range(length if adjoint != 0.0 else 0):
            weight = np.exp(term(c, a, b, p, k) - value)
            share = adjoint * weight
            change = tangent * weight + share * (term(c, a + items, b + items, p + parts, k) - mean)
            c.adjoint[a + k] += share
            c.adjoint[a + items + k] += change
            if has_b:
                c.adjoint[b + k] += share
                c.adjoint[b + items + k] += change
            if has_p:
                c.part_adjoint[p + k] += share
                c.part_adjoint[p + parts + k] += change
        return state

    return visit


LOG_TANGENTS = (
    Walk.of(True, never, _begin_log_zero, _log_sum, _store),
    Walk.of(False, has_no_adjoint, _begin_log_gradient, _log_gradient, do_nothing),
)
