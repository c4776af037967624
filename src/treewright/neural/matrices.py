"""Products with matrices of weights, in which no row depends on the others, not even by rounding.

BLAS adds up the products of a row in an order that depends on where the row is among the rows of a batch, so that a
sentence would get other numbers in other company.  Here every output is one chain of fused multiplications and
additions, on any number of rows.  Weights are packed once, and as in BLAS (Goto & van de Geijn 2008) a tile of outputs
stays in registers: six rows of sixteen columns, two vectors of eight each.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from treewright.arrays import Singles
from treewright.kernels import kernel

__all__ = ["COLUMNS", "ROWS", "multiply", "pack", "pack_rows", "padded_rows", "tile"]

#: The rows and columns of a tile, and the length of a vector.
ROWS, COLUMNS, LANES = 6, 16, 8

#: Rows that are multiplied with all columns before the next ones, so that they stay in the cache.
BLOCK = 16 * ROWS

_llvm: Any = ir  # it has no types


def padded_rows(count: int) -> int:
    """Return a number of rows that tiles fill."""
    return -(-count // ROWS) * ROWS


def pack(matrix: Singles) -> Singles:
    """Lay out a matrix (inputs, outputs) for `multiply`: panels of sixteen columns, the last filled up with zeros."""
    inputs, outputs = matrix.shape
    panels = -(-outputs // COLUMNS)
    padded = np.zeros((inputs, panels * COLUMNS), np.float32)
    padded[:, :outputs] = matrix
    return np.ascontiguousarray(padded.reshape(inputs, panels, COLUMNS).transpose(1, 0, 2))


@intrinsic
def tile(typing_context: Any, x: Any, x_at: Any, panel: Any, p_at: Any, k: Any, out: Any, o_at: Any, strides: Any, add: Any) -> Any:
    """Multiply six rows of x, from a place on, with a panel, and set or add to the tile of ``out`` at a place."""
    single, whole = _llvm.FloatType(), _llvm.IntType(64)
    vector = _llvm.VectorType(single, LANES)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(number: int, place: int) -> Any:
            array = context.make_array(signature.args[number])(context, builder, arguments[number])
            return builder.gep(array.data, [arguments[place]])

        first, weights, target = data(0, 1), data(2, 3), data(5, 6)
        length, adds = arguments[4], arguments[8]
        x_stride, o_stride = (builder.extract_value(arguments[7], i) for i in range(2))
        kind = _llvm.FunctionType(vector, [vector] * 3)
        fma = builder.module.declare_intrinsic(f"llvm.fmuladd.v{LANES}f32", fnty=kind)
        rows = [builder.gep(first, [builder.mul(x_stride, whole(i))]) for i in range(ROWS)]
        before = builder.block
        loop, after = builder.append_basic_block("tile"), builder.append_basic_block("tiled")
        builder.branch(loop)
        builder.position_at_end(loop)
        step = builder.phi(whole)
        step.add_incoming(whole(0), before)
        sums = [[builder.phi(vector) for _ in range(COLUMNS // LANES)] for _ in range(ROWS)]
        zero = vector([single(0.0)] * LANES)
        place = builder.gep(weights, [builder.mul(step, whole(COLUMNS))])
        loaded = [
            builder.load(builder.bitcast(builder.gep(place, [whole(LANES * j)]), vector.as_pointer()), align=4)
            for j in range(COLUMNS // LANES)
        ]
        empty, ones = vector(_llvm.Undefined), _llvm.Constant(_llvm.VectorType(_llvm.IntType(32), LANES), None)
        following = builder.add(step, whole(1))
        for i in range(ROWS):
            value = builder.load(builder.gep(rows[i], [step]))
            spread = builder.shuffle_vector(builder.insert_element(empty, value, _llvm.IntType(32)(0)), empty, ones)
            for j, one in enumerate(loaded):
                sums[i][j].add_incoming(zero, before)
                sums[i][j].add_incoming(builder.call(fma, [spread, one, sums[i][j]]), loop)
        step.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", following, length), loop, after)
        builder.position_at_end(after)
        for i in range(ROWS):
            for j in range(COLUMNS // LANES):
                at = builder.gep(target, [builder.add(builder.mul(o_stride, whole(i)), whole(LANES * j))])
                pointer = builder.bitcast(at, vector.as_pointer())
                total = sums[i][j].incomings[1][0]
                old = builder.select(adds, builder.load(pointer, align=4), zero)
                builder.store(builder.fadd(old, total), pointer, align=4)
        return context.get_dummy_value()

    place = types.int64
    signature = types.none(x, place, panel, place, place, out, place, types.UniTuple(place, 2), types.boolean)
    return signature, generate


@kernel
def multiply(x: Singles, at: int, panels: Singles, out: Singles, add: bool) -> None:
    """Set ``out`` to the product of rows with a packed matrix, or add it.

    The rows of x are those from its column ``at`` on.  There are as many as fill tiles (`padded_rows`), and ``out`` has
    at least the columns of the panels.
    """
    count, length = x.shape[0], panels.shape[1]
    strides = x.shape[1], out.shape[1]
    for block in range(0, count, BLOCK):
        for panel in range(panels.shape[0]):
            for row in range(block, min(block + BLOCK, count), ROWS):
                place = row * strides[1] + panel * COLUMNS
                tile(x, row * strides[0] + at, panels, panel * length * COLUMNS, length, out, place, strides, add)


@kernel
def pack_rows(x: Singles, first: int, count: int, at: int, width: int, panels: Singles) -> None:
    """Lay out the transpose of some rows of x, from a column on, for `multiply`; what follows the last stays as is."""
    for row in range(count):
        panel, lane = row // COLUMNS, row % COLUMNS
        for column in range(width):
            panels[panel, column, lane] = x[first + row, at + column]
