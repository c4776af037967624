"""The tables of a junction tree: how large they are, and where their entries are in messages.

The rows of a message are the joint values of a separator; the value of the parent varies fastest, that of the next of
the separator next.  The table of a position has its values in one row if nothing in it depends on the separator but the
edge to the parent, and otherwise a row for each joint value of its separator.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints, Places
from treewright.kernels import kernel
from treewright.reranking.candidates.offsets import offsets_of

__all__ = ["Junctions", "join"]


class Junctions(NamedTuple):
    """The sizes of the tables of all positions."""

    rows: Ints  # of each position: the joint values of its separator
    tables: Ints  # of each position: the entries of its table
    other_stride: Ints  # of each other word of a separator: from one of its values to the next, in rows
    lifts: Ints  # offsets: of each position, unless each row is the entry of the table of its parent with its number
    lift: Places  # of each entry of the table of the parent: its row


def join(positions: Ints, parent: Places, others: Ints, other: Places, sizes: Places) -> Junctions:
    """Find the tables of positions; ``sizes`` are their numbers of values, the rest as in `HiddenTrees`."""
    start = np.repeat(positions[:-1], np.diff(positions))
    rows = np.where(parent >= 0, sizes[start + np.maximum(parent, 0)], 1).astype(np.int64)
    tables = sizes.astype(np.int64)
    nothing = np.zeros(0, np.int32)
    if not len(other):
        return Junctions(rows, tables, np.zeros(0, np.int64), np.zeros(len(sizes) + 1, np.int64), nothing)
    stride = count_entries(start, parent, others, other, sizes, rows, tables)
    is_lifted = (parent >= 0) & (tables[start + np.maximum(parent, 0)] != rows)
    lifts = offsets_of(np.where(is_lifted, tables[start + np.maximum(parent, 0)], 0))
    lift = np.empty(lifts[-1], np.int32)
    find_rows(start, parent, others, other, sizes, stride, lifts, lift)
    return Junctions(rows, tables, stride, lifts, lift)


@kernel
def count_entries(
    start: Ints, parent: Places, others: Ints, other: Places, sizes: Places, rows: Ints, tables: Ints
) -> Ints:
    """Count rows and entries where separators have several words, and return the strides of the others."""
    stride, is_joint = np.empty(len(other), np.int64), np.zeros(len(sizes), np.bool_)
    for t in range(len(sizes)):
        for k in range(others[t], others[t + 1]):
            stride[k] = rows[t]
            rows[t] *= sizes[start[t] + other[k]]
            is_joint[t] = is_joint[start[t] + parent[t]] = True  # the message is not about the parent alone
    for t in range(len(sizes)):
        if is_joint[t]:
            tables[t] *= rows[t]
    return stride


@kernel
def find_rows(
    start: Ints, parent: Places, others: Ints, other: Places, sizes: Places, stride: Ints, lifts: Ints, lift: Places
) -> None:
    """Find the row of the message of each position for each entry of the table of its parent, where they differ."""
    for t in range(len(sizes)):
        if lifts[t] == lifts[t + 1]:
            continue
        p = start[t] + parent[t]
        for entry in range(lifts[t + 1] - lifts[t]):
            row, rest = entry % sizes[p], entry // sizes[p]
            for j in range(others[p] - 1, others[p + 1]):
                u = other[j] if j >= others[p] else parent[p]
                for k in range(others[t], others[t + 1]):
                    if other[k] == u:
                        row += rest % sizes[start[t] + u] * stride[k]
                rest //= sizes[start[t] + u]
            lift[lifts[t] + entry] = row
