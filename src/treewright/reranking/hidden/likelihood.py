"""The likelihood of the best candidates, and its gradient (Koo and Collins 2005, Eqs. 2-4 and section 3.2).

For a sentence with candidates t(1), …, t(n), of which those in B are the best (the paper has one),

::

    −log p(B | s) = log Σ_j Z_j − log Σ_{j ∈ B} Z_j,       Z_j = Σ_h exp(Φ(t(j), h)·θ),
    gradient = Σ_j (p(t(j) | s) − p(t(j) | s, B)) F(t(j)),

where F(t) is the expected feature vector of t, computed by belief propagation.  The base log-probability of a candidate
is one more feature, which does not depend on hidden values; its weight is 1 plus what is learned.
"""

from __future__ import annotations

import numpy as np

from treewright.arrays import Floats, Places
from treewright.features.weights import Table
from treewright.kernels import inner_kernel, kernel
from treewright.reranking.hidden.propagation import Messages, Potentials, propagate_down, propagate_up, viterbi
from treewright.reranking.hidden.trees import BASE, HiddenTrees
from treewright.reranking.learners.losses import to_errors

__all__ = ["add_gradient", "candidate_scores", "find_assignment", "move_rows", "score_parts"]

#: A candidate whose share in a gradient is smaller than this is left out.
NEGLIGIBLE = 1e-12


@kernel
def score_parts(trees: HiddenTrees, s: int, table: Table, scale: float) -> Potentials:
    """Score the nodes and edges of a sentence: the sum of the rows of each."""
    nodes, first, last = trees.nodes, trees.edges[s], trees.edges[s + 1]
    node = np.zeros(trees.node_values[nodes[s + 1]] - trees.node_values[nodes[s]])
    edge = np.zeros(trees.edge_cells[last] - trees.edge_cells[first])
    move_rows(trees, s, node, edge, table, 1.0, False)
    top = np.empty(trees.edge_rows[last] - trees.edge_rows[first])
    relative = np.empty(len(edge))
    for e in range(first, last):
        a, row = trees.edge_cells[e] - trees.edge_cells[first], trees.edge_rows[e] - trees.edge_rows[first]
        rows = trees.edge_rows[e + 1] - trees.edge_rows[e]
        width = (trees.edge_cells[e + 1] - trees.edge_cells[e]) // max(rows, 1)
        for y in range(rows):
            best = -np.inf
            for x in range(a + y * width, a + (y + 1) * width):
                edge[x] *= scale
                best = max(best, edge[x])
            top[row + y] = best
            for x in range(a + y * width, a + (y + 1) * width):
                relative[x] = np.exp(edge[x] - best)
    for x in range(len(node)):
        node[x] *= scale
    return Potentials(node, edge, top, relative)


@kernel
def move_rows(
    trees: HiddenTrees, s: int, node: Floats, edge: Floats, table: Table, factor: float, to_table: bool
) -> None:
    """Add the rows of a table to the nodes and edges of a sentence, or these, times a factor, to the table."""
    first = trees.nodes[s]
    for n in range(first, trees.nodes[s + 1]):
        a = trees.node_values[n] - trees.node_values[first]
        for g in range(trees.node_groups[n], trees.node_groups[n + 1]):
            size = trees.group_size[g]
            for r in range(trees.group_places[g], trees.group_places[g + 1]):
                _move(node, a, table, trees.node_place[r], size, factor, to_table)
            a += size
    first = trees.edges[s]
    for e in range(first, trees.edges[s + 1]):
        a = trees.edge_cells[e] - trees.edge_cells[first]
        width = (trees.edge_cells[e + 1] - trees.edge_cells[e]) // max(trees.edge_rows[e + 1] - trees.edge_rows[e], 1)
        for b in range(trees.edge_blocks[e], trees.edge_blocks[e + 1]):
            y0, x0, height, size = trees.block_shape[b]
            if trees.edge_flipped[e]:
                a_block = a + x0 * width + y0
                for r in range(trees.block_places[b], trees.block_places[b + 1]):
                    _move_flipped(edge, a_block, width, table, trees.edge_place[r], height, size, factor, to_table)
                continue
            if size == width:  # the block is contiguous
                height, size = 1, height * size
            for r in range(trees.block_places[b], trees.block_places[b + 1]):
                place = trees.edge_place[r]
                for y in range(height):
                    _move(edge, a + (y0 + y) * width + x0, table, place + y * size, size, factor, to_table)


