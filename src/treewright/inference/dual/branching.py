"""Branch and bound on arcs: the best tree, where automata and trees cannot be brought to agree.

When dual decomposition ends without a certificate, its relaxation is not tight: some arcs are still in doubt.
Each of them is in the best tree or is not.  So the trees fall into two sets, those with the arc that is most in doubt
and those without; both are problems of the same kind with fewer arcs (an arc is required by forbidding
all others into its word), and the multipliers of the whole problem are a good start for either.  The least L of a set
bounds its trees.  The set with the greatest bound is split next (Land & Doig 1960); a set whose bound is not above the
best tree so far is done with.  A set of one tree leaves nothing in doubt, so the search ends.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats
from treewright.inference.arcs import Arcs
from treewright.inference.dual.iteration import Multipliers
from treewright.inference.dual.subgradient import BOUND, OPEN

__all__ = ["Outcome", "split"]


#: Iterations for a set that has been split off.
ITERATIONS = 50


class Outcome(NamedTuple):
    """How a search by dual decomposition ended: see `treewright.inference.dual.subgradient.search`."""

    heads: npt.NDArray[np.int32]
    primal: float
    bound: float
    iterations: int
    ending: int
    multipliers: Multipliers
    doubts: npt.NDArray[np.int64]  # for each arc, how often its rarer answer was given: in y, z or z↑, or not


#: Search with these arc scores, from these multipliers, for trees above a floor, in at most that many iterations.
Search = Callable[[Floats, Multipliers, float, int], Outcome]


def split(search: Search, x: Arcs, arc: Floats, whole: Outcome, max_nodes: int, deadline: float) -> Outcome:
    """Find the best tree, given how the search over all trees ended.

    If all is done, ``ending`` is `BOUND`, and there is no tree if ``primal`` is minus infinity; otherwise it is `OPEN`.
    """
    best, iterations, order = whole, whole.iterations, itertools.count()
    open_sets = [(-whole.bound, next(order), arc, whole)]
    for node in itertools.count(1):
        if not open_sets or -open_sets[0][0] <= best.primal:
            return best._replace(bound=best.primal, iterations=iterations, ending=BOUND)
        if node > max_nodes or time.monotonic() > deadline:
            return best._replace(bound=-open_sets[0][0], iterations=iterations, ending=OPEN)
        _, _, arcs, outcome = heapq.heappop(open_sets)
        for scores in _halves(x, arcs, outcome):
            start = Multipliers(outcome.multipliers.u.copy(), outcome.multipliers.v.copy())
            found = search(scores, start, best.primal, ITERATIONS)
            iterations += found.iterations
            if found.primal > best.primal:
                best = found
            if found.ending == OPEN:
                bound = min(found.bound, outcome.bound)
                heapq.heappush(open_sets, (-bound, next(order), scores, found._replace(bound=bound)))
    raise AssertionError("unreachable")


def _halves(x: Arcs, arc: Floats, outcome: Outcome) -> tuple[Floats, Floats]:
    """Forbid the arc that is most in doubt, and require it."""
    chosen = int(outcome.doubts.argmax())
    others = x.above[x.above_start[x.modifiers[chosen]] : x.above_start[x.modifiers[chosen] + 1]]
    without, with_it = arc.copy(), arc.copy()
    without[chosen] = -np.inf
    with_it[others[others != chosen]] = -np.inf
    return without, with_it
