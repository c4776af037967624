"""What both kinds of decisions share: hashes of features, scores, and the mistakes that are learned from.

A decision is yes or no: the sum of the weights of its features is high enough, or it is not.  A feature is a hash, and
its weight is at the place in the table that the highest bits of the hash give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.arrays import Places, Singles
from treewright.features.weights import Table, decode
from treewright.kernels import inner_kernel

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["judge", "mix", "mixed", "total"]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(32)


@inner_kernel
def mix(hashed: np.uint64, value: np.uint64) -> np.uint64:
    """Add a value to a hash."""
    hashed = (hashed ^ value) * _FACTOR
    return hashed ^ (hashed >> _FOLD)


@inner_kernel
def mixed(template: int, first: np.uint64, second: np.uint64) -> np.uint64:
    """Hash two values of a template of features."""
    return mix(mix(np.uint64(template) * _FACTOR, first), second) * _FACTOR


@inner_kernel
def total(features: npt.NDArray[np.uint64], weights: Table, shift: np.uint64) -> float:
    """Add up the weights of features."""
    score: float = np.float32(0)  # type: ignore[assignment]
    for k in range(len(features)):
        score += decode(weights[np.uintp(features[k] >> shift)])
    return score


@inner_kernel
def judge(
    features: npt.NDArray[np.uint64],
    score: float,
    right: bool,
    cost: float,
    shift: np.uint64,
    places: Places,
    values: Singles,
    tally: tuple[int, int, float],
) -> tuple[int, int, float]:
    """Note the features of a decision that is wrong, or right by less than ``cost``.

    ``right`` is the answer.  A tally holds how many numbers have been noted, of how many decisions, and the margin of
    these.
    """
    sign = 1.0 if right else -1.0
    if sign * score > cost:
        return tally
    noted, wrong, margin = tally
    for k in range(len(features)):
        places[noted + k] = np.int32(features[k] >> shift)
        values[noted + k] = sign
    return noted + len(features), wrong + 1, margin + sign * score
