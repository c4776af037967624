"""Products with matrices of weights, in which no row depends on the others, not even by rounding.

BLAS adds up the products of a row in an order that depends on where the row is among the rows of a batch, so that a
sentence would get other numbers in other company.  Here every output is one chain of fused multiplications and
additions, whatever rows there are.  As in BLAS (Goto & van de Geijn 2008), weights are packed into panels, and a tile
of outputs stays in registers: up to six rows of sixteen columns in vectors of eight, or twelve in vectors of sixteen.
Weights of one byte are widened on their way to the registers: with a quarter of the memory traffic, a few rows are
multiplied as fast as many.

Rows that meet weights of one byte are rounded to whole numbers of one byte, too, each with a factor of its own
(Dettmers et al. 2022, *LLM.int8()*).  Processors have instructions for their products, four at a time.  Sums of whole
numbers are exact: where there are no such instructions, ordinary ones find the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload as _overload

from treewright.arrays import Array, Arrays, Heads, Singles
from treewright.kernels import INNER, inner_kernel, kernel
from treewright.neural.tiles import COLUMNS, HAS_DOTS, MOST, OFFSET, ROWS, tile_of

__all__ = ["Matrix", "multiply", "padded"]

overload: Any = _overload  # it has types, and they are too narrow

#: Rows that are multiplied with all panels before the next ones, so that they stay in the cache.
BLOCK = 16 * ROWS

#: The largest number that rows are rounded to, and the least of the largest in a row that is not taken for 0.
_LARGEST, _LEAST, _HALF, _UNSIGNED = np.float32(127.0), np.float32(1e-30), np.float32(0.5), np.int32(0x7FFFFFFF)


def padded(count: int, step: int) -> int:
    """Return the least multiple of the rows, or columns, of a tile that holds ``count`` of them."""
    return -(-count // step) * step


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix of weights, packed, with what is added to its product.

    Attributes
    ----------
    panels : array, shape (panels, inputs, 16)
        Sixteen columns each; the last are filled up with zeros.  Floats, or bytes; or bytes without signs, 128 too
        large, of which four rows lie side by side, where processors multiply so many at a time.
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
        if panels.dtype == np.int8 and HAS_DOTS and inputs % 4 == 0:
            panels = _for_dots(panels)
        return cls(panels, _filled(scales, width, 1.0), _filled(bias, width, 0.0))

    @classmethod
    def named(cls, arrays: Arrays, *names: str, bias: bool = False) -> Matrix:
        """Pack the parameters of these names, side by side, with those named after them (`quantization`)."""
        values = [arrays[name].reshape(len(arrays[name]), -1) for name in names]
        scales = [arrays.get(f"{name}.scale", np.ones(one.shape[1])) for name, one in zip(names, values, strict=True)]
        biases = np.concatenate([arrays[f"{name}_bias"] for name in names]) if bias else None
        return cls.of(np.concatenate(values, axis=1), np.concatenate(scales).astype(np.float32), biases)

    def apply(self, x: Singles, at: int = 0) -> Singles:
        """Multiply rows, from a column on; the product has a column for each of the panels."""
        out = np.empty((len(x), len(self.scales)), np.float32)
        multiply(x, at, self.panels, self.scales, out, False)
        out += self.bias
        return out


def _filled(values: Singles | None, width: int, otherwise: float) -> Singles:
    filled = np.full(width, otherwise, np.float32)
    if values is not None:
        filled[: len(values)] = values
    return filled


def _for_dots(panels: Array) -> Array:
    """Put four rows of each panel side by side, as bytes without signs."""
    count, inputs, columns = panels.shape
    fours = panels.reshape(count, inputs // 4, 4, columns).swapaxes(2, 3)
    return (fours.astype(np.int16) + OFFSET).astype(np.uint8).reshape(panels.shape)


@kernel
def multiply(x: Singles, at: int, panels: Array, scales: Singles, out: Singles, add: bool) -> None:
    """Set ``out`` to the product of rows with a packed matrix, or add it.

    The rows of x count from its column ``at`` on, and ``out`` has at least the columns of the panels.  Tiles have four
    rows or more where there are that many: then they are bound by arithmetic.
    """
    count, length = x.shape[0], panels.shape[1]
    values, first, factors, sums = _rows(x, at, panels)
    x_stride, out_stride = values.shape[1], out.shape[1]
    for block in range(0, count, BLOCK):
        left = min(BLOCK, count - block)
        tiles = -(-left // MOST)
        for panel in range(panels.shape[0]):
            row, column = block, panel * COLUMNS
            for number in range(tiles):
                rows = left // tiles + int(number < left % tiles)
                places = x_stride, out_stride, row * out_stride + column, column, int(add)
                start = row * x_stride + first
                tile_of(rows, values, start, panels, column * length, length, scales, out, places, factors, sums, row)
                row += rows


def _rows(x: Any, at: Any, panels: Any) -> Any:
    """Return rows as their products with the panels take them, the column they begin at, their factors and sums."""
    raise NotImplementedError  # inside kernels only


@overload(_rows, inline="never", jit_options=INNER)
def _rows_for(x: Any, at: Any, panels: Any) -> Any:
    if panels.dtype == types.float32:

        def as_they_are(x: Any, at: Any, panels: Any) -> Any:
            return x, at, np.ones(len(x), np.float32), np.zeros(len(x), np.int32)

        return as_they_are
    kind = np.int8 if panels.dtype == types.uint8 else np.float32

    def rounded(x: Any, at: Any, panels: Any) -> Any:
        values = np.empty((len(x), panels.shape[1]), kind)
        factors, sums = np.empty(len(x), np.float32), np.empty(len(x), np.int32)
        _round(x, at, values, factors, sums)
        return values, 0, factors, sums

    return rounded


@inner_kernel
def _round(x: Singles, at: int, values: Array, factors: Singles, sums: Heads) -> None:
    """Round rows to whole numbers from -127 to 127, which times the factor of the row are what they were."""
    width, bits, largest = values.shape[1], x.view(np.int32), factors.view(np.int32)
    start = np.uintp(at)  # an index that cannot be negative: without a branch in the loops
    for row in range(len(x)):
        most, total = np.int32(0), np.int32(0)
        for k in range(width):  # without their signs, the bits of floats are in the order of the floats
            most = max(most, bits[row, start + np.uintp(k)] & _UNSIGNED)
        largest[row] = most
        inverse = _LARGEST / factors[row] if factors[row] > _LEAST else np.float32(0.0)
        for k in range(width):
            values[row, k] = np.int32(np.floor(x[row, start + np.uintp(k)] * inverse + _HALF))
        for k in range(width):
            total += np.int32(values[row, k])
        factors[row] /= _LARGEST
        sums[row] = OFFSET * total
