"""Walks that fill a chart: the alternatives of an item are added up (Goodman 1999, *Semiring Parsing*).

- `MAXIMUM`: the score of the best derivation;
- `SUM`: the total weight of all derivations;
- `LOG_SUM`: its logarithm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.inference.charts.rows import max_of_sums, max_of_three, sum_of_products, sum_of_three
from treewright.inference.charts.walks import Chart, Function, Walk, jitable, terms

__all__ = ["LOG_SUM", "MAXIMUM", "SUM", "maxima", "never"]


@jitable
def never(c: Chart, t: int, copy: int) -> Any:
    """Leave out no item."""
    return False


@jitable
def _begin_zero(c: Chart, t: int, copy: int) -> Any:
    return 0.0


@jitable
def _begin_log_zero(c: Chart, t: int, copy: int) -> Any:
    return -np.inf


@jitable
def _store(c: Chart, state: float, t: int, copy: int) -> None:
    c.value[t] = state
    c.value[copy] = state


def _contraction(of_two: Function, of_three: Function) -> Callable[[bool, bool], Function]:
    """Make the alternatives that a primitive for two rows, and one for three, contract."""

    def kind(has_b: bool, has_p: bool) -> Function:
        @jitable
        def visit(c: Chart, state: float, a: int, b: int, p: int, length: int) -> Any:
            if has_b and has_p:
                return of_three(c.value, a, c.value, b, c.part, p, state, length)
            if has_b:
                return of_two(c.value, a, c.value, b, state, length)
            return of_two(c.value, a, c.part, p, state, length)

        return visit

    return kind


maxima, _sum = _contraction(max_of_sums, max_of_three), _contraction(sum_of_products, sum_of_three)


def _log_sum(has_b: bool, has_p: bool) -> Function:
    term, largest = terms(has_b, has_p), maxima(has_b, has_p)

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


MAXIMUM = Walk.of(True, never, _begin_log_zero, maxima, _store)
SUM = Walk.of(True, never, _begin_zero, _sum, _store)
LOG_SUM = Walk.of(True, never, _begin_log_zero, _log_sum, _store)
