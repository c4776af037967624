"""Slim models: the smallest weights are left out until the file is small enough.

Most weights of a linear model are those of features that were seen once or twice.  A table without them is mostly
zeros, and its file a fraction as large (`treewright.model.packing`), at hardly any loss: without the smaller half of
its weights, the third-order model of English has 83.34 LAS instead of 83.35, and two thirds of its size.
"""

from __future__ import annotations

import json
from typing import TypeVar

import numpy as np

from treewright.arrays import Array
from treewright.errors import UsageError
from treewright.model.base import Manifest, Model
from treewright.model.packing import pack, tables_of

__all__ = ["slim"]

M = TypeVar("M", bound=Model)

#: The magnitudes of stored bytes: the smallest ones go first, in all tables alike.
LEVELS = 127

#: How tightly tables are packed to see how large they are: ten times as fast as in a file, and up to a tenth larger.
FAST = 6


def slim(model: M, megabytes: float) -> M:
    """Leave out the smallest weights of a model until its file has at most so many megabytes.

    Parameters
    ----------
    model : Model
        One that is not too large is returned as it is.
    megabytes : float

    Raises
    ------
    UsageError
        If the model is larger even without weights.
    """
    manifest, arrays = model.describe()
    most, sizes = megabytes * 1e6, dict[int, int]()

    def fits(floor: int) -> bool:
        sizes[floor] = _size(manifest, _without_small(arrays, floor))
        return sizes[floor] <= most

    if fits(0):
        return model
    low, high = 0, LEVELS
    if not fits(high):
        raise UsageError(
            f"the model has {sizes[high] / 1e6:.1f} MB without any weights: it cannot be made smaller than that, and "
            f"{megabytes:g} were asked for"
        )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return type(model).restore(manifest, _without_small(arrays, high))


def _without_small(arrays: dict[str, Array], floor: int) -> dict[str, Array]:
    """Put zeros where weights are at most so large, in the units of the bytes that they are stored in."""
    return arrays | {name: _sparse(table, floor) for name, table in tables_of(arrays).items() if floor}


def _sparse(table: Array, floor: int) -> Array:
    kept = (table > floor) | (table < -floor)
    sparse = np.where(kept, table, np.int8(0))
    sparse.flags.writeable = False  # as when mapped from a file
    return sparse


def _size(manifest: Manifest, arrays: dict[str, Array]) -> int:
    """Tell how large a file is at most, but for its header."""
    packed, _ = pack(arrays, FAST)
    text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    return sum(one.nbytes for one in packed.values()) + len(text.encode("utf-8", "surrogatepass"))
