"""The bound of one node of branch and bound: min over p of max over trees of Ψ(p, z) (Qian & Liu 2013, section 3.2).

A projected subgradient method: search the best tree for p, move p to where the bound of that tree is smaller, again.
The step is that of Polyak (1969): how far Ψ is above the best tree known, divided by how fast it falls.  The paper's
own, which shrinks from max 1/|φ|, took many times more searches on synthetic sentences.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Ints, Mask
from treewright.inference.bounds.backbones import Backbone, best_tree
from treewright.inference.bounds.local_parts import Local, add_to_parts, mark
from treewright.inference.bounds.relaxation import Table, gaps, lower, move, reduce, relax, weigh
from treewright.kernels import copy, inner_kernel, kernel

__all__ = ["Best", "Bound", "Slack", "bounding", "is_tight"]


#: The first step, as a multiple of Polyak's: what the simplex cuts off makes steps shorter than they are meant to be.
#: It is halved after PATIENCE searches that did not close that share of the gap, again and again, down to the shortest.
LONGEST, SHORTEST, PATIENCE, SHARE = 2.0, 0.1, 3, 0.02

#: The searches before lower bounds are computed: most problems are solved by then, and do not need them.
EASY = 5

#: What is lost when scores are added up, relative to the sum of their absolute values.  Upper bounds are raised by it,
#: and the scores of trees lowered, so that neither claims too much, whatever the size of the scores.
ROUNDING = 4e-15


class Best(NamedTuple):
    """The best tree seen so far."""

    score: float  # its score, less what rounding may have added
    size: float  # the sum of the absolute values of the scores of its parts and factors


class Slack(NamedTuple):
    """How close a bound has to come to the best score."""

    tolerance: float  # relative to the size of the best tree
    resolution: float  # what the scores of trees differ by at least; 0 if nothing is known


class Bound(NamedTuple):
    """What is known about the trees of a node."""

    upper: float  # no tree of the node scores more; minus infinity if it has none
    best: Best  # the best of all trees seen so far, in this node or before
    calls: int  # the number of searches
    arc: int  # the arc to branch on; -1 if the bound is exact


@kernel
def is_tight(upper: float, best: Best, slack: Slack) -> bool:
    """Decide whether a bound proves that there is no better tree, up to rounding."""
    margin = slack.tolerance * best.size
    return upper < np.inf and upper <= best.score + max(margin, slack.resolution - margin)


class _Node(NamedTuple):
    """The factors of a node, and scratch: the tree found last, as numbers of arcs and as a mask of places."""

    local: Local
    fixed: Floats
    constant: float
    table: Table
    origin: Ints
    bonus: Floats
    tree: Ints
    in_tree: Mask
    held: Ints


@kernel
def _begin(table: Table, local: Local, p: Floats, allowed: Mask, size: int) -> tuple[_Node, Floats]:
    """Simplify the factors; return them and their p."""
    fixed = np.zeros(len(local.owner))
    for arc in range(len(allowed)):
        if not allowed[arc]:
            fixed[arc] = -np.inf
    left, q, origin, constant = reduce(table, p, allowed, local.owner, fixed)
    tree, in_tree, held = np.zeros(size, np.int64), np.zeros(len(fixed), np.bool_), np.zeros(len(q), np.int64)
    return _Node(local, fixed, constant, left, origin, np.zeros(len(fixed)), tree, in_tree, held), q


@kernel
def _raise(node: _Node, q: Floats) -> float:
    """Set the bonus of arcs that makes an upper bound; return the constant."""
    node.bonus[:] = 0.0
    return node.constant + relax(node.table, q, node.bonus)


@kernel
def _lower(node: _Node, heads: Ints) -> None:
    """Set the bonus of arcs that makes a lower bound, equal to the score of a tree with these heads."""
    for m in range(1, len(heads)):
        node.tree[m] = heads[m] * len(heads) + m
    mark(node.local, node.tree, node.in_tree)
    node.bonus[:] = 0.0
    lower(node.table, node.in_tree, node.bonus)


@kernel
def _judge(node: _Node, value: float, first: Floats, q: Floats, best: Best, heads: Ints) -> tuple[Best, float, float]:
    """Score the tree found as it is, and keep it if it is the best so far.

    ``first`` are the scores of its first parts.  Also return how fast its bound falls, and the sum of the absolute
    values of all that is added up to get there.
    """
    mark(node.local, node.tree, node.in_tree)
    score, size, speed = weigh(node.table, q, node.in_tree, node.held)
    score += node.constant
    size += abs(node.constant)
    added, others = 0.0, value
    for place in range(len(node.bonus)):
        if node.in_tree[place]:
            value -= node.bonus[place]
            added += abs(node.bonus[place])
            others -= node.bonus[place] + node.fixed[place]
            size += abs(node.fixed[place])
    for m in range(1, len(heads)):
        others -= first[m]
        size += abs(first[m])
    size += abs(others)
    found = Best(score + value - ROUNDING * (size + added), size)
    if found.score <= best.score:
        return best, speed, size + added
    for m in range(1, len(heads)):
        heads[m] = node.tree[m] // len(heads)
    return found, speed, size + added


@kernel
def _end(node: _Node, q: Floats, p: Floats, allowed: Mask) -> int:
    """Write p back; return the arc with the largest gap at the tree found with it.

    Without gaps there is still rounding: then return the arc with the largest bonus, which causes it, or -1.
    """
    for k in range(len(q)):
        p[node.origin[k]] = q[k]
    mark(node.local, node.tree, node.in_tree)
    node.bonus[:] = 0.0
    gaps(node.table, q, node.in_tree, node.bonus)
    arc = _largest(node, allowed)
    if arc < 0:
        _raise(node, q)
        arc = _largest(node, allowed)
    return arc


@inner_kernel
def _largest(node: _Node, allowed: Mask) -> int:
    """Return the arc with the largest bonus of those that are not decided, -1 if there is none."""
    for place in range(len(allowed), len(node.bonus)):
        node.bonus[node.local.owner[place]] += node.bonus[place]
    size, best = len(node.tree), -1
    for m in range(1, size):
        if allowed[m::size].sum() > 1:  # every factor that is left has such an arc
            for arc in range(m, len(allowed), size):
                if allowed[arc] and abs(node.bonus[arc]) > (0.0 if best < 0 else abs(node.bonus[best])):
                    best = arc
    return best


@kernel
def _add_bonus(backbone: Backbone, node: _Node, changed: Floats) -> None:
    """Change the scores of parts by the bonus of each arc."""
    for k in range(len(backbone.places)):
        arc = backbone.places[k]
        changed[k] = backbone.parts[k] + (node.fixed[arc] + node.bonus[arc])
    add_to_parts(node.local, node.fixed, node.bonus, backbone.parts, changed)


@functools.cache
def bounding(number: int) -> Callable[..., Bound]:
    """Make the kernel that bounds a node, for a search of `treewright.inference.bounds.backbones`, by number.

    ``(backbone, scratch, table, p, allowed, best, heads, limit, slack, climbs)``: a folded backbone, and memory for
    its chart; the factors and their p, which becomes the best that was found; the arcs of the node; the best tree so
    far and its heads, which are overwritten by those of a better tree; the most searches for the upper bound, how close
    it has to come, and the most searches for a lower bound (section 3.4).
    """

    def run(
        backbone: Backbone,
        scratch: Floats,
        table: Table,
        p: Floats,
        allowed: Mask,
        best: Best,
        heads: Ints,
        limit: int,
        slack: Slack,
        climbs: int,
    ) -> Bound:
        node, q = _begin(table, backbone.local, p, allowed, len(heads))
        changed = np.empty((1, len(backbone.parts)))
        changed[0] = backbone.parts
        best_q, tree, first = q.copy(), node.tree.copy(), np.zeros(len(heads))
        upper, length, waited, searches, calls = np.inf, LONGEST, 0, 0, 0
        while searches < limit:
            climbing = searches == EASY and climbs > 0
            shift = 0.0
            if climbing:
                _lower(node, heads)
            else:
                shift = _raise(node, q)
            _add_bonus(backbone, node, changed[0])
            values, chosen = best_tree(number, changed, backbone.frame, backbone.shape, backbone.single_root, scratch)
            calls += 1
            if chosen[0, 1] < 0:
                return Bound(-np.inf, best, calls, -1)
            for m in range(1, len(heads)):
                node.tree[m] = backbone.places[chosen[0, m]]
                first[m] = backbone.parts[chosen[0, m]]
            before = best.score
            best, speed, size = _judge(node, values[0], first, q, best, heads)
            if climbing:  # from the best tree to a better one, until there is none
                climbs = climbs - 1 if best.score > before else 0
                continue
            searches += 1
            bound = values[0] + shift + ROUNDING * (size + abs(shift))
            waited = 0 if bound < upper - SHARE * (upper - best.score) else waited + 1
            if bound < upper:
                upper = bound
                copy(q, best_q)
                copy(node.tree, tree)
            if is_tight(upper, best, slack) or speed == 0.0:
                break
            if waited > PATIENCE:
                length, waited = length / 2.0, 0
                if length < SHORTEST:
                    break
            move(node.table, q, node.in_tree, node.held, length * (bound - best.score) / speed)
        copy(tree, node.tree)
        return Bound(upper, best, calls, _end(node, best_q, p, allowed))

    return kernel(run)
