"""Tiles of a product with packed weights, in vector instructions: what LLVM does not make of loops by itself."""

# mypy: allow-untyped-calls
# (Numba's and LLVM's functions have no types.)

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from treewright.arrays import Array, Singles
from treewright.kernels import subroutine

__all__ = ["COLUMNS", "ROWS", "tile", "tile_of"]

#: The rows and columns of a tile, and the length of a vector.
ROWS, COLUMNS, LANES = 6, 16, 8

_llvm: Any = ir  # it has no types
_SINGLE, _PLACE, _NUMBER = _llvm.FloatType(), _llvm.IntType(64), _llvm.IntType(32)
_VECTOR, _NUMBERS, _BYTES = (_llvm.VectorType(kind, LANES) for kind in (_SINGLE, _NUMBER, _llvm.IntType(8)))
_HALVES = range(COLUMNS // LANES)


class _Tile:
    """Writes the instructions of a tile."""

    def __init__(self, builder: Any, rows: int) -> None:
        self.builder, self.rows = builder, rows
        kind = _llvm.FunctionType(_VECTOR, [_VECTOR] * 3)
        self._fused = builder.module.declare_intrinsic(f"llvm.fmuladd.v{LANES}f32", fnty=kind)
        self._zero = _VECTOR([_SINGLE(0.0)] * LANES)

    def fused(self, one: Any, other: Any, added: Any) -> Any:
        """Multiply and add, rounding once."""
        return self.builder.call(self._fused, [one, other, added])

    def load(self, data: Any, place: Any, kind: Any) -> list[Any]:
        """Load sixteen numbers."""
        build = self.builder
        starts = [build.gep(data, [build.add(place, _PLACE(LANES * half))]) for half in _HALVES]
        return [build.load(build.bitcast(start, kind.as_pointer()), align=1) for start in starts]

    def sum_up(self, x: Any, places: list[Any], panel: Any, first: Any, length: Any, stored: Any) -> list[list[Any]]:
        """Sum the products of each row with a panel, one step after the other."""
        build = self.builder
        before, loop, after = build.block, build.append_basic_block("tile"), build.append_basic_block("tiled")
        build.branch(loop)
        build.position_at_end(loop)
        step = build.phi(_PLACE)
        sums = [[build.phi(_VECTOR) for _ in _HALVES] for _ in range(self.rows)]
        weights = self.load(panel, build.add(first, build.mul(step, _PLACE(COLUMNS))), stored)
        if stored is _BYTES:
            weights = [build.sitofp(build.sext(one, _NUMBERS), _VECTOR) for one in weights]
        totals = []
        for place, chain in zip(places, sums, strict=True):
            spread = self._spread(build.load(build.gep(x, [build.add(place, step)])))
            totals.append([self.fused(spread, one, total) for one, total in zip(weights, chain, strict=True)])
        following = build.add(step, _PLACE(1))
        phis = [(step, _PLACE(0), following)]
        for chain, new in zip(sums, totals, strict=True):
            phis += [(phi, self._zero, total) for phi, total in zip(chain, new, strict=True)]
        for phi, start, again in phis:
            phi.add_incoming(start, before)
            phi.add_incoming(again, loop)
        build.cbranch(build.icmp_signed("<", following, length), loop, after)
        build.position_at_end(after)
        return totals

    def _spread(self, number: Any) -> Any:
        """Make a vector of one number."""
        nothing = _VECTOR(_llvm.Undefined)
        one = self.builder.insert_element(nothing, number, _NUMBER(0))
        return self.builder.shuffle_vector(one, nothing, _llvm.Constant(_NUMBERS, None))

    def store(self, totals: list[list[Any]], scales: list[Any], out: Any, places: list[Any], adds: Any) -> None:
        """Store the sums times their scales, or add them to what is there."""
        build = self.builder
        for place, row in zip(places, totals, strict=True):
            for half, old in zip(_HALVES, self.load(out, place, _VECTOR), strict=True):
                start = build.select(build.icmp_signed("==", adds, _PLACE(1)), old, self._zero)
                pointer = build.gep(out, [build.add(place, _PLACE(LANES * half))])
                total = self.fused(row[half], scales[half], start)
                build.store(total, build.bitcast(pointer, _VECTOR.as_pointer()), align=1)


def _tile(rows: int) -> Any:
    """Make the function that multiplies a number of rows (see `tile`)."""

    @intrinsic
    def of_rows(
        typing_context: Any, x: Any, x_at: Any, panel: Any, panel_at: Any, length: Any, scales: Any, out: Any, at: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def data(number: int) -> Any:
                return context.make_array(signature.args[number])(context, builder, arguments[number]).data

            def below(first: Any, stride: Any) -> list[Any]:
                return [builder.add(first, builder.mul(stride, _PLACE(i))) for i in range(rows)]

            made = _Tile(builder, rows)
            x_stride, out_stride, out_at, scales_at, adds = (builder.extract_value(arguments[7], i) for i in range(5))
            stored = _VECTOR if panel.dtype == types.float32 else _BYTES
            totals = made.sum_up(data(0), below(arguments[1], x_stride), data(2), arguments[3], arguments[4], stored)
            factors = made.load(data(5), scales_at, _VECTOR)
            made.store(totals, factors, data(6), below(out_at, out_stride), adds)
            return context.get_dummy_value()

        place = types.int64
        return types.none(x, place, panel, place, place, scales, out, types.UniTuple(place, 5)), generate

    return of_rows


_one, _two, _three, _four, _five, _six = map(_tile, range(1, ROWS + 1))


@subroutine()
def tile(
    x: Singles,
    x_at: int,
    panel: Array,
    panel_at: int,
    length: int,
    scales: Singles,
    out: Singles,
    at: tuple[int, int, int, int, int],
) -> None:
    """Multiply six rows of x with a panel and its scales (inside kernels only).

    ``x_at`` and ``panel_at`` are the places of their first numbers.  ``at`` holds the distance of two rows of x, that
    of two rows of ``out``, the place of the tile in it, that of its scales, and 1 if it is added to what is there.
    """
    _six(x, x_at, panel, panel_at, length, scales, out, at)


@subroutine()
def tile_of(
    rows: int,
    x: Singles,
    x_at: int,
    panel: Array,
    panel_at: int,
    length: int,
    scales: Singles,
    out: Singles,
    at: tuple[int, int, int, int, int],
) -> None:
    """Do what `tile` does for one to six rows."""
    if rows == 6:
        _six(x, x_at, panel, panel_at, length, scales, out, at)
    elif rows == 5:
        _five(x, x_at, panel, panel_at, length, scales, out, at)
    elif rows == 4:
        _four(x, x_at, panel, panel_at, length, scales, out, at)
    elif rows == 3:
        _three(x, x_at, panel, panel_at, length, scales, out, at)
    elif rows == 2:
        _two(x, x_at, panel, panel_at, length, scales, out, at)
    else:
        _one(x, x_at, panel, panel_at, length, scales, out, at)
