"""Nonnegative numbers, written as they are or as logarithms: the arithmetic of elimination without subtraction.

An algorithm that only adds, multiplies and divides nonnegative numbers can be run on floats, fast, and on the
logarithms of numbers that no float can hold, from the same text: it is a plain function closed over an
:class:`Arithmetic`.  The members are subroutines, not kernels, so that what is
compiled can be cached.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats
from treewright.kernels import FAST_MATH, subroutine

__all__ = ["LOGARITHMIC", "PLAIN", "Arithmetic"]


@dataclass(frozen=True)
class Arithmetic:
    """How nonnegative numbers are written down, and what elimination does with rows of them."""

    zero: float  # how zero is written
    smallest: float  # the least result that can be trusted, when no operand exceeds one
    # The number with a logarithm; the logarithm of a number; the number as an ordinary float.
    of_log: Callable[[float], float]
    to_log: Callable[[float], float]
    value: Callable[[float], float]
    # The product and the quotient.
    times: Callable[[float, float], float]
    over: Callable[[float, float], float]
    total: Callable[[Floats, int, int], float]  # ``(row, first, end)``: the sum of a part of a row
    # ``(row, factor, other, end)``: add ``factor`` times another row to a row, as far as ``end``.
    add: Callable[[Floats, float, Floats, int], None]
    # ``(row, factor, other, share, end)``: the same, and return the sum of products of ``other`` and ``share``.
    add_and_contract: Callable[[Floats, float, Floats, Floats, int], float]
    # ``(a, leaf, s)``: a + leaf / s, but at least zero, where ``leaf`` is an ordinary float that may be negative.
    add_over: Callable[[float, float, float], float]


_jitable = subroutine(fastmath=FAST_MATH)


@_jitable
def _same(a: float) -> float:
    return a


@_jitable
def _exp(a: float) -> float:
    return math.exp(a)


@_jitable
def _log(a: float) -> float:
    return math.log(a)


@_jitable
def _multiply(a: float, b: float) -> float:
    return a * b


@_jitable
def _divide(a: float, b: float) -> float:
    return a / b


@_jitable
def _plus(a: float, b: float) -> float:
    return a + b


@_jitable
def _minus(a: float, b: float) -> float:
    return a - b


@_jitable
def _sum(row: Floats, first: int, end: int) -> float:
    total = 0.0
    for k in range(end - first):
        total += row[np.uintp(first + k)]
    return total


@_jitable
def _add_product(row: Floats, factor: float, other: Floats, end: int) -> None:
    for h in range(end):
        row[np.uintp(h)] += factor * other[np.uintp(h)]


@_jitable
def _add_product_and_contract(row: Floats, factor: float, other: Floats, share: Floats, end: int) -> float:
    total = 0.0
    for h in range(end):
        total += other[np.uintp(h)] * share[np.uintp(h)]
        row[np.uintp(h)] += factor * other[np.uintp(h)]
    return total


@_jitable
def _add_quotient(a: float, leaf: float, s: float) -> float:
    return max(a + leaf / s, 0.0)


PLAIN = Arithmetic(
    zero=0.0,
    smallest=1e-280,
    of_log=_exp,
    to_log=_log,
    value=_same,
    times=_multiply,
    over=_divide,
    total=_sum,
    add=_add_product,
    add_and_contract=_add_product_and_contract,
    add_over=_add_quotient,
)


@_jitable
def _log_add(a: float, b: float) -> float:
    top = max(a, b)
    if top == -np.inf:
        return top
    return top + math.log1p(math.exp(min(a, b) - top))


@_jitable
def _log_sum(row: Floats, first: int, end: int) -> float:
    total = -np.inf
    for h in range(first, end):
        total = _log_add(total, row[h])
    return total


@_jitable
def _log_add_product(row: Floats, factor: float, other: Floats, end: int) -> None:
    if factor > -np.inf:
        for h in range(end):
            row[h] = _log_add(row[h], factor + other[h])


@_jitable
def _log_add_product_and_contract(row: Floats, factor: float, other: Floats, share: Floats, end: int) -> float:
    total = -np.inf
    for h in range(end):
        total = _log_add(total, other[h] + share[h])
        row[h] = _log_add(row[h], factor + other[h])
    return total


@_jitable
def _log_add_quotient(a: float, leaf: float, s: float) -> float:
    scaled = a + s
    if scaled > 0.0:
        return a + math.log1p(max(leaf * math.exp(-scaled), -1.0))
    return math.log(max(math.exp(scaled) + leaf, 0.0)) - s


LOGARITHMIC = Arithmetic(
    zero=-np.inf,
    smallest=0.0,
    of_log=_same,
    to_log=_same,
    value=_exp,
    times=_plus,
    over=_minus,
    total=_log_sum,
    add=_log_add_product,
    add_and_contract=_log_add_product_and_contract,
    add_over=_log_add_quotient,
)
