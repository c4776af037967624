"""Arithmetic on contiguous rows, as the machine wants it.

The primitives of a chart (see `treewright.inference.charts.walks`) are loops over two or three rows of flat arrays.  In
plain Numba they are several times slower than they need to be: ``max`` becomes a branch, which LLVM does not take for a
reduction; rows of one array might overlap as far as LLVM knows, which keeps updates from being vectorised; each call
counts references to its arrays; and loops are unrolled for rows of hundreds, so that a row of ten is all remainder. So
these few loops are written in LLVM's own terms: maxima are maxima, rows do not overlap (``noalias``), arrays are
pointers, and a step is one short vector.

Only for use in kernels.  Rows are given as a flat float64 array and a place in it.  Nothing is checked: rows must lie
within their arrays, and those that are written must not overlap those that are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from treewright.arrays import Floats
from treewright.kernels import subroutine

__all__ = [
    "add",
    "max_of_sums",
    "max_of_three",
    "multiply",
    "primitive",
    "share_and_add_three",
    "share_and_add_two",
    "share_two",
    "sum_of_products",
    "sum_of_three",
]

ir: Any = llvmlite.ir

_REAL = ir.DoubleType()
_INDEX = ir.IntType(64)
_FAST = ("nnan", "nsz", "reassoc", "contract", "arcp")

#: How LLVM is told to vectorise: rows are short, so that wider or more vectors a step leave more to the remainder.
_HINTS = {"llvm.loop.vectorize.width": 4, "llvm.loop.interleave.count": 1}

Body = Callable[[Any, list[Any], list[Any], Any], Any]


def _function(module: Any, name: str, rows: int, initial: bool, body: Body, scalars: int) -> Any:
    """Define ``name(row, …, scalar, …, length)``: a loop that loads one number of each row and calls ``body``.

    With ``initial``, the scalar is the starting value of a reduction, which ``body`` carries on; otherwise scalars are
    constants, and ``body`` returns what to store in the first rows.
    """
    existing = module.globals.get(name)
    if existing is not None:
        return existing
    pointer = _REAL.as_pointer()
    function = ir.Function(module, ir.FunctionType(_REAL, [*[pointer] * rows, *[_REAL] * scalars, _INDEX]), name)
    function.linkage = "internal"
    function.attributes.add("alwaysinline")
    pointers, (scalar, *_, length) = function.args[:rows], function.args[rows:]
    for argument in pointers:
        argument.add_attribute("noalias")
    entry, loop, done = (function.append_basic_block(part) for part in ("entry", "loop", "done"))
    builder: Any = ir.IRBuilder(entry)
    builder.cbranch(builder.icmp_signed(">", length, _INDEX(0)), loop, done)
    builder.position_at_end(loop)
    k, carried = builder.phi(_INDEX), builder.phi(_REAL)
    places = [builder.gep(row, [k], inbounds=True, source_etype=_REAL) for row in pointers]
    numbers = [builder.load(place, typ=_REAL) for place in places]
    result = body(builder, numbers, function.args[rows:-1], carried)
    if not initial:
        for number, place in zip(result, places, strict=False):
            builder.store(number, place)
        result = carried
    following = builder.add(k, _INDEX(1))
    again = builder.cbranch(builder.icmp_signed("<", following, length), loop, done)
    again.set_metadata("llvm.loop", _hints(module))
    k.add_incoming(_INDEX(0), entry)
    k.add_incoming(following, loop)
    carried.add_incoming(scalar, entry)
    carried.add_incoming(result, loop)
    builder.position_at_end(done)
    final = builder.phi(_REAL)
    final.add_incoming(scalar, entry)
    final.add_incoming(result, loop)
    builder.ret(final)
    return function


def _hints(module: Any) -> Any:
    """Return the hints for a loop: a list whose first member is the list itself, as LLVM wants it."""
    hints = [
        module.add_metadata([ir.MetaDataString(module, name), ir.IntType(32)(number)])
        for name, number in _HINTS.items()
    ]
    node = module.add_metadata(hints)
    node.operands = (node, *hints)
    return node


def primitive(name: str, rows: int, initial: bool, body: Body, tangents: bool = False) -> tuple[Any, Any]:
    """Make the code generator that calls such a function with rows given as arrays and places.

    With ``tangents``, a row is an array, a place, and how much further along the row of its tangents is, which comes
    next; and so does the tangent of a scalar that is constant.
    """
    width, scalars = (3, 1 if initial else 2) if tangents else (2, 1)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointers = []
        for first in range(0, width * rows, width):
            array = context.make_array(signature.args[first])(context, builder, arguments[first])
            place, *further = arguments[first + 1 : first + width]
            places = [place, *[builder.add(place, distance) for distance in further]]
            pointers += [builder.gep(array.data, [at], inbounds=True, source_etype=_REAL) for at in places]
        function = _function(builder.module, f"treewright_{name}", len(pointers), initial, body, scalars)
        return builder.call(function, [*pointers, *arguments[width * rows :]])

    row = [types.Array(types.float64, 1, "C"), *[types.int64] * (width - 1)]
    signature = types.float64(*row * rows, *[types.float64] * scalars, types.int64)
    return signature, generate


def _maximum(builder: Any, a: Any, b: Any) -> Any:
    signature = ir.FunctionType(_REAL, [_REAL, _REAL])
    insert: Any = cgutils.get_or_insert_function
    maximum = insert(builder.module, signature, "llvm.maxnum.f64")
    return builder.call(maximum, [a, b], fastmath=("nnan", "nsz"))


def add(builder: Any, a: Any, b: Any) -> Any:
    """Generate a sum."""
    return builder.fadd(a, b, flags=_FAST)


def multiply(builder: Any, *factors: Any) -> Any:
    """Generate a product."""
    product = factors[0]
    for factor in factors[1:]:
        product = builder.fmul(product, factor, flags=_FAST)
    return product


@intrinsic
def _max_of_sums(typing_context: Any, x: Any, i: Any, y: Any, j: Any, start: Any, length: Any) -> Any:
    return primitive("max2", 2, True, lambda b, n, s, best: _maximum(b, best, add(b, *n)))


@intrinsic
def _max_of_three(typing_context: Any, x: Any, i: Any, y: Any, j: Any, z: Any, k: Any, start: Any, length: Any) -> Any:
    return primitive("max3", 3, True, lambda b, n, s, best: _maximum(b, best, add(b, add(b, n[0], n[1]), n[2])))


@intrinsic
def _sum_of_products(typing_context: Any, x: Any, i: Any, y: Any, j: Any, start: Any, length: Any) -> Any:
    return primitive("sum2", 2, True, lambda b, n, s, total: add(b, total, multiply(b, *n)))


@intrinsic
def _sum_of_three(typing_context: Any, x: Any, i: Any, y: Any, j: Any, z: Any, k: Any, start: Any, length: Any) -> Any:
    return primitive("sum3", 3, True, lambda b, n, s, total: add(b, total, multiply(b, *n)))


def _two_shares(b: Any, n: list[Any], s: list[Any], _: Any) -> list[Any]:
    return [add(b, n[0], multiply(b, s[0], n[3])), add(b, n[1], multiply(b, s[0], n[2]))]


def _three_shares(b: Any, n: list[Any], s: list[Any], _: Any) -> list[Any]:
    factors = (n[4], n[5]), (n[3], n[5]), (n[3], n[4], n[5])
    return [add(b, own, multiply(b, s[0], *row)) for own, row in zip(n[:3], factors, strict=True)]


def _share_and_term(b: Any, n: list[Any], s: list[Any], _: Any) -> list[Any]:
    return [add(b, n[0], multiply(b, s[0], n[3])), add(b, n[1], multiply(b, s[0], n[2], n[3]))]


@intrinsic
def _share_two(
    typing_context: Any, u: Any, i: Any, v: Any, j: Any, x: Any, k: Any, y: Any, l: Any, scale: Any, length: Any
) -> Any:
    return primitive("share2", 4, False, _two_shares)


@intrinsic
def _share_and_add_two(
    typing_context: Any, u: Any, i: Any, v: Any, j: Any, x: Any, k: Any, y: Any, l: Any, scale: Any, length: Any
) -> Any:
    return primitive("shareadd2", 4, False, _share_and_term)


@intrinsic
def _share_and_add_three(
    typing_context: Any,
    u: Any, i: Any, v: Any, j: Any, w: Any, k: Any, x: Any, l: Any, y: Any, m: Any, z: Any, n: Any,
    scale: Any, length: Any,
) -> Any:  # fmt: skip
    return primitive("shareadd3", 6, False, _three_shares)


# What kernels call are plain functions around the intrinsics, because cached closures are told apart by what they close
# over (`treewright.kernels`): a function by its code, an intrinsic by a number that is new in every process.


@subroutine()
def max_of_sums(x: Floats, i: int, y: Floats, j: int, start: float, length: int) -> Any:
    """Return the maximum of ``start`` and all ``x[i + k] + y[j + k]``."""
    return _max_of_sums(x, i, y, j, start, length)  # type: ignore[call-arg]


@subroutine()
def max_of_three(x: Floats, i: int, y: Floats, j: int, z: Floats, k: int, start: float, length: int) -> Any:
    """Return the maximum of ``start`` and all sums of three."""
    return _max_of_three(x, i, y, j, z, k, start, length)  # type: ignore[call-arg]


@subroutine()
def sum_of_products(x: Floats, i: int, y: Floats, j: int, start: float, length: int) -> Any:
    """Return ``start`` plus the sum of all ``x[i + k] * y[j + k]``."""
    return _sum_of_products(x, i, y, j, start, length)  # type: ignore[call-arg]


@subroutine()
def sum_of_three(x: Floats, i: int, y: Floats, j: int, z: Floats, k: int, start: float, length: int) -> Any:
    """Return ``start`` plus the sum of all products of three."""
    return _sum_of_three(x, i, y, j, z, k, start, length)  # type: ignore[call-arg]


@subroutine()
def share_two(u: Floats, v: Floats, x: Floats, i: int, y: Floats, j: int, scale: float, length: int) -> Any:
    """Differentiate products: add ``scale * y[j + k]`` to ``u[i + k]``, and ``scale * x[i + k]`` to ``v[j + k]``."""
    return _share_two(u, i, v, j, x, i, y, j, scale, length)  # type: ignore[call-arg]


@subroutine()
def share_and_add_two(u: Floats, v: Floats, x: Floats, i: int, y: Floats, j: int, scale: float, length: int) -> Any:
    """Add ``scale * y[j + k]`` to ``u[i + k]``, as `share_two` does, and the whole product to ``v[j + k]``."""
    return _share_and_add_two(u, i, v, j, x, i, y, j, scale, length)  # type: ignore[call-arg]


@subroutine()
def share_and_add_three(
    u: Floats, v: Floats, w: Floats, x: Floats, i: int, y: Floats, j: int, z: Floats, k: int, scale: float, length: int
) -> Any:
    """Add to ``u`` at i ``scale`` times those of y and z, to ``v`` at j those of x and z, to ``w`` at k all three."""
    return _share_and_add_three(u, i, v, j, w, k, x, i, y, j, z, k, scale, length)  # type: ignore[call-arg]
