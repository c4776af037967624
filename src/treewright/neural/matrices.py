"""Products with matrices of weights, in which no row depends on the others, not even by rounding.

BLAS adds up the products of a row in an order that depends on where the row is among the rows of a batch, so that a
sentence would get other numbers in other company.  Here every output is one chain of fused multiplications and
additions, whatever rows there are.  As in BLAS (Goto & van de Geijn 2008), weights are packed into panels, and a tile
of outputs stays in registers: up to six rows of sixteen columns, in vectors of eight.  Weights of one byte are widened
on their way to the registers: with a quarter of the memory traffic, a few rows are multiplied as fast as many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.arrays import Array, Arrays, Singles
from treewright.kernels import kernel
from treewright.neural.tiles import COLUMNS, ROWS, tile_of

__all__ = ["Matrix", "multiply", "padded"]

#: Rows that are multiplied with all panels before the next ones, so that they stay in the cache.
BLOCK = 16 * ROWS


def padded(count: int, step: int) -> int:
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


@kernel
def multiply(x: Singles, at: int, panels: Array, scales: Singles, out: Singles, add: bool) -> None:
    """Set ``out`` to the product of rows with a packed matrix, or add it.

    The rows of x count from its column ``at`` on, and ``out`` has at least the columns of the panels.  Tiles have four
    rows or more where there are that many: then they are bound by arithmetic.
    """
    count, length = x.shape[0], panels.shape[1]
    x_stride, out_stride = x.shape[1], out.shape[1]
    for block in range(0, count, BLOCK):
        left = min(BLOCK, count - block)
        tiles = -(-left // ROWS)
        for panel in range(panels.shape[0]):
            row, column = block, panel * COLUMNS
            for number in range(tiles):
                rows = left // tiles + int(number < left % tiles)
                places = x_stride, out_stride, row * out_stride + column, column, int(add)
                tile_of(rows, x, row * x_stride + at, panels, column * length, length, scales, out, places)
                row += rows
