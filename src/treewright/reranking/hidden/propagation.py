"""Belief propagation over the hidden values of a tree: exact sums, marginals, and the best assignment.

Koo and Collins (2005), section 3.2.  Messages are logarithms and go up the tree.  For each message, the values of the
word are exponentiated relative to the best one (β − max β), and multiplied by pair weights relative to the best of
their row.  Both factors are at most 1, so nothing overflows.  If the sum of products is too small to trust, which takes
scores hundreds apart, it is recomputed in logarithms.  So there is one exponential per value, not per pair of values,
and those of the pairs are shared by all candidates of a sentence.

Going down, the distribution of a word given the value of its parent is already known: the terms of that sum, divided
by it.  So the marginals need no exponentials at all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Places
from treewright.kernels import kernel
from treewright.reranking.hidden.trees import HiddenTrees

__all__ = ["Potentials", "propagate_down", "propagate_up", "viterbi"]

#: A smaller sum of products may have lost terms that matter to underflow.
TINY = 1e-250


class Potentials(NamedTuple):
    """The scores of the nodes and edges of one sentence."""

    node: Floats  # of each value of each node
    edge: Floats  # of each pair of values of each edge
    top: Floats  # the best score in each row of each edge
    relative: Floats  # the exponentials of the scores of pairs, relative to the best of the row


@kernel
def log_sum(edge: Floats, cell: int, inside: Floats, first: int, size: int) -> float:
    """Return the log-sum of edge + inside over the values of a word."""
    best = -np.inf
    for x in range(size):
        best = max(best, edge[cell + x] + inside[first + x])
    total = 0.0
    for x in range(size):
        total += np.exp(edge[cell + x] + inside[first + x] - best)
    found: float = best + np.log(total)
    return found


@kernel
def propagate_up(
    trees: HiddenTrees, s: int, c: int, scores: Potentials, inside: Floats, relative: Floats, inverse: Floats
) -> float:
    """Send messages up candidate *c* of sentence *s*, and return log Z, the log-sum over all assignments.

    Output: ``inside`` gets the log-sum over everything below each value of each position, ``relative`` its exponential
    relative to the best value of that position, and ``inverse`` one over the sum of each message; -1 if the sum is too
    small.
    """
    start, end = trees.positions[c], trees.positions[c + 1]
    first_position = trees.positions[trees.candidates[s]]
    first_value, first_row = trees.values[first_position], trees.rows[first_position]
    first_node = trees.node_values[trees.nodes[s]]
    first_cell, first_edge_row = trees.edge_cells[trees.edges[s]], trees.edge_rows[trees.edges[s]]
    for t in range(start, end):
        a, size = trees.values[t] - first_value, trees.values[t + 1] - trees.values[t]
        b = trees.node_values[trees.node[t]] - first_node
        for x in range(size):
            inside[a + x] = scores.node[b + x]
    log_z = 0.0
    for t in range(end - 1, start - 1, -1):
        a, size = trees.values[t] - first_value, trees.values[t + 1] - trees.values[t]
        best = inside[a]
        for x in range(1, size):
            best = max(best, inside[a + x])
        for x in range(size):
            relative[a + x] = np.exp(inside[a + x] - best)
        r, rows = trees.rows[t] - first_row, trees.rows[t + 1] - trees.rows[t]
        if trees.parent[t] < 0:
            total = 0.0
            for x in range(size):
                total += relative[a + x]
            inverse[r] = 1 / total
            log_z += best + np.log(total)
            continue
        above = trees.values[start + trees.parent[t]] - first_value
        cell = trees.edge_cells[trees.edge[t]] - first_cell
        edge_row = trees.edge_rows[trees.edge[t]] - first_edge_row
        for y in range(rows):
            total = 0.0
            for x in range(size):
                total += scores.relative[cell + x] * relative[a + x]
            if total > TINY:
                inverse[r + y] = 1 / total
                inside[above + y] += best + scores.top[edge_row + y] + np.log(total)
            else:
                inverse[r + y] = -1
                inside[above + y] += log_sum(scores.edge, cell, inside, a, size)
            cell += size
    return log_z


@kernel
def propagate_down(
    trees: HiddenTrees,
    s: int,
    c: int,
    scores: Potentials,
    inside: Floats,
    relative: Floats,
    inverse: Floats,
    factor: float,
    marginals: Floats,
    node_sums: Floats,
    edge_sums: Floats,
) -> None:
    """Add the marginals of one candidate, times a factor, to those of the nodes and edges of its sentence.

    ``inside``, ``relative`` and ``inverse`` come from `propagate_up`; the output ``marginals`` gets the marginals of
    the values of each position, times the factor.
    """
    start, end = trees.positions[c], trees.positions[c + 1]
    first_position = trees.positions[trees.candidates[s]]
    first_value, first_row = trees.values[first_position], trees.rows[first_position]
    first_node, first_cell = trees.node_values[trees.nodes[s]], trees.edge_cells[trees.edges[s]]
    for t in range(start, end):
        a, size = trees.values[t] - first_value, trees.values[t + 1] - trees.values[t]
        r, rows = trees.rows[t] - first_row, trees.rows[t + 1] - trees.rows[t]
        if trees.parent[t] < 0:
            for x in range(size):
                marginals[a + x] = factor * inverse[r] * relative[a + x]
        else:
            for x in range(size):
                marginals[a + x] = 0.0
            above = trees.values[start + trees.parent[t]] - first_value
            cell = trees.edge_cells[trees.edge[t]] - first_cell
            for y in range(rows):
                if inverse[r + y] > 0:
                    scale = marginals[above + y] * inverse[r + y]
                    for x in range(size):
                        joint = scale * scores.relative[cell + x] * relative[a + x]
                        marginals[a + x] += joint
                        edge_sums[cell + x] += joint
                else:
                    message = log_sum(scores.edge, cell, inside, a, size)
                    for x in range(size):
                        joint = marginals[above + y] * np.exp(scores.edge[cell + x] + inside[a + x] - message)
                        marginals[a + x] += joint
                        edge_sums[cell + x] += joint
                cell += size
        b = trees.node_values[trees.node[t]] - first_node
        for x in range(size):
            node_sums[b + x] += marginals[a + x]


@kernel
def viterbi(trees: HiddenTrees, s: int, c: int, scores: Potentials, chosen: Places) -> float:
    """Find the best assignment of one candidate, and return its score.

    The output ``chosen`` gets the value of each position, counted within its node.
    """
    start, end = trees.positions[c], trees.positions[c + 1]
    first_value, first_row = trees.values[start], trees.rows[start]
    first_node, first_cell = trees.node_values[trees.nodes[s]], trees.edge_cells[trees.edges[s]]
    inside = np.empty(trees.values[end] - first_value)
    back = np.empty(trees.rows[end] - first_row, np.int32)
    for t in range(start, end):
        b = trees.node_values[trees.node[t]] - first_node
        for x in range(trees.values[t + 1] - trees.values[t]):
            inside[trees.values[t] - first_value + x] = scores.node[b + x]
    score = 0.0
    for t in range(end - 1, start - 1, -1):
        a, size = trees.values[t] - first_value, trees.values[t + 1] - trees.values[t]
        r, rows = trees.rows[t] - first_row, trees.rows[t + 1] - trees.rows[t]
        is_root = trees.parent[t] < 0
        cell = trees.edge_cells[trees.edge[t]] - first_cell if not is_root else 0
        for y in range(rows):
            best, best_value = -np.inf, 0
            for x in range(size):
                value = inside[a + x] + (0.0 if is_root else scores.edge[cell + y * size + x])
                if value > best:
                    best, best_value = value, x
            back[r + y] = best_value
            if is_root:
                score += best
            else:
                inside[trees.values[start + trees.parent[t]] - first_value + y] += best
    for t in range(start, end):
        above = trees.parent[t]
        chosen[t - start] = back[trees.rows[t] - first_row + (chosen[above] if above >= 0 else 0)]
    return score
