"""The maximum of many numbers as some of them change: a champion for each block, and the champion of champions.

A round of boosting changes the gains of the features that occur with the chosen one, and then asks for the best one.
Searching all features would cost more than everything else.  Here a number that changes is compared with the champion
of its block; a block is searched only when its champion has fallen; and then the champions, some hundreds, are
compared.  Of equal numbers the first wins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.kernels import kernel

__all__ = ["Champions", "crown", "make_champions", "place"]

#: A block has 2 to this power numbers.
SHIFT = 9


class Champions(NamedTuple):
    """Numbers, and the champion of each block."""

    values: Floats  # feature → its gain
    best: Ints  # block → its champion
    highest: Floats  # block → the gain of its champion
    fallen: Ints  # the blocks to search: the first `number[0]` entries
    is_fallen: Ints  # block → whether it is one of them
    number: Ints  # one entry: how many blocks to search


def make_champions(values: Floats) -> Champions:
    """Find the champions of these values."""
    blocks = -(-len(values) // (1 << SHIFT)) or 1
    champions = Champions(
        np.ascontiguousarray(values, np.float64),
        np.zeros(blocks, np.int64),
        np.full(blocks, -1.0),
        np.arange(blocks, dtype=np.int64),
        np.ones(blocks, np.int64),
        np.array([blocks], np.int64),
    )
    crown(champions)
    return champions


@kernel
def place(champions: Champions, k: int, value: float) -> None:
    """Change one value."""
    block = k >> SHIFT
    old, champions.values[k] = champions.values[k], value
    if champions.best[block] == k:
        champions.highest[block] = value
        if value < old and not champions.is_fallen[block]:
            champions.is_fallen[block] = 1
            champions.fallen[champions.number[0]] = block
            champions.number[0] += 1
    elif value > champions.highest[block] or (value == champions.highest[block] and k < champions.best[block]):
        champions.best[block] = k
        champions.highest[block] = value


@kernel
def crown(champions: Champions) -> int:
    """Return the index of the highest value, the first of ties."""
    values, best, highest = champions.values, champions.best, champions.highest
    for i in range(champions.number[0]):
        block = champions.fallen[i]
        champions.is_fallen[block] = 0
        first, end = block << SHIFT, min((block + 1) << SHIFT, len(values))
        top = -1.0
        for k in range(first, end):
            top = max(top, values[k])
        for k in range(first, end):
            if values[k] == top:
                best[block] = k
                break
        highest[block] = top
    champions.number[0] = 0
    top = highest.max()
    for block in range(len(best)):
        if highest[block] == top:
            return int(best[block])
    return 0
