"""Tiles of a product with packed weights, in vector instructions: what LLVM does not make of loops by itself."""

# mypy: allow-untyped-calls
# (Numba's and LLVM's functions have no types.)

from __future__ import annotations

from typing import Any

from llvmlite import binding, ir
from numba import config as _config
from numba import types
from numba.extending import intrinsic as _intrinsic

from treewright.arrays import Array, Heads, Singles
from treewright.kernels import subroutine

__all__ = ["COLUMNS", "HAS_DOTS", "MOST", "OFFSET", "ROWS", "tile", "tile_of"]

#: The rows and columns of a tile.
ROWS, COLUMNS = 6, 16

config: Any = _config  # its types do not know what it reads from the environment

#: What the processor can do; nothing is taken for granted where Numba is told to compile for another one.
_FEATURES: dict[str, bool] = {}
if config.ENABLE_AVX and config.CPU_NAME is None and config.CPU_FEATURES is None:
    _FEATURES = binding.get_host_cpu_features()

#: Whether vectors hold sixteen numbers; then there are registers for twice as many rows.  Every output is one chain of
#: sums either way, so that the numbers are the same.
_IS_WIDE = bool(_FEATURES.get("avx512f", False))

#: The length of a vector, and the most rows of a tile.
LANES, MOST = (16, 2 * ROWS) if _IS_WIDE else (8, ROWS)

#: Whether one instruction multiplies and adds four times as many bytes.
HAS_DOTS = bool(_FEATURES.get("avx512vnni" if _IS_WIDE else "avxvnni", False))

#: What is added to weights for such products, which want them to be positive.
OFFSET = 128

