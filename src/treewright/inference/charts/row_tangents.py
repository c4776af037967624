"""Arithmetic on contiguous rows and their tangents, beside `treewright.inference.charts.rows`.

A row is given as a flat array, a place in it, and how many places further along the row of its tangents is.
"""

from __future__ import annotations

import functools
from typing import Any

from numba.extending import intrinsic

from treewright.arrays import Floats
from treewright.inference.charts.rows import add, multiply, primitive
from treewright.kernels import subroutine

__all__ = ["share_three_tangents", "share_two_tangents", "tangent_of_products", "tangent_of_three"]


def _tangent_of(b: Any, n: list[Any]) -> Any:
    """Differentiate a product of numbers, each followed by its tangent."""
    numbers, tangents = n[::2], n[1::2]
    products = [multiply(b, tangents[k], *numbers[:k], *numbers[k + 1 :]) for k in range(len(tangents))]
    return functools.reduce(functools.partial(add, b), products)


def _add_tangent(b: Any, n: list[Any], s: list[Any], total: Any) -> Any:
    return add(b, total, _tangent_of(b, n))


def _shares_and_tangents(b: Any, n: list[Any], s: list[Any], _: Any) -> list[Any]:
    """Differentiate a product, times a scalar followed by its tangent, by each number; and differentiate that again."""
    (own, others), shares = (n[: len(n) // 2], n[len(n) // 2 :]), []
    for k in range(0, len(own), 2):
        rest = others[:k] + others[k + 2 :]
        product = [multiply(b, *rest[::2]), _tangent_of(b, rest)]
        shares.append(add(b, own[k], multiply(b, s[0], product[0])))
        shares.append(add(b, own[k + 1], _tangent_of(b, [*s, *product])))
    return shares


@intrinsic
def _tangent_of_products(
    typing_context: Any, x: Any, i: Any, X: Any, y: Any, j: Any, Y: Any, start: Any, length: Any
) -> Any:
    return primitive("tangent2", 2, True, _add_tangent, tangents=True)


@intrinsic
def _tangent_of_three(
    typing_context: Any, x: Any, i: Any, X: Any, y: Any, j: Any, Y: Any, z: Any, k: Any, Z: Any, start: Any, length: Any
) -> Any:
    return primitive("tangent3", 3, True, _add_tangent, tangents=True)


@intrinsic
def _share_two_tangents(
    typing_context: Any,
    u: Any, i: Any, U: Any, v: Any, j: Any, V: Any, x: Any, k: Any, X: Any, y: Any, l: Any, Y: Any,
    scale: Any, tangent: Any, length: Any,
) -> Any:  # fmt: skip
    return primitive("share_tangents2", 4, False, _shares_and_tangents, tangents=True)


@intrinsic
def _share_three_tangents(
    typing_context: Any,
    u: Any, i: Any, U: Any, v: Any, j: Any, V: Any, w: Any, k: Any, W: Any,
    x: Any, l: Any, X: Any, y: Any, m: Any, Y: Any, z: Any, n: Any, Z: Any,
    scale: Any, tangent: Any, length: Any,
) -> Any:  # fmt: skip
    return primitive("share_tangents3", 6, False, _shares_and_tangents, tangents=True)


# Plain functions around the intrinsics, as there.  The tangents of x and u are ``X`` places further along, those of y
# and v ``Y``, and those of z and w ``Z`` places.


@subroutine()
def tangent_of_products(x: Floats, i: int, X: int, y: Floats, j: int, Y: int, start: float, length: int) -> Any:
    """Return ``start`` plus the tangent of the sum of all ``x[i + k] * y[j + k]``."""
    return _tangent_of_products(x, i, X, y, j, Y, start, length)  # type: ignore[call-arg]


@subroutine()
def tangent_of_three(
    x: Floats, i: int, X: int, y: Floats, j: int, Y: int, z: Floats, k: int, Z: int, start: float, length: int
) -> Any:
    """Return ``start`` plus the tangent of the sum of all products of three."""
    return _tangent_of_three(x, i, X, y, j, Y, z, k, Z, start, length)  # type: ignore[call-arg]


@subroutine()
def share_two_tangents(
    u: Floats, v: Floats, x: Floats, i: int, X: int, y: Floats, j: int, Y: int,
    scale: float, tangent: float, length: int,
) -> Any:  # fmt: skip
    """Do what `share_two` does, and add its tangent to the tangents of ``u`` and ``v``; the scale has one, too."""
    return _share_two_tangents(
        u, i, X, v, j, Y, x, i, X, y, j, Y, scale, tangent, length
    )  # type: ignore[call-arg]  # fmt: skip


@subroutine()
def share_three_tangents(
    u: Floats, v: Floats, w: Floats, x: Floats, i: int, X: int, y: Floats, j: int, Y: int, z: Floats, k: int, Z: int,
    scale: float, tangent: float, length: int,
) -> Any:  # fmt: skip
    """Do what `share_three` does, and add its tangent to the tangents of ``u``, ``v`` and ``w``."""
    return _share_three_tangents(
        u, i, X, v, j, Y, w, k, Z, x, i, X, y, j, Y, z, k, Z, scale, tangent, length
    )  # type: ignore[call-arg]  # fmt: skip