@inner_kernel
def _move(parts: Floats, at: int, table: Table, place: int, size: int, factor: float, to_table: bool) -> None:
    if to_table:
        for x in range(size):
            table[place + x] += factor * parts[at + x]
    else:
        for x in range(size):
            parts[at + x] += table[place + x]


@inner_kernel
def _move_flipped(
    parts: Floats, at: int, width: int, table: Table, place: int, height: int, size: int, factor: float, to_table: bool
) -> None:
    """Move a block of which the columns are the rows of the edge."""
    for y in range(height):
        for x in range(size):
            if to_table:
                table[place + y * size + x] += factor * parts[at + x * width + y]
            else:
                parts[at + x * width + y] += table[place + y * size + x]


@kernel
def scratch(trees: HiddenTrees, s: int) -> Messages:
    """Allocate the messages of all candidates of a sentence."""
    start = trees.positions[trees.candidates[s]]
    end = trees.positions[trees.candidates[s + 1]]
    entries, rows = trees.tables[end] - trees.tables[start], trees.rows[end] - trees.rows[start]
    return Messages(np.empty(entries), np.empty(entries), np.empty(rows), np.empty(rows))


@kernel
def candidate_scores(trees: HiddenTrees, s: int, table: Table, scale: float, unit: float) -> Floats:
    """Score each candidate of a sentence: log Z_j plus the weighted base log-probability, measured in ``unit``."""
    scores = score_parts(trees, s, table, scale)
    messages = scratch(trees, s)
    start = trees.candidates[s]
    found = np.empty(trees.candidates[s + 1] - start)
    for j in range(len(found)):
        found[j] = propagate_up(trees, s, start + j, scores, messages)
        found[j] += trees.base[start + j] * (1 + scale * table[BASE] / unit)
    return found


@kernel
def add_gradient(
    trees: HiddenTrees, s: int, table: Table, scale: float, unit: float, target: Table, factor: float
) -> float:
    """Add the gradient of the loss of one sentence, times a factor, to a table; return the loss.

    The table may be the weights themselves: all weights are read before the first is changed.
    """
    scores = score_parts(trees, s, table, scale)
    messages = scratch(trees, s)
    start, n = trees.candidates[s], trees.candidates[s + 1] - trees.candidates[s]
    found = np.empty(n)
    for j in range(n):
        found[j] = propagate_up(trees, s, start + j, scores, messages)
        found[j] += trees.base[start + j] * (1 + scale * table[BASE] / unit)
    bounds = np.zeros(2, np.int64)
    bounds[1] = n
    loss: float = to_errors(bounds, trees.is_best[start : start + n], found)
    node_sums, edge_sums, marginals = (
        np.zeros(len(scores.node)),
        np.zeros(len(scores.edge)),
        np.empty(len(messages.inside)),
    )
    base = 0.0
    for j in range(n):
        base += found[j] * trees.base[start + j] / unit
        if abs(found[j]) > NEGLIGIBLE:
            propagate_down(trees, s, start + j, scores, messages, found[j], marginals, node_sums, edge_sums)
    move_rows(trees, s, node_sums, edge_sums, target, factor, True)
    target[BASE] += factor * base
    return loss


def find_assignment(trees: HiddenTrees, s: int, c: int, table: Table, scale: float) -> tuple[float, Places]:
    """Find the best assignment of candidate *c* of sentence *s*: its score, and the value of each position."""
    chosen: Places = np.empty(trees.positions[c + 1] - trees.positions[c], np.int32)
    return viterbi(trees, s, c, score_parts(trees, s, table, scale), chosen), chosen
