"""A walk back over a chart that lists a forest: the alternatives that the best derivations are made of.

The chart is one of best scores.  The *loss* of a derivation is how far it scores below the best, and that of an item or
an alternative is the least of a derivation with it; walking back finds them from zero at the goal.  ``adjoint`` holds
the losses of items (infinite at first), and ``part_adjoint`` the list: the number of rows, the largest loss of
an item that is visited, the largest loss of an alternative that is listed, and then the rows (item, a, b, p, loss).  An
item that was visited has -1 - r in place of its loss, where r is the first of its rows; those that do not fit are
only counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.inference.charts.k_best import Forest
from treewright.inference.charts.walks import Chart, Function, Walk, jitable, terms
from treewright.kernels import exact_kernel, kernel

__all__ = ["LISTING", "Listed", "as_forest", "lister"]

#: Numbers of one alternative in the list, and numbers before the first.
LISTED, BEFORE_LISTED = 5, 3

#: A sum of three scores, and the same sum as the chart has it, differ by no more than this times their sizes.
ROUNDING = 1e-15


@jitable
def _loses_too_much(c: Chart, t: int, copy: int) -> Any:
    return min(c.adjoint[t], c.adjoint[copy]) > c.part_adjoint[1]


@jitable
def _begin_listing(c: Chart, t: int, copy: int) -> Any:
    return min(c.adjoint[t], c.adjoint[copy]), c.value[t], t, c.part_adjoint[0]


@jitable
def _finish_listing(c: Chart, state: Any, t: int, copy: int) -> None:
    # Without a branch, for the reason given in `treewright.inference.charts.backward`.
    least, _, _, first = state
    is_listed = c.part_adjoint[0] > first  # or it has no alternatives here, and keeps its loss
    c.adjoint[t] = c.adjoint[copy] = (-1.0 - first) * is_listed + least * (1 - is_listed)


def _listing(has_b: bool, has_p: bool) -> Function:
    term = terms(has_b, has_p)

    @jitable
    def visit(c: Chart, state: Any, a: int, b: int, p: int, length: int) -> Any:
        least, value, t, _ = state
        visited, listed = c.part_adjoint[1], c.part_adjoint[2]
        for k in range(length):
            behind = value - term(c, a, b, p, k)
            if behind == np.inf:
                continue
            size = abs(c.value[a + k])
            if has_b:
                size += abs(c.value[b + k])
            if has_p:
                size += abs(c.part[p + k])
            loss = least + max(0.0, behind - ROUNDING * size)
            if loss <= visited:
                c.adjoint[a + k] = min(c.adjoint[a + k], loss)
                if has_b:
                    c.adjoint[b + k] = min(c.adjoint[b + k], loss)
            if loss <= listed:
                place = BEFORE_LISTED + LISTED * int(c.part_adjoint[0])
                c.part_adjoint[0] += 1
                if place + LISTED <= len(c.part_adjoint):
                    c.part_adjoint[place] = t
                    c.part_adjoint[place + 1] = a + k
                    c.part_adjoint[place + 2] = b + k if has_b else -1
                    c.part_adjoint[place + 3] = p + k if has_p else -1
                    c.part_adjoint[place + 4] = loss
        return state

    return visit


LISTING = Walk.of(False, _loses_too_much, _begin_listing, _listing, _finish_listing)


#: Rows that a list has space for at first.
CAPACITY = 1 << 14

#: A loss that no derivation has, and what losses may differ by from rounding, in shares of the best score.
EVERYTHING, TOLERANCE = np.finfo(np.float64).max, 1e-9


def lister(walk_back: Function) -> Callable[..., Floats]:
    """Make the function ``(value, adjoint, part, goal, k, shape) -> rows`` from a `LISTING` of a program.

    The rows are those of at least the k best derivations, or of all if they are fewer.  The first walk visits only what
    loses nothing, and lists all alternatives there.  All but one for each item are not the first choice;
    each is the last such choice in a derivation of its own, which loses as much.  So the k-th best derivation loses no
    more than the (k - 1)-th smallest of these losses, and up to there the second walk lists everything.
    """

    def run(value: Floats, adjoint: Floats, part: Floats, goal: int, rows: Floats, shape: Any) -> None:
        adjoint[:] = np.inf
        adjoint[goal] = 0.0
        walk_back(Chart(value, adjoint, part, rows, None), *shape)

    walk = kernel(run)

    def list_rows(value: Floats, adjoint: Floats, part: Floats, goal: int, k: int, shape: Any) -> Floats:
        def rows_of(visited: float, listed: float, capacity: int = CAPACITY) -> Floats:
            rows = np.empty(BEFORE_LISTED + LISTED * capacity)
            rows[:BEFORE_LISTED] = 0.0, visited, listed
            walk(value, adjoint, part, goal, rows, shape)
            count = int(rows[0])
            if count > capacity:
                return rows_of(visited, listed, 2 * count)
            return rows[BEFORE_LISTED : BEFORE_LISTED + LISTED * count].reshape(-1, LISTED)

        most = _limit(rows_of(0.0, EVERYTHING), k) + TOLERANCE * (1.0 + abs(value[goal]))
        return rows_of(most, most)

    return list_rows


def _limit(rows: Floats, k: int) -> float:
    """Bound what the k-th best derivation loses by what alternatives in a best one do."""
    items = rows[:, 0]
    others = k - 1 + np.count_nonzero(items[1:] != items[:-1])
    return float(np.partition(rows[:, 4], others)[others]) if others < len(rows) else EVERYTHING


class Listed(NamedTuple):
    """The forest of a list, with the place in the chart of each item, and the part of each alternative, or -1."""

    starts: Ints
    tails: Ints
    weights: Floats
    scores: Floats
    places: Ints
    parts: Ints

    def forest(self, adds: Ints) -> Forest:
        """Return the forest, and say what its alternatives add to derivations."""
        return Forest(self.starts, self.tails, self.weights, self.scores, adds)


@exact_kernel
def as_forest(value: Floats, adjoint: Floats, part: Floats, rows: Floats) -> Listed:
    """Make a forest of a list: its items get numbers, from the goal down."""
    count, items = len(rows), 0
    numbers, starts, tails = np.empty(count, np.int64), np.empty(count + 1, np.int64), np.full((count, 2), -1, np.int64)
    places, parts = rows[:, 0].astype(np.int64), rows[:, 3].astype(np.int64)
    weights, scores = np.empty(count), np.empty(count)
    for r in range(count):
        if r == 0 or places[r] != places[r - 1]:
            starts[items] = r
            items += 1
        numbers[r] = items - 1
    starts[items] = count
    for r in range(count):
        weights[r] = part[parts[r]] if parts[r] >= 0 else 0.0
        score = 0.0
        for side in range(2):
            tail = int(rows[r, 1 + side])
            if tail >= 0:
                score += value[tail]
                if adjoint[tail] < 0.0:  # other tails are empty
                    tails[r, side] = numbers[int(-1.0 - adjoint[tail])]
        scores[r] = weights[r] + score
    return Listed(starts[: items + 1], tails, weights, scores, places, parts)
