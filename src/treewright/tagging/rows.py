"""The weights of one template for many tags: adjacent in the table, and added several at a time.

LLVM does not make vector instructions of such short loops by itself, so they are written here.  A row of sums has room
for whole vectors; what comes after the last tag is of no meaning.
"""

# mypy: allow-untyped-calls
# (Numba's and LLVM's functions have no types.)

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic as _intrinsic

from treewright.arrays import Hashes, Heads, Singles
from treewright.features.weights import Table, decode
from treewright.kernels import inner_kernel

__all__ = ["LANES", "add_vector", "are_first", "sum_rows", "take_better", "whole_lanes"]

#: The length of a vector.
LANES = 8

_llvm: Any = ir  # it has no types
intrinsic: Any = _intrinsic  # nor have calls of what it makes
_NUMBERS, _SINGLES = (_llvm.VectorType(kind, LANES) for kind in (_llvm.IntType(32), _llvm.FloatType()))


class _Vectors:
    """Loads vectors from arrays, and stores them."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.context, self.builder = context, builder

    def at(self, kind: Any, array: Any, place: Any, vector: Any) -> Any:
        """Find where a vector begins."""
        data = self.context.make_array(kind)(self.context, self.builder, array).data
        return self.builder.bitcast(self.builder.gep(data, [place]), vector.as_pointer())

    def load(self, kind: Any, array: Any, place: Any, vector: Any) -> Any:
        """Load a vector."""
        return self.builder.load(self.at(kind, array, place, vector), align=1)

    def store(self, kind: Any, array: Any, place: Any, vector: Any) -> None:
        """Store a vector."""
        self.builder.store(vector, self.at(kind, array, place, vector.type), align=1)

    def all(self, value: Any) -> Any:
        """Repeat a number."""
        vector = _llvm.VectorType(value.type, LANES)
        one = self.builder.insert_element(_llvm.Constant(vector, _llvm.Undefined), value, _llvm.IntType(32)(0))
        return self.builder.shuffle_vector(one, one, _llvm.Constant(_NUMBERS, [0] * LANES))

    def decoded(self, array_type: Any, array: Any, place: Any) -> Any:
        """Load stored weights, and turn them into weights (`treewright.features.weights.decode`)."""
        build, stored = self.builder, self.context.get_data_type(array_type.dtype)
        vector = self.load(array_type, array, place, _llvm.VectorType(stored, LANES))
        if array_type.dtype == types.float32:
            return vector
        if array_type.dtype == types.float64:
            return build.fptrunc(vector, _SINGLES)
        roots = build.sitofp(build.sext(vector, _NUMBERS), _SINGLES)
        kind = _llvm.FunctionType(_SINGLES, [_SINGLES])
        absolute = build.module.declare_intrinsic(f"llvm.fabs.v{LANES}f32", fnty=kind)
        return build.fmul(roots, build.call(absolute, [roots]))


@intrinsic
def add_vector(typing_context: Any, weights: Any, place: Any, row: Any, start: Any) -> Any:
    """Add weights from a place on to a row from its start on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vectors, (table, place, sums, start) = _Vectors(context, builder), arguments
        added = vectors.decoded(signature.args[0], table, place)
        total = builder.fadd(vectors.load(signature.args[2], sums, start, _SINGLES), added)
        vectors.store(signature.args[2], sums, start, total)
        return context.get_dummy_value()

    return types.none(weights, types.uintp, row, types.uintp), generate


@intrinsic
def take_better(typing_context: Any, row: Any, start: Any, before: Any, number: Any, best: Any, origin: Any) -> Any:
    """Where ``before`` and a row make a better sum than the best, note it, and the number that it comes from."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vectors, kinds = _Vectors(context, builder), signature.args
        row, start, before, number, best, origin = arguments
        value = builder.fadd(vectors.load(kinds[0], row, start, _SINGLES), vectors.all(before))
        most = vectors.load(kinds[4], best, start, _SINGLES)
        whence = vectors.load(kinds[5], origin, start, _NUMBERS)
        is_better = builder.fcmp_ordered(">", value, most)
        vectors.store(kinds[4], best, start, builder.select(is_better, value, most))
        vectors.store(kinds[5], origin, start, builder.select(is_better, vectors.all(number), whence))
        return context.get_dummy_value()

    return types.none(row, types.uintp, types.float32, types.int32, best, origin), generate


@inner_kernel
def whole_lanes(count: int) -> int:
    """Round a number of tags up to whole vectors."""
    return (count + LANES - 1) // LANES * LANES


@inner_kernel
def are_first(tags: Heads) -> bool:
    """Return whether tags are 0, 1, 2 and so on."""
    found = True
    for c in range(len(tags)):
        found &= tags[c] == c
    return found


@inner_kernel
def sum_rows(
    hashes: Hashes, seed: np.uint32, mask: np.uint32, offset: int, weights: Table, count: int, tags: Heads, row: Singles
) -> None:
    """Set a row to the sums of the weights of some tags under some templates, mixed with a seed.

    The weights of the tags of a template begin ``offset`` after its place.  The tags are the first ones, ``count`` of
    them, if ``tags`` is empty; a tag of -1 has no weights.
    """
    width = whole_lanes(count)
    for c in range(width):
        row[c] = 0
    for t in range(len(hashes)):
        place = np.int64((hashes[t] ^ seed) & mask) + offset
        if len(tags) > 0:
            for c in range(count):
                if tags[c] >= 0:
                    row[c] += decode(weights[np.uintp(place + tags[c])])
        elif place + width <= len(weights):
            for start in range(0, width, LANES):
                add_vector(weights, np.uintp(place + start), row, np.uintp(start))
        else:  # near the end of the table
            for c in range(count):
                row[c] += decode(weights[np.uintp(place + c)])
