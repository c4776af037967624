"""Products with matrices of weights, in which no row depends on the others, not even by rounding.

BLAS adds up the products of a row in an order that depends on where the row is among the rows of a batch, so that a
sentence would get other numbers in other company.  Here every output is one chain of fused multiplications and
additions, whatever rows there are.  As in BLAS (Goto & van de Geijn 2008), weights are packed into panels, and a tile
of outputs stays in registers: six rows of sixteen columns, in vectors of eight.  Weights of one byte are widened on
their way to the registers: with a quarter of the memory traffic, a few rows are multiplied as fast as many.
"""

# mypy: allow-untyped-calls
# (Numba's and LLVM's functions have no types.)

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from treewright.arrays import Array, Arrays, Singles
from treewright.kernels import kernel, subroutine

__all__ = ["COLUMNS", "ROWS", "Matrix", "multiply", "padded", "tile"]

#: The rows and columns of a tile, and the length of a vector.
ROWS, COLUMNS, LANES = 6, 16, 8

#: Rows that are multiplied with all panels before the next ones, so that they stay in the cache.
BLOCK = 16 * ROWS

_llvm: Any = ir  # it has no types


def padded(count: int, step: int = ROWS) -> int:
    """Return the least multiple of the rows, or columns, of a tile that holds ``count`` of them."""
    return -(-count // step) * step


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix of weights, packed, with what is added to its product.

    Attributes
    ----------
    panels : int8 or float32 array, shape (panels, inputs, 16)
        Sixteen columns each; the last are filled up with zeros.
    scales, bias : float32 array, shape (16 panels,)
        What outputs are multiplied by, and what is added to them.
    """

    panels: Array
    scales: Singles
    bias: Singles

    @classmethod
    def of(cls, values: Array, scales: Singles | None = None, bias: Singles | None = None) -> Matrix:
        """Pack a matrix (inputs, outputs); whole bytes have a scale for each output."""
        inputs, outputs = values.shape
        width = padded(outputs, COLUMNS)
        filled = np.zeros((inputs, width), np.int8 if values.dtype == np.int8 else np.float32)
        filled[:, :outputs] = values
        panels = np.ascontiguousarray(filled.reshape(inputs, -1, COLUMNS).transpose(1, 0, 2))
        return cls(panels, _filled(scales, width, 1.0), _filled(bias, width, 0.0))

    @classmethod
    def named(cls, arrays: Arrays, *names: str, bias: bool = False) -> Matrix:
        """Pack the parameters of these names, side by side, with those named after them (`quantization`)."""
        values = [arrays[name].reshape(len(arrays[name]), -1) for name in names]
        scales = [arrays.get(f"{name}.scale", np.ones(one.shape[1])) for name, one in zip(names, values, strict=True)]
        biases = np.concatenate([arrays[f"{name}_bias"] for name in names]) if bias else None
        return cls.of(np.concatenate(values, axis=1), np.concatenate(scales).astype(np.float32), biases)

    def apply(self, x: Singles, at: int = 0) -> Singles:
        """Multiply rows, as many as fill tiles, from a column on; the product has a column for each of the panels."""
        out = np.empty((len(x), len(self.scales)), np.float32)
        multiply(x, at, self.panels, self.scales, out, False)
        out += self.bias
        return out


def _filled(values: Singles | None, width: int, otherwise: float) -> Singles:
    filled = np.full(width, otherwise, np.float32)
    if values is not None:
        filled[: len(values)] = values
    return filled


@intrinsic
def _tile(
    typing_context: Any, x: Any, x_at: Any, panel: Any, panel_at: Any, length: Any, scales: Any, out: Any, places: Any
) -> Any:
    single, whole = _llvm.FloatType(), _llvm.IntType(64)
    vector, numbers = _llvm.VectorType(single, LANES), _llvm.VectorType(_llvm.IntType(32), LANES)
    stored = vector if panel.dtype == types.float32 else _llvm.VectorType(_llvm.IntType(8), LANES)
    halves = range(COLUMNS // LANES)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(number: int) -> Any:
            return context.make_array(signature.args[number])(context, builder, arguments[number]).data

        def load(pointer: Any, place: Any, kind: Any) -> list[Any]:
            starts = [builder.gep(pointer, [builder.add(place, whole(LANES * half))]) for half in halves]
            return [builder.load(builder.bitcast(start, kind.as_pointer()), align=1) for start in starts]

        x_stride, out_stride, out_at, scales_at, adds = (builder.extract_value(arguments[7], i) for i in range(5))
        kind = _llvm.FunctionType(vector, [vector] * 3)
        fused = builder.module.declare_intrinsic(f"llvm.fmuladd.v{LANES}f32", fnty=kind)
        zero, nothing, first = vector([single(0.0)] * LANES), vector(_llvm.Undefined), _llvm.Constant(numbers, None)
        rows = [builder.gep(data(0), [builder.add(arguments[1], builder.mul(x_stride, whole(i)))]) for i in range(ROWS)]
        before = builder.block
        loop, after = builder.append_basic_block("tile"), builder.append_basic_block("tiled")
        builder.branch(loop)
        builder.position_at_end(loop)
        step = builder.phi(whole)
        sums = [[builder.phi(vector) for _ in halves] for _ in range(ROWS)]
        weights = load(data(2), builder.add(arguments[3], builder.mul(step, whole(COLUMNS))), stored)
        if stored is not vector:
            weights = [builder.sitofp(builder.sext(one, numbers), vector) for one in weights]
        totals = []
        for row, chain in zip(rows, sums, strict=True):
            value = builder.insert_element(nothing, builder.load(builder.gep(row, [step])), _llvm.IntType(32)(0))
            spread = builder.shuffle_vector(value, nothing, first)
            totals.append([builder.call(fused, [spread, one, sum]) for one, sum in zip(weights, chain, strict=True)])
        following = builder.add(step, whole(1))
        for phi, start, again in [(step, whole(0), following)] + [
            (phi, zero, total) for pair in zip(sums, totals, strict=True) for phi, total in zip(*pair, strict=True)
        ]:
            phi.add_incoming(start, before)
            phi.add_incoming(again, loop)
        builder.cbranch(builder.icmp_signed("<", following, arguments[4]), loop, after)
        builder.position_at_end(after)
        factors = load(data(5), scales_at, vector)
        for i, row in enumerate(totals):
            place = builder.add(out_at, builder.mul(out_stride, whole(i)))
            for half, old in zip(halves, load(data(6), place, vector), strict=True):
                start = builder.select(builder.icmp_signed("==", adds, whole(1)), old, zero)
                total = builder.call(fused, [row[half], factors[half], start])
                pointer = builder.gep(data(6), [builder.add(place, whole(LANES * half))])
                builder.store(total, builder.bitcast(pointer, vector.as_pointer()), align=1)
        return context.get_dummy_value()

    place = types.int64
    return types.none(x, place, panel, place, place, scales, out, types.UniTuple(place, 5)), generate


@subroutine()
def tile(
    x: Singles,
    x_at: int,
    panel: Array,
    panel_at: int,
    length: int,
    scales: Singles,
    out: Singles,
    places: tuple[int, int, int, int, int],
) -> None:
    """Multiply six rows of x with a panel and its scales (inside kernels only).

    ``x_at`` and ``panel_at`` are the places of their first numbers.  ``places`` are the distance of two rows of x,
    that of two rows of ``out``, the place of the tile in it, that of its scales, and 1 if it is added to what is there.
    """
    _tile(x, x_at, panel, panel_at, length, scales, out, places)  # type: ignore[call-arg]


@kernel
def multiply(x: Singles, at: int, panels: Array, scales: Singles, out: Singles, add: bool) -> None:
    """Set ``out`` to the product of rows with a packed matrix, or add it.

    The rows of x count from its column ``at`` on.  There are as many as fill tiles, and ``out`` has at least the
    columns of the panels.
    """
    count, length = x.shape[0], panels.shape[1]
    x_stride, out_stride = x.shape[1], out.shape[1]
    for block in range(0, count, BLOCK):
        for panel in range(panels.shape[0]):
            for row in range(block, min(block + BLOCK, count), ROWS):
                column = panel * COLUMNS
                places = x_stride, out_stride, row * out_stride + column, column, int(add)
                tile(x, row * x_stride + at, panels, column * length, length, scales, out, places)
