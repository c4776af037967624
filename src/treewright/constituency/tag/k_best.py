"""The k best derivations: a forest of all that score no less than a bound, ranked lazily.

Nobody knows the score of the k-th best derivation beforehand.  So the bound starts close below the best score and is
lowered, each time twice as far, until k derivations are above it: these are the k best.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treewright.arrays import Floats
from treewright.constituency.tag import search
from treewright.constituency.tag.links import Joins
from treewright.constituency.tag.space import Space
from treewright.inference.charts.lazy import Edge, LazyDerivations

__all__ = ["best_first"]


#: How far below the best score, in shares of the spread of part scores, the first bound is.
FIRST = 4.0


class _Forest:
    """A list of alternatives, by item."""

    def __init__(self, space: Space, listed: search.Listed, parts: Floats) -> None:
        self.goal = space.layout.goal
        self._value, self._part = listed.values, parts
        order = np.argsort(listed.rows[:, 0], kind="stable")
        self._rows = listed.rows[order]
        items, starts = np.unique(self._rows[:, 0], return_index=True)
        ends = np.append(starts[1:], len(order))
        self._ranges = dict(zip(items.tolist(), zip(starts.tolist(), ends.tolist(), strict=True), strict=True))
        self._joins = search.places_of_joins(space)

    def edges(self, item: int, limit: int | None = None) -> list[Edge]:
        """List the steps into an item; an item that nothing leads into has one, of nothing."""
        if item not in self._ranges:
            return [Edge(float(self._value[item]), float(self._value[item]), ())]
        start, end = self._ranges[item]
        chain = (item - self._joins.start,) if item in self._joins else ()
        edges = []
        for _, a, b, p in self._rows[start:end].tolist():
            tails = tuple(tail for tail in (a, b) if tail >= 0)
            weight = float(self._part[p]) if p >= 0 else 0.0
            edges.append(Edge(weight + sum(float(self._value[tail]) for tail in tails), weight, tails, chain))
        return edges


def best_first(space: Space, parts: Floats) -> Iterator[tuple[float, Joins]]:
    """Give all derivations of a space with their scores, the best first."""
    lowest, given, done = FIRST * float(np.std(parts)) + 1.0, 0, False
    while not done:
        listed = search.alternatives(space, parts, lowest)
        if listed is None:
            return
        bound = listed.best - lowest
        for number, (score, chains) in enumerate(LazyDerivations(_Forest(space, listed, parts))):
            if score < bound:
                break
            if number >= given:
                given += 1
                yield score, search.joins_of(space, np.array([join for [join] in chains], np.int64))
        else:
            done = listed.is_all
        lowest *= 2
