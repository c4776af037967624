"""The parts of one tree less those of another: what a parser learns from a mistake."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from treewright.arrays import Ints, Singles
from treewright.features import WeightedParts
from treewright.kernels import inner_kernel, kernel

__all__ = ["count_missed", "difference"]


def difference(gold: Mapping[str, Ints], found: Mapping[str, Ints]) -> dict[str, WeightedParts]:
    """Weight the parts of one tree by one, those of another by minus one, and leave out what they share.

    Examples
    --------
    >>> parts = difference({"arc": np.array([[0, 1], [1, 2]])}, {"arc": np.array([[2, 1], [0, 1]])})
    >>> rows, coefficients = parts["arc"]
    >>> rows.tolist(), coefficients.tolist()
    ([[1, 2], [2, 1]], [1.0, -1.0])
    """
    return {name: _less(rows, found.get(name, rows[:0])) for name, rows in gold.items()}


@inner_kernel
def _is_among(row: Ints, others: Ints) -> bool:
    """Return whether a part is in a list of parts."""
    for other in range(len(others)):
        k = 0
        while k < len(row) and row[k] == others[other, k]:
            k += 1
        if k == len(row):
            return True
    return False


@kernel
def count_missed(rows: Ints, others: Ints) -> int:
    """Count the parts of one list that are not in another."""
    count = 0
    for row in range(len(rows)):
        count += not _is_among(rows[row], others)
    return count


@kernel
def _less(gold: Ints, found: Ints) -> tuple[Ints, Singles]:
    """List what is in one list of parts alone, weighted by one, and then what is in the other alone, by minus one."""
    rows = np.empty((len(gold) + len(found), gold.shape[1]), np.int64)
    coefficients, count = np.empty(len(rows), np.float32), 0
    for row in range(len(gold)):
        if not _is_among(gold[row], found):
            rows[count], coefficients[count] = gold[row], 1
            count += 1
    for row in range(len(found)):
        if not _is_among(found[row], gold):
            rows[count], coefficients[count] = found[row], -1
            count += 1
    return rows[:count], coefficients[:count]