_llvm: Any = ir  # it has no types
intrinsic: Any = _intrinsic  # nor have calls of what it makes
_SINGLE, _PLACE, _NUMBER, _BYTE = _llvm.FloatType(), _llvm.IntType(64), _llvm.IntType(32), _llvm.IntType(8)
_VECTOR, _NUMBERS, _BYTES = (_llvm.VectorType(kind, LANES) for kind in (_SINGLE, _NUMBER, _BYTE))
_HALVES = range(COLUMNS // LANES)

#: How many rows of a panel one step takes, by the type of its weights: bytes of dot products have no sign.
_STEPS = {types.float32: 1, types.int8: 1, types.uint8: 4}


class _Tile:
    """Writes the instructions of a tile, for weights of a type."""

    def __init__(self, builder: Any, rows: int, weights: Any) -> None:
        self.builder, self.rows, self.weights = builder, rows, weights
        kind = _llvm.FunctionType(_VECTOR, [_VECTOR] * 3)
        self._fused = builder.module.declare_intrinsic(f"llvm.fmuladd.v{LANES}f32", fnty=kind)
        self.zero = _llvm.Constant(_NUMBERS if weights == types.uint8 else _VECTOR, None)
        if weights == types.uint8:
            kind = _llvm.FunctionType(_NUMBERS, [_NUMBERS] * 3)
            name = f"llvm.x86.avx512.vpdpbusd.{32 * LANES}"
            self._dots = builder.module.declare_intrinsic(name, fnty=kind)

    def fused(self, one: Any, other: Any, added: Any) -> Any:
        """Multiply and add, rounding once."""
        return self.builder.call(self._fused, [one, other, added])

    def load(self, data: Any, place: Any, kind: Any, step: int = LANES) -> list[Any]:
        """Load sixteen numbers, each vector so many places after the one before."""
        build = self.builder
        starts = [build.gep(data, [build.add(place, _PLACE(step * half))]) for half in _HALVES]
        return [build.load(build.bitcast(start, kind.as_pointer()), align=1) for start in starts]

    def sum_up(self, x: Any, places: list[Any], panel: Any, first: Any, length: Any) -> list[list[Any]]:
        """Sum the products of each row with a panel, one step after the other."""
        build, taken = self.builder, _STEPS[self.weights]
        before, loop, after = build.block, build.append_basic_block("tile"), build.append_basic_block("tiled")
        build.branch(loop)
        build.position_at_end(loop)
        step = build.phi(_PLACE)
        sums = [[build.phi(self.zero.type) for _ in _HALVES] for _ in range(self.rows)]
        weights = self._weights(panel, build.add(first, build.mul(step, _PLACE(COLUMNS))))
        totals = []
        for place, chain in zip(places, sums, strict=True):
            row = self._row(x, build.add(place, step))
            totals.append([self._added(row, one, total) for one, total in zip(weights, chain, strict=True)])
        following = build.add(step, _PLACE(taken))
        phis = [(step, _PLACE(0), following)]
        for chain, new in zip(sums, totals, strict=True):
            phis += [(phi, self.zero, total) for phi, total in zip(chain, new, strict=True)]
        for phi, start, again in phis:
            phi.add_incoming(start, before)
            phi.add_incoming(again, loop)
        build.cbranch(build.icmp_signed("<", following, length), loop, after)
        build.position_at_end(after)
        return totals

    def _weights(self, panel: Any, place: Any) -> list[Any]:
        """Load the weights of a step."""
        if self.weights == types.uint8:
            return self.load(panel, place, _NUMBERS, 4 * LANES)
        if self.weights == types.float32:
            return self.load(panel, place, _VECTOR)
        build = self.builder
        return [build.sitofp(build.sext(one, _NUMBERS), _VECTOR) for one in self.load(panel, place, _BYTES)]

    def _row(self, x: Any, place: Any) -> Any:
        """Load the numbers of a row that a step takes, and repeat them in a vector."""
        build = self.builder
        start = build.gep(x, [place])
        if self.weights == types.uint8:
            return self.spread(build.load(build.bitcast(start, _NUMBER.as_pointer()), align=1))
        return self.spread(build.load(start))

    def _added(self, row: Any, weights: Any, total: Any) -> Any:
        """Add the products of a step."""
        if self.weights == types.uint8:
            return self.builder.call(self._dots, [total, weights, row])
        return self.fused(row, weights, total)

    def spread(self, number: Any) -> Any:
        """Make a vector of one number."""
        nothing = _llvm.Constant(_llvm.VectorType(number.type, LANES), _llvm.Undefined)
        one = self.builder.insert_element(nothing, number, _NUMBER(0))
        return self.builder.shuffle_vector(one, nothing, _llvm.Constant(_NUMBERS, None))

    def rescaled(self, totals: list[list[Any]], factors: Any, sums: Any, row: Any) -> list[list[Any]]:
        """Multiply the sums of each row with its factor; take the offset of weights off, where they have one."""
        build, found = self.builder, []
        for i, chain in enumerate(totals):
            place = [build.add(row, _PLACE(i))]
            if self.weights == types.uint8:
                offset = self.spread(build.load(build.gep(sums, place)))
                chain = [build.sitofp(build.sub(total, offset), _VECTOR) for total in chain]
            factor = self.spread(build.load(build.gep(factors, place)))
            found.append([build.fmul(total, factor) for total in chain])
        return found

    def store(self, totals: list[list[Any]], scales: list[Any], out: Any, places: list[Any], adds: Any) -> None:
        """Store the sums times their scales, or add them to what is there."""
        build, zero = self.builder, _llvm.Constant(_VECTOR, None)
        for place, row in zip(places, totals, strict=True):
            for half, old in zip(_HALVES, self.load(out, place, _VECTOR), strict=True):
                start = build.select(build.icmp_signed("==", adds, _PLACE(1)), old, zero)
                pointer = build.gep(out, [build.add(place, _PLACE(LANES * half))])
                total = self.fused(row[half], scales[half], start)
                build.store(total, build.bitcast(pointer, _VECTOR.as_pointer()), align=1)


def _multiply(context: Any, builder: Any, rows: int, kinds: Any, arguments: Any) -> None:
    """Write the instructions that multiply a number of rows (see `tile_of`)."""

    def data(number: int) -> Any:
        return context.make_array(kinds[number])(context, builder, arguments[number]).data

    def below(first: Any, stride: Any) -> list[Any]:
        return [builder.add(first, builder.mul(stride, _PLACE(i))) for i in range(rows)]

    made = _Tile(builder, rows, kinds[2].dtype)
    x_stride, out_stride, out_at, scales_at, adds = (builder.extract_value(arguments[7], i) for i in range(5))
    totals = made.sum_up(data(0), below(arguments[1], x_stride), data(2), arguments[3], arguments[4])
    if len(arguments) > 8:
        totals = made.rescaled(totals, data(8), data(9), arguments[10])
    made.store(totals, made.load(data(5), scales_at, _VECTOR), data(6), below(out_at, out_stride), adds)


def _kinds(x: Any, panel: Any, scales: Any, out: Any, *by_row: Any) -> tuple[Any, ...]:
    """Return the types of the arguments of a tile."""
    place = types.int64
    return x, place, panel, place, place, scales, out, types.UniTuple(place, 5), *by_row


@intrinsic
def _six(
    typing_context: Any, x: Any, x_at: Any, panel: Any, panel_at: Any, length: Any, scales: Any, out: Any, at: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _multiply(context, builder, ROWS, signature.args, arguments)
        return context.get_dummy_value()

    return types.none(*_kinds(x, panel, scales, out)), generate


@intrinsic
def _any(
    typing_context: Any,
    rows: Any,
    x: Any,
    x_at: Any,
    panel: Any,
    panel_at: Any,
    length: Any,
    scales: Any,
    out: Any,
    at: Any,
    factors: Any,
    sums: Any,
    row: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        after = builder.append_basic_block("multiplied")
        cases = builder.switch(arguments[0], after)
        for count in range(1, MOST + 1):
            block = builder.append_basic_block(f"rows{count}")
            cases.add_case(_PLACE(count), block)
            builder.position_at_end(block)
            _multiply(context, builder, count, signature.args[1:], arguments[1:])
            builder.branch(after)
        builder.position_at_end(after)
        return context.get_dummy_value()

    return types.none(types.int64, *_kinds(x, panel, scales, out, factors, sums, types.int64)), generate


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
    x: Array,
    x_at: int,
    panel: Array,
    panel_at: int,
    length: int,
    scales: Singles,
    out: Singles,
    at: tuple[int, int, int, int, int],
    factors: Singles,
    sums: Heads,
    row: int,
) -> None:
    """Do what `tile` does for one to `MOST` rows that have factors of their own.

    ``row`` is the place of the first factor.  Where weights have an `OFFSET`, ``sums`` holds what it adds to each row.
    """
    _any(rows, x, x_at, panel, panel_at, length, scales, out, at, factors, sums, row)
