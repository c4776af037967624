"""Lists of different lengths laid end to end: where each begins, and how to take some of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints

__all__ = ["gather", "offsets_of"]


def offsets_of(lengths: npt.ArrayLike) -> Ints:
    """Return where each list begins, and where the last ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def gather(offsets: Ints, rows: npt.NDArray[np.integer]) -> tuple[Ints, Ints]:
    """Return the offsets of these lists put one after the other, and where each of their entries comes from."""
    lengths = np.diff(offsets)[rows]
    gathered = offsets_of(lengths)
    return gathered, np.repeat(offsets[rows] - gathered[:-1], lengths) + np.arange(gathered[-1])
