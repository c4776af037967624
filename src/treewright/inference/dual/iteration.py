"""The pieces of an iteration of dual decomposition: what is chosen, where choices disagree, how multipliers move.

See `treewright.inference.dual.subgradient`, whose kernel calls them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Floats, Heads, Ints, Mask
from treewright.inference.arcs import Arcs
from treewright.inference.charts.walks import allocating
from treewright.inference.dual.automata import Choices, Wishes, no_choices

__all__ = ["Iteration", "Multipliers", "begin", "count_quarrels", "move", "score_arcs", "score_choices"]


class Multipliers(NamedTuple):
    """Lagrange multipliers, for each arc: where to begin, and after the search those of the least L."""

    u: Floats
    v: Floats


class Iteration(NamedTuple):
    """What an iteration works on: multipliers, the scores that follow from them, and the choices."""

    # The multipliers.
    u: Floats
    v: Floats
    weights: Floats  # (n+1, n+1): the arc scores under which y is the best tree
    wishes: Wishes  # the arc scores under which z and z↑ are the best choices of the automata
    # The tree y: its heads, the arc into each word, and whether it has each arc.
    tree: Heads
    own: Ints
    y: Mask
    choices: Choices  # z and z↑


@allocating
def _required(x: Arcs, arc: Floats) -> Any:
    """Find the arcs that are all that is left to a word."""
    required = np.zeros(len(arc), np.bool_)
    for m in range(1, x.n + 1):
        left, only = 0, 0
        for k in range(x.above_start[m], x.above_start[m + 1]):
            if arc[x.above[k]] > -np.inf:
                left, only = left + 1, x.above[k]
        if left == 1:
            required[only] = True
    return required


@allocating
def begin(x: Arcs, arc: Floats, single_root: bool, gamma: float, start: Multipliers) -> Any:
    """Compute all scores from the multipliers to start from, and let every word choose."""
    n, arcs, u, v = x.n, len(arc), start.u.copy(), start.v.copy()
    weights, gain, above_gain = np.full((n + 1, n + 1), -np.inf), np.empty(arcs), np.zeros(arcs + 1)
    for a in range(arcs):
        weights[x.heads[a], x.modifiers[a]] = gamma * arc[a] + u[a] + v[a]
        gain[a] = (1.0 - gamma) * arc[a] - u[a]
        above_gain[a] = -v[a] if arc[a] > -np.inf else -np.inf
    wishes = Wishes(gain, above_gain, _required(x, arc), single_root)
    tree, own, y = np.full(n + 1, -1, np.int32), np.full(n + 1, arcs, np.int64), np.zeros(arcs, np.bool_)
    return Iteration(u, v, weights, wishes, tree, own, y, no_choices(n, arcs))


@allocating
def score_arcs(x: Arcs, arc: Floats, w: Iteration) -> Any:
    """List the arcs of y; return its score under the weights, and the sum of its arc scores."""
    dual, total = 0.0, 0.0
    w.y[:] = False
    for m in range(1, x.n + 1):
        a = x.number[w.tree[m], m]
        w.own[m], w.y[a] = a, True
        dual += w.weights[w.tree[m], m]
        total += arc[a]
    return dual, total


@allocating
def score_choices(dual: float, choices: Choices) -> Any:
    """Add the scores of the choices to that of y: L, the size of the sum, and how many automata were decoded."""
    size, recomputed = abs(dual), 0
    for h in range(len(choices.value)):
        recomputed += choices.changed[h] > 0
        choices.changed[h] = 0
        dual += choices.value[h]
        size += abs(choices.value[h])
    return dual, size, recomputed


@allocating
def count_quarrels(w: Iteration, choose_heads: bool, uses: Ints) -> Any:
    """Count the arcs about which y, z and z↑ do not agree, and how often each arc is chosen."""
    distance, z, above = 0, w.choices.taken, w.choices.above
    for a in range(len(z)):
        uses[a] += int(w.y[a]) + int(z[a])
        distance += w.y[a] != z[a]
    uses[len(z)] += 2 + choose_heads
    if choose_heads:
        for m in range(1, len(above)):
            uses[above[m]] += 1
            if above[m] != w.own[m]:
                distance += 2
    return distance


@allocating
def move(x: Arcs, arc: Floats, w: Iteration, choose_heads: bool, gamma: float, alpha: float) -> None:
    """Move u by α (z - y) and v by α (z↑ - y)."""
    u, v, z, above, changed = w.u, w.v, w.choices.taken, w.choices.above, w.choices.changed
    for a in range(len(arc)):
        if w.y[a] != z[a]:
            u[a] += alpha if z[a] else -alpha
            w.wishes.gain[a] = (1.0 - gamma) * arc[a] - u[a]
            w.weights[x.heads[a], x.modifiers[a]] = gamma * arc[a] + u[a] + v[a]
            changed[x.heads[a]] = 2
    if choose_heads:
        for m in range(1, x.n + 1):
            if above[m] != w.own[m]:
                v[above[m]] += alpha
                v[w.own[m]] -= alpha
                changed[m] = max(changed[m], 1)
                for a in (above[m], w.own[m]):
                    w.wishes.above_gain[a] = -v[a]
                    w.weights[x.heads[a], m] = gamma * arc[a] + u[a] + v[a]
