"""Scores of very different sizes, and what a sum over trees can still tell of them.

A score in float64 has 16 digits, so beside one of 1e16 that of another arc does not count at all.  Two cases occur:

*Masks.*  Arcs are often forbidden by a very low number, such as the lowest float, in place of minus infinity.  One mask
outweighs everything else: trees with the fewest have all the probability, and the other scores share it among them.
So masks may all be raised to one *floor* that still outweighs everything else, and nothing else changes; but
where no tree can do without a mask, this is so only if all masks are the same.

*Large scores.*  Where scores of 1e11 add up and cancel, what is left is of the order of rounding, 1e-5.  Sums are
worked out for scores up to `WIDEST` apart, which leaves at least six digits of a probability, and refused beyond.  The
entropy multiplies probabilities by scores again, and is refused where these are above `WIDEST_ENTROPY`.

The best tree, its score, and log Z, no more than n log n above that score, are correct to rounding at any size.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from treewright.arrays import Floats
from treewright.kernels import kernel

__all__ = ["WIDEST", "WIDEST_ENTROPY", "expected", "settle", "spreads"]

#: How far apart scores may be that are not masks, if probabilities are asked for.
WIDEST = 1e9

#: The same for the entropy: how far from the best tree those scores may be that are not improbable.
WIDEST_ENTROPY = 1e5

#: What is this far below the best tree is nothing beside it: exp(-1000) is below the smallest float.
NEGLIGIBLE = 1000.0


def expected(scores: Floats, probabilities: Floats) -> float:
    """Compute the expected score of a tree, from scores relative to the best; refuse large ones."""
    happens = probabilities > 0
    likely, scores = probabilities[happens], scores[happens]
    most = float(np.abs(scores).max(initial=0.0))
    if most > WIDEST_ENTROPY:
        raise ValueError(
            f"scores that differ by {most:.3g} are too far apart for the entropy (at most {WIDEST_ENTROPY:.0e}): "
            "divide them all by a number, and forbid parts with minus infinity"
        )
    return math.fsum(likely * scores)


@kernel
def spreads(arcs: Floats) -> Floats:
    """Compute how far apart the scores of each of many problems are, but for forbidden ones."""
    found = np.empty(len(arcs))
    for problem in range(len(arcs)):
        lowest, highest = np.inf, -np.inf
        for h in range(arcs.shape[1]):
            for m in range(1, arcs.shape[1]):
                score = arcs[problem, h, m]
                if h != m and score > -np.inf:
                    lowest, highest = min(lowest, score), max(highest, score)
        found[problem] = highest - lowest
    return found


def settle(scores: Floats, most: int, best: Callable[[Floats], float], check: bool) -> tuple[Floats, float]:
    """Prepare scores that are further apart than `WIDEST` for sums: raise masks to a floor, forbid what is in no tree.

    Let the scores that are no masks be at most a and at least b, or zero if that is more or less.  A tree has ``most``
    parts or fewer.  So without masks it scores at least most · b, and with one, c, no more than most · a + c, which is
    nothing beside it if c < most · (b - a) - 1000.

    Parameters
    ----------
    best : function
        Returns what the best tree scores, minus infinity if there is none.
    check : bool
        Whether to refuse scores that no sum can tell apart, or to return them as they are.

    Returns
    -------
    scores, constant
        What to sum over, and what to add to log Z.
    """
    top = best(scores)
    if top == -np.inf:
        return scores, 0.0
    with np.errstate(over="ignore"):
        scores = np.where(scores > top - most * min(0.0, scores[scores > -np.inf].min()), -np.inf, scores)
        distinct = np.unique(scores[scores > -np.inf])[::-1]
        floors = most * (np.minimum(distinct, 0.0) - max(distinct[0], 0.0)) - NEGLIGIBLE
    gaps = np.flatnonzero(distinct[1:] < floors[:-1])
    last = int(gaps[0]) if len(gaps) else len(distinct) - 1  # the lowest that is no mask
    lowest, highest, masks = float(distinct[last]), float(distinct[0]), len(distinct) - last - 1
    raised = np.where((scores > -np.inf) & (scores < lowest), floors[last], scores)
    score = best(raised)
    needs_masks = score < most * min(0.0, lowest) - 0.5 * NEGLIGIBLE
    if highest - lowest <= WIDEST and not (needs_masks and masks > 1):
        return raised, top - score
    if check:
        raise ValueError(
            f"scores from {lowest:.3g} to {highest:.3g} are too far apart for probabilities (at most {WIDEST:.0e}, "
            "beside one value for masks): divide them all by a number, and forbid parts with minus infinity"
        )
    return scores, 0.0
