"""A tighter relaxation: the tree and the automata agree about the arcs that are in doubt.

Where dual decomposition stalls, its relaxation is not tight.  In half of a fractional solution, say, a head takes two
words, and in the other half neither; another head takes the first word in one half and the second in the other.  Every
word has one head on average, and yet no mixture of trees looks like that.  Such solutions are about few arcs.  As
Sontag et al. (2008) do for graphical models, tighten the relaxation by a cluster of them: a *configuration* c says of
each arc whether it is in the tree, and y, z and z↑ must have the same one.  For any multipliers

    L(u, v | c) = max_{y ∈ c} [h(y) + Σ (u + v) y] + Σ_i max_{z|i ∈ c} [f_i(z|i) - Σ u z - Σ v z↑]

bounds the trees that have c, every tree has some c, and max_c L(u, v | c) ≤ L(u, v).  Configurations whose bound is not
above the best tree so far are out.  If none is left, that tree is the best one.  What all others say of an arc is
settled; that leaves a smaller problem, with which the subgradient method goes on until it stalls again.

Configurations grow arc by arc, and those that are out are not continued, so that few have to be tried.  Multipliers are
not adapted to each of them: that would be branching (`treewright.inference.dual.branching`).
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from treewright.arrays import Floats, Heads, Ints
from treewright.inference.arcs import Arcs
from treewright.inference.charts.walks import allocating
from treewright.inference.dual.automata import Automata, Choices, Flags, no_choices
from treewright.inference.dual.branching import Outcome
from treewright.inference.dual.iteration import Iteration, Multipliers, begin, score_arcs, score_choices
from treewright.inference.dual.subgradient import BELOW, BOUND, OPEN, ROUNDING, History, make_chart, tree_search
from treewright.kernels import copy, kernel

__all__ = ["STALL", "probe", "tighten"]


#: What a configuration says of an arc: nothing yet, it is not in the tree, or it is.
UNKNOWN, OUT, IN = -1, 0, 1

#: The steps at which a search is taken to have stalled at first; how much finer they become when nothing was settled.
STALL, FINER = 0.8, 0.5

#: So many rounds in which nothing was settled are enough.
TRIES = 4

#: Rounds, arcs in doubt that are looked at, configurations at first and at most (they double when nothing was settled).
ROUNDS, ARCS, FEWEST, MOST = 12, 16, 32, 512


@allocating
def _forbid(x: Arcs, w: Iteration, choose_heads: bool, a: int) -> None:
    """Forbid an arc; only automata that had chosen it have to choose again."""
    w.weights[x.heads[a], x.modifiers[a]] = w.wishes.gain[a] = w.wishes.above_gain[a] = -np.inf
    if w.choices.taken[a]:
        w.choices.changed[x.heads[a]] = 2
    if choose_heads and w.choices.above[x.modifiers[a]] == a:
        w.choices.changed[x.modifiers[a]] = 2


@allocating
def _apply(x: Arcs, w: Iteration, choose_heads: bool, arcs: Ints, says: Flags) -> None:
    """Ask for a configuration."""
    for k in range(len(arcs)):
        a, m = arcs[k], x.modifiers[arcs[k]]
        if says[k] == OUT:
            _forbid(x, w, choose_heads, a)
        elif says[k] == IN:
            w.wishes.required[a] = True
            if not w.choices.taken[a]:
                w.choices.changed[x.heads[a]] = 2
            for i in range(x.above_start[m], x.above_start[m + 1]):
                if x.above[i] != a:
                    _forbid(x, w, choose_heads, x.above[i])


@allocating
def _release(x: Arcs, arc: Floats, w: Iteration, gamma: float, arcs: Ints) -> None:
    """Undo what `_apply` did to the scores; arcs in doubt are never all that is left to a word."""
    for k in range(len(arcs)):
        m = x.modifiers[arcs[k]]
        w.wishes.required[arcs[k]] = False
        for i in range(x.above_start[m], x.above_start[m + 1]):
            a = x.above[i]
            w.weights[x.heads[a], m] = gamma * arc[a] + w.u[a] + w.v[a]
            w.wishes.gain[a] = (1.0 - gamma) * arc[a] - w.u[a]
            w.wishes.above_gain[a] = -w.v[a] if arc[a] > -np.inf else -np.inf


@allocating
def _copy_choices(source: Choices, target: Choices) -> None:
    copy(source.taken, target.taken)
    copy(source.value, target.value)
    copy(source.above, target.above)


@functools.cache
def probe(automata: Automata, projective: bool) -> Callable[..., tuple[Flags, float]]:
    """Make the kernel that finds the configurations that are not out, and the score of the best tree seen."""
    find_tree, choose_heads = tree_search(projective), automata.choose_heads
    make_scratch, decode, score = automata.scratch, automata.decode, automata.score

    def run(
        x: Arcs,
        arc: Floats,
        data: Any,  # the scores of the automata
        single_root: bool,
        gamma: float,
        multipliers: Multipliers,
        primal: float,  # the score of the best tree so far
        heads: Heads,  # where to write a better one
        arcs: Ints,  # the arcs in doubt
        most: int,  # configurations; an arc that would make more is left open
    ) -> tuple[Flags, float]:
        w, free = begin(x, arc, single_root, gamma, multipliers), no_choices(x.n, len(arc))
        scratch, chart = make_scratch(x, data), make_chart(x.n + 1 if projective else 0)
        left, tried = np.full((2 * most, len(arcs)), UNKNOWN, np.int8), np.full((most, len(arcs)), UNKNOWN, np.int8)
        trees, values, alive = np.full((3 * most, x.n + 1), -1, np.int32), np.full(3 * most, np.inf), 1
        for k in range(-1, len(arcs)):  # first without a configuration
            if alive > most:
                break
            for i in range(alive):
                copy(left[i], tried[i])
                copy(trees[i], trees[2 * most + i])
                values[2 * most + i] = values[i]
            before, alive = alive, 0
            for i in range(2 * before if k >= 0 else 1):
                says, parent, above = tried[i // 2], trees[2 * most + i // 2], values[2 * most + i // 2]
                keeps = False
                if k >= 0:
                    says[k] = IN if i % 2 else OUT
                    keeps = (parent[x.modifiers[arcs[k]]] == x.heads[arcs[k]]) == (says[k] == IN)
                    _copy_choices(free, w.choices)
                    _apply(x, w, choose_heads, arcs, says)
                decode(x, data, w.wishes, w.choices, scratch)
                below, size, _ = score_choices(0.0, w.choices)
                if k < 0:
                    _copy_choices(w.choices, free)
                copy(parent, w.tree)
                if not keeps and above + below - primal > ROUNDING * size:  # its parent's tree bounds its own
                    find_tree(w.weights, single_root, chart, w.tree)
                    above = -np.inf
                    if w.tree[1] >= 0:
                        above, total = score_arcs(x, arc, w)
                        total += score(x, data, w.tree, w.y)
                        if total > primal:
                            primal = total
                            copy(w.tree, heads)
                if k >= 0:
                    _release(x, arc, w, gamma, arcs)
                if above + below - primal > ROUNDING * (size + abs(above)):
                    copy(says, left[alive])
                    copy(w.tree, trees[alive])
                    values[alive] = above
                    alive += 1
        return left[:alive], primal

    return kernel(run)


class Search(Protocol):
    """Search with these arc scores, from these multipliers, for trees above a floor, until steps are tiny."""

    def __call__(
        self, arc: Floats, start: Multipliers, floor: float, limit: int, tiny: float, history: History
    ) -> Outcome: ...


#: Find the configurations of some arcs that are not out, at most so many, and the best tree seen.
Probe = Callable[[Floats, Outcome, Ints, int], tuple[Flags, Outcome]]


def tighten(
    search: Search,
    probe: Probe,
    x: Arcs,
    arc: Floats,
    whole: Outcome,
    most_iterations: int,
    deadline: float,
    history: History,
) -> tuple[Outcome, Floats]:
    """Settle arcs in doubt and search on, given how the search over all trees ended.

    No round begins after the ``deadline``, of `time.monotonic`.

    Returns
    -------
    Outcome
        With `BOUND` or `AGREEMENT` as its ``ending`` if its tree is the best one.
    array
        The arc scores, with minus infinity for the arcs that no better tree has.
    """
    most, tiny, failures = FEWEST, STALL, 0
    for _ in range(ROUNDS):
        if whole.ending != OPEN or whole.primal == -np.inf or failures == TRIES:
            break
        if whole.iterations >= most_iterations or time.monotonic() > deadline:
            break
        arcs = np.argsort(-whole.doubts, kind="stable")[:ARCS]
        arcs = arcs[whole.doubts[arcs] > 0]
        left, whole = probe(arc, whole, arcs, most)
        if not len(left):
            return whole._replace(bound=whole.primal, ending=BOUND), arc
        settled = np.where((left == left[0]).all(axis=0), left[0], UNKNOWN)
        if (settled == UNKNOWN).all():
            most, tiny, failures = min(2 * most, MOST), FINER * tiny, failures + 1
        arc, done = _restrict(x, arc, arcs, settled), whole.iterations
        dual, primal, recomputed, trees, chosen, uses = history
        rows = trees[done:], chosen[done:]
        rest = History(dual[done:], primal[done:], recomputed[done:], *rows, np.zeros_like(uses))
        start = Multipliers(whole.multipliers.u.copy(), whole.multipliers.v.copy())
        found = search(arc, start, whole.primal, most_iterations - done, tiny, rest)
        best = found if found.primal > whole.primal else whole
        whole = found._replace(
            heads=best.heads,
            primal=best.primal,
            bound=min(whole.bound, found.bound),
            iterations=done + found.iterations,
            ending=BOUND if found.ending == BELOW else found.ending,
        )
    return whole, arc


def _restrict(x: Arcs, arc: Floats, arcs: Ints, settled: Flags) -> Floats:
    """Forbid the arcs that are out, and those that would take the place of one that is in."""
    scores = arc.copy()
    scores[arcs[settled == OUT]] = -np.inf
    for a in arcs[settled == IN]:
        others = x.above[x.above_start[x.modifiers[a]] : x.above_start[x.modifiers[a] + 1]]
        scores[others[others != a]] = -np.inf
    return scores
