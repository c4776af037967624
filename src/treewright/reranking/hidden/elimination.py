"""Elimination orders: how to sum over the hidden values of any graph (Cowell, Dawid, Lauritzen and Spiegelhalter 1999).

Summing over the values of a unit leaves a table over the values of those that it is connected with, its *separator*,
and so connects all of these.  A unit with its separator is a clique of a *junction tree*.  Its parent there is the unit
of the separator that is eliminated first, whose own clique has the rest of the separator.  Where the graph is a tree,
and units are eliminated before their parents, each separator is the parent alone.

The *width* of an order is the size of its largest separator.  A clique of k + 1 units with five values each has 5ᵏ⁺¹
joint values, so graphs of more than a small width are refused.  The order is greedy: next comes the unit with the
fewest pairs of neighbours that it would connect.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints, Places
from treewright.kernels import inner_kernel, kernel
from treewright.reranking.hidden.tree_features import order_words

__all__ = ["MOST_UNITS", "WIDEST", "Elimination", "eliminate"]

#: The largest width, and the most units of a graph that is not a forest: each pair of them takes eight bytes.
WIDEST, MOST_UNITS = 4, 4000

#: What links two units: nothing, or a common neighbour that was eliminated; otherwise it is the number of an edge.
APART, FILLED = -2, -1


class Elimination(NamedTuple):
    """The order in which units are eliminated, from the last position to the first, and their separators."""

    order: Places  # the unit of each position; fewer than there are units if the graph is too wide
    parent: Places  # of each position: the last position of its separator; -1 if it is empty
    edge: Places  # of each position: the edge to its parent; -1 if there is none
    others: Ints  # offsets: the rest of the separator of each position
    other: Places  # positions, from the last to the first
    other_edge: Places  # the edges to these; -1 where there is none


def eliminate(n: int, edges: Places) -> Elimination:
    """Find an order for a graph of *n* units; an edge is preferably eliminated from its second unit to its first.

    No unit is connected with itself or twice with another.
    """
    found = _eliminate_forest(n, edges)
    if len(found.order) < n <= MOST_UNITS:
        found = _eliminate_greedily(n, edges)
    return found


@kernel
def _eliminate_forest(n: int, edges: Places) -> Elimination:
    """Eliminate units before the first units of their edges; the order is incomplete unless that makes a forest."""
    above, edge_above, place = np.full(n, -1, np.int32), np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    for e in range(len(edges)):
        u, v = edges[e, 0], edges[e, 1]
        above[v], edge_above[v] = (u, e) if above[v] == -1 else (n, e)  # with two units above, it is unreachable
    order = order_words(above)
    for t in range(len(order)):
        place[order[t]] = t
    parent, edge = np.empty(len(order), np.int32), np.empty(len(order), np.int32)
    for t in range(len(order)):
        u = above[order[t]]
        parent[t], edge[t] = place[u] if u >= 0 else -1, edge_above[order[t]]
    nothing = np.empty(0, np.int32)
    return Elimination(order, parent, edge, np.zeros(n + 1, np.int64), nothing, nothing)


@kernel
def _eliminate_greedily(n: int, edges: Places) -> Elimination:
    link, near, degree = _neighbours(n, edges)
    order, place = np.empty(n, np.int32), np.full(n, -1, np.int32)
    separators = np.full((n, WIDEST), -1, np.int32)
    for t in range(n - 1, -1, -1):
        unit, lowest = -1, np.inf
        for u in range(n):
            if place[u] < 0 and degree[u] <= WIDEST:
                cost = _cost(u, link, near, degree, edges)
                if cost < lowest:
                    unit, lowest = u, cost
        if unit < 0:  # all that remain have too many neighbours
            nothing = np.empty(0, np.int32)
            return Elimination(nothing, nothing, nothing, np.zeros(1, np.int64), nothing, nothing)
        order[t], place[unit] = unit, t
        for i in range(degree[unit]):
            u = near[unit, i]
            separators[t, i] = u
            _disconnect(u, unit, near, degree)
            for j in range(i):
                v = near[unit, j]
                if link[u, v] == APART:
                    link[u, v] = link[v, u] = FILLED
                    near[u, degree[u]], near[v, degree[v]] = v, u
                    degree[u] += 1
                    degree[v] += 1
    return _with_separators(order, place, separators, link)


@inner_kernel
def _neighbours(n: int, edges: Places) -> tuple[Places, Places, Ints]:
    """Return what links each two units, the neighbours of each, and how many these are."""
    link, near, degree = np.full((n, n), APART, np.int32), np.empty((n, n), np.int32), np.zeros(n, np.int64)
    for e in range(len(edges)):
        u, v = edges[e]
        link[u, v] = link[v, u] = e
        near[u, degree[u]], near[v, degree[v]] = v, u
        degree[u] += 1
        degree[v] += 1
    return link, near, degree


@inner_kernel
def _disconnect(u: int, unit: int, near: Places, degree: Ints) -> None:
    """Remove a unit from the neighbours of *u*."""
    at = 0
    while near[u, at] != unit:
        at += 1
    degree[u] -= 1
    near[u, at] = near[u, degree[u]]


@inner_kernel
def _cost(u: int, link: Places, near: Places, degree: Ints, edges: Places) -> float:
    """Count the pairs of neighbours that *u* would connect; then the edges of which it is the first unit."""
    filled, first = 0, 0
    for i in range(degree[u]):
        e = link[u, near[u, i]]
        first += e >= 0 and edges[e, 0] == u
        for j in range(i):
            filled += link[near[u, i], near[u, j]] == APART
    return filled + first / (WIDEST + 1)


@inner_kernel
def _with_separators(order: Places, place: Places, separators: Places, link: Places) -> Elimination:
    """Sort each separator from its last position to its first."""
    n = len(order)
    parent, edge, others = np.full(n, -1, np.int32), np.full(n, -1, np.int32), np.zeros(n + 1, np.int64)
    other, other_edge, end = np.empty(n * WIDEST, np.int32), np.empty(n * WIDEST, np.int32), 0
    for t in range(n):
        before = t
        for k in range(WIDEST):
            last = -1  # the last position of the separator that has not come yet
            for u in separators[t]:
                if u >= 0 and last < place[u] < before:
                    last = place[u]
            if last < 0:
                break
            before, between = last, link[order[t], order[last]]
            if k == 0:
                parent[t], edge[t] = last, between
            else:
                other[end], other_edge[end] = last, between
                end += 1
        others[t + 1] = end
    return Elimination(order, parent, edge, others, other[:end].copy(), other_edge[:end].copy())
