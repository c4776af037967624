"""What every question needs to know about the shape of a problem, whatever the program."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.inference.maximum import larger
from treewright.kernels import kernel

__all__ = ["Frame", "runs_of", "shift_runs"]


class Frame(NamedTuple):
    """The size of a chart, and what its parts stand for."""

    n: int  # the number of words
    # The number of items in the chart, and the item that is the whole tree.
    size: int
    goal: int
    ones: Ints  # the items that are empty
    # The arc that each of the first parts stands for; in every tree, each word is the modifier of exactly one of them.
    # ``heads`` has one more entry, -1, for words without a part.
    heads: Ints
    modifiers: Ints
    runs: Ints  # where runs of first parts with the same modifier begin, and where the last ends


@kernel
def runs_of(modifiers: Ints) -> Ints:
    """Find where runs of the same modifier begin, and where the last ends."""
    runs, count = np.zeros(len(modifiers) + 1, np.int64), min(1, len(modifiers))
    for p in range(1, len(modifiers)):
        runs[count] = p
        count += modifiers[p] != modifiers[p - 1]
    runs[count] = len(modifiers)
    return runs[: count + 1].copy()


@kernel
def shift_runs(parts: Floats, frame: Frame, shifted: Floats) -> tuple[Floats, Floats]:
    """Subtract from the first parts of each word their maximum; return the sum of maxima and the largest other part."""
    runs, modifiers = frame.runs, frame.modifiers
    shifts, others = np.zeros(len(parts)), np.full(len(parts), -np.inf)
    largest = np.empty(frame.n + 1)
    for problem in range(len(parts)):
        part, below = parts[problem], shifted[problem]
        largest[:] = -np.inf
        for run in range(len(runs) - 1):
            most, m = -np.inf, modifiers[runs[run]]
            for k in range(runs[run + 1] - runs[run]):
                most = larger(most, part[np.uintp(runs[run] + k)])
            largest[m] = larger(largest[m], most)
        for m in range(1, frame.n + 1):
            shifts[problem] += largest[m]
        for run in range(len(runs) - 1):
            most = largest[modifiers[runs[run]]]
            most = most if most > -np.inf else 0.0
            for k in range(runs[run + 1] - runs[run]):
                below[np.uintp(runs[run] + k)] = part[np.uintp(runs[run] + k)] - most
        for p in range(len(modifiers), len(part)):
            below[p] = part[p]
            others[problem] = larger(others[problem], part[p])
    return shifts, others
