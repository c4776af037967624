"""Dual decomposition: automata and trees brought to agree by the subgradient method, in one kernel.

Figures 1 and 2 of Koo et al. (2010).  The score of a tree y is h(y) + f(y), where h has a share γ of the arc scores
(0.001: appendix A.2), so that trees are not chosen at random while all multipliers are zero, and f has all the rest,
the automata's.  If automata choose z (the modifiers of each word) and z↑ (its head) by themselves, then for any
multipliers u and v

    L(u, v) = max_y [h(y) + Σ (u + v) y] + Σ_i max_{z|i} [f_i(z|i) - Σ u z - Σ v z↑]

is at least the score of any tree; and where y = z = z↑, y is the best tree (Theorem 1).  Each iteration finds y, z and
z↑, and then moves u by α (z - y) and v by α (z↑ - y).  The step α is δ / (1 + the number of times that L increased),
where δ is what L exceeds the score of y by in the first iteration (appendix A.1).

- *Lazy decoding* (7.4): only the automata whose multipliers have changed are decoded again.
- A word to which one arc is left must be taken by its head.  Leaving that to the multipliers would find it, too, later.
- The search also ends when the least L so far is the score of the best y so far, for then that y is the best tree.
- *Aimed steps* (Polyak 1969) are a faster choice of α: as long as would bring L down to the score of the best y so far
  if it kept its slope, that is, the difference over the number of disagreements; RELAXATION times that at first, and
  less each time that L has hardly become less for a while, until the steps are too small to matter.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Heads, Ints
from treewright.inference.arcs import Arcs
from treewright.inference.charts import eisner
from treewright.inference.charts.backward import BEST
from treewright.inference.charts.forward import MAXIMUM
from treewright.inference.charts.walks import Chart, allocating
from treewright.inference.dual.automata import Automata
from treewright.inference.dual.iteration import Multipliers, begin, count_quarrels, move, score_arcs, score_choices
from treewright.inference.spanning.arborescence import arborescence
from treewright.kernels import copy, kernel

__all__ = [
    "AGREEMENT",
    "BELOW",
    "BOUND",
    "IMPOSSIBLE",
    "OPEN",
    "ROUNDING",
    "TINY",
    "History",
    "make_chart",
    "search",
    "tree_search",
]


#: How a search ends: not at all; y = z; the bound is reached; it is not above ``floor``; no tree is possible.
OPEN, AGREEMENT, BOUND, BELOW, IMPOSSIBLE = range(5)

#: The relative size of rounding errors in the sum of all scores.
ROUNDING = 2e-14

#: Scores below this are masks, which say nothing about the size of scores.
MASK = -1e30

#: Aimed steps: how far at first, and times what after how many iterations in which L came no nearer to the best y, by
#: this share of the difference.
RELAXATION, SHRINKAGE, PATIENCE, GAIN = 1.5, 0.7, 20, 0.01

#: Where aimed steps end: this share of the first.
TINY = 1e-4


#: Heads and choices of many iterations, a row for each.
AllHeads: TypeAlias = npt.NDArray[np.int32]
AllChosen: TypeAlias = npt.NDArray[np.bool_]


class History(NamedTuple):
    """What happened in each iteration; arrays of length 0 record nothing."""

    # L, and the score of y.
    dual: Floats
    primal: Floats
    recomputed: Ints  # how many automata were decoded
    # (iterations, n+1) and (iterations, A): the heads of y, and which arcs z has.
    trees: AllHeads
    chosen: AllChosen
    # (A + 1,): how many y, z and z↑ had each arc, and how many there were; the last ones count most.
    uses: Ints


@allocating
def _arborescence(weights: Floats, single_root: bool, chart: Chart, heads: Heads) -> None:
    """Find y.  Not a closure, because that would close over a kernel: see `allocating`."""
    copy(arborescence(weights, single_root), heads)


def tree_search(projective: bool) -> Callable[..., Any]:
    """Make the search for y under dense arc scores: an arborescence, or Eisner's algorithm (7.7)."""
    if not projective:
        return _arborescence
    fill, walk_back = eisner.program(MAXIMUM), eisner.program(BEST)

    @allocating
    def find(weights: Floats, single_root: bool, chart: Chart, heads: Heads) -> None:
        n, size = len(weights) - 1, len(weights)
        shape = eisner.spans(n)
        c = Chart(chart.value, chart.adjoint, weights.reshape(-1), chart.part_adjoint, None)
        for i in range(size):
            c.value[i * (size + 1)] = c.value[size * size + i * (size + 1)] = 0.0
        fill(c, shape, single_root)
        heads[:] = -1
        if c.value[n] > -np.inf:
            c.adjoint[:] = 0.0
            c.adjoint[n] = 1.0
            c.part_adjoint[0] = 0.0
            walk_back(c, shape, single_root)
            for k in range(1, int(c.part_adjoint[0]) + 1):
                arc = int(c.part_adjoint[k])
                heads[arc % size] = arc // size

    return find


