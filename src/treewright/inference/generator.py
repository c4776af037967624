"""Random numbers for kernels: a generator whose whole state is one number that the caller holds.

Numba's own generator is one for each thread, shared by all that runs there.  This one, SplitMix64 of Steele, Lea
& Flood (2014), passes the usual batteries of tests and lets each call of a sampler start from its own seed: the
same seed gives the same samples, whatever else is sampled and on whichever thread.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewright.kernels import subroutine

__all__ = ["State", "choose", "start", "uniform"]

State = npt.NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@subroutine()
def _mix(bits: np.uint64) -> np.uint64:
    """Let every bit depend on all others."""
    bits = (bits ^ (bits >> np.uint64(30))) * _FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * _SECOND
    return bits ^ (bits >> np.uint64(31))


@subroutine()
def start(seed: int) -> State:
    """Make the state for a seed; seeds that are close together give unrelated numbers."""
    state = np.empty(1, np.uint64)
    state[0] = _mix(np.uint64(seed) + _STEP)
    return state


@subroutine()
def uniform(state: State) -> float:
    """Draw a number from 0, inclusive, to 1, exclusive."""
    state[0] += _STEP
    return np.float64(_mix(state[0]) >> np.uint64(11)) * 2.0**-53


@subroutine()
def choose(cumulative: npt.NDArray[np.float64], state: State) -> int:
    """Draw an index, given the running sum of weights; the last of them, the total, is positive.

    What has no weight is never drawn: the first running sum above a number below the total is one that grew.
    """
    point = uniform(state) * cumulative[-1]
    low, high = 0, cumulative.size - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > point:
            high = middle
        else:
            low = middle + 1
    return low