@allocating
def make_chart(size: int) -> Chart:
    """Make the chart of Eisner's algorithm."""
    cells = 4 * size * size
    return Chart(np.empty(cells), np.empty(cells), np.empty(0), np.empty(size), None)


@functools.cache
def search(automata: Automata, projective: bool) -> Callable[..., tuple[float, float, int, int]]:
    """Make the kernel that runs the method for some automata.

    It returns the score of the best y (minus infinity where none was possible), the least L, the number of iterations,
    and how it ended.
    """
    find_tree, choose_heads = tree_search(projective), automata.choose_heads
    make_scratch, decode, score = automata.scratch, automata.decode, automata.score

    def run(
        x: Arcs,
        arc: Floats,
        data: Any,  # the scores of the automata
        single_root: bool,
        gamma: float,  # the share of the arc scores that trees have
        aimed: bool,  # whether steps are aimed, or those of appendix A.1
        tiny: float,  # aimed steps end when they are this short
        limit: int,  # the most iterations
        floor: float,  # trees that score no more do not count: the search ends once L shows that there are no others
        multipliers: Multipliers,
        history: History,
        heads: Heads,  # where to write the best tree
    ) -> tuple[float, float, int, int]:
        w = begin(x, arc, single_root, gamma, multipliers)
        scratch, chart = make_scratch(x, data), make_chart(x.n + 1 if projective else 0)
        primal, bound, before, step, rises = -np.inf, np.inf, np.inf, 0.0, 0
        relaxation, stale, mark = RELAXATION, 0, np.inf
        for k in range(limit):
            find_tree(w.weights, single_root, chart, w.tree)  # y
            if w.tree[1] < 0:
                return primal, -np.inf, k + 1, IMPOSSIBLE
            dual, total = score_arcs(x, arc, w)
            total += score(x, data, w.tree, w.y)
            decode(x, data, w.wishes, w.choices, scratch)  # z and z↑
            dual, size, recomputed = score_choices(dual, w.choices)
            if dual == -np.inf:
                return primal, -np.inf, k + 1, IMPOSSIBLE
            if len(history.dual):
                history.dual[k], history.primal[k], history.recomputed[k] = max(dual, floor), total, recomputed
            if k < len(history.trees):
                copy(w.tree, history.trees[k])
                copy(w.choices.taken, history.chosen[k])
            distance = count_quarrels(w, choose_heads, history.uses)
            stale += 1
            if dual < bound:
                bound = dual
                if mark - bound >= GAIN * (mark - max(primal, floor)):
                    mark, stale = bound, 0
                copy(w.u, multipliers.u)
                copy(w.v, multipliers.v)
            if total > primal or distance == 0:
                primal = total
                copy(w.tree, heads)
            if distance == 0:
                return primal, primal, k + 1, AGREEMENT
            if bound - primal <= ROUNDING * size:
                return primal, primal, k + 1, BOUND
            if bound - floor <= ROUNDING * size:
                return primal, bound, k + 1, BELOW
            rises += dual > before
            before = dual
            if step == 0.0:
                step = bound - primal if primal > MASK else min(max(1.0, abs(bound) / (x.n + 1)), 1e6)
            alpha = step / (1.0 + rises)
            if aimed and max(primal, floor) > MASK:
                if stale >= PATIENCE:
                    relaxation, stale = relaxation * SHRINKAGE, 0
                    if relaxation < tiny:
                        return primal, bound, k + 1, OPEN
                    for a in range(len(history.uses)):
                        history.uses[a] //= 2
                alpha = relaxation * (dual - max(primal, floor)) / distance
            move(x, arc, w, choose_heads, gamma, alpha)
        return primal, bound, limit, OPEN

    return kernel(run)
