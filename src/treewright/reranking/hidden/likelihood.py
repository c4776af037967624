"""The likelihood of the best candidates, and its gradient (Koo and Collins 2005, Eqs. 2-4 and section 3.2).

For a sentence with candidates t(1), …, t(n), of which t(1) is the best,

::

    −log p(t(1) | s) = log Σ_j Z_j − log Z_1,       Z_j = Σ_h exp(Φ(t(j), h)·θ),
    gradient = Σ_j (p(t(j) | s) − [j = 1]) F(t(j)),

where F(t) is the expected feature vector of t, which belief propagation gives.  The base log-probability of a candidate
is one more feature, which no hidden value changes; its weight is 1 plus what is learned.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Places
from treewright.features.weights import Table
from treewright.kernels import kernel
from treewright.reranking.hidden.propagation import Potentials, propagate_down, propagate_up, viterbi
from treewright.reranking.hidden.trees import BASE, HiddenTrees

__all__ = ["add_gradient", "candidate_scores", "find_assignment", "score_parts"]

#: A candidate whose features would change by less than this share of themselves is left out of a gradient.
NEGLIGIBLE = 1e-12


@kernel
def score_parts(trees: HiddenTrees, s: int, table: Table, scale: float) -> Potentials:
    """Score the nodes and edges of a sentence: one sum of rows for each."""
    first, last = trees.nodes[s], trees.nodes[s + 1]
    node = np.zeros(trees.node_values[last] - trees.node_values[first])
    for n in range(first, last):
        a = trees.node_values[n] - trees.node_values[first]
        for g in range(trees.node_groups[n], trees.node_groups[n + 1]):
            size = trees.group_size[g]
            for r in range(trees.group_places[g], trees.group_places[g + 1]):
                place = trees.node_place[r]
                for x in range(size):
                    node[a + x] += table[place + x]
            a += size
    first, last = trees.edges[s], trees.edges[s + 1]
    edge = np.zeros(trees.edge_cells[last] - trees.edge_cells[first])
    top = np.empty(trees.edge_rows[last] - trees.edge_rows[first])
    relative = np.empty(len(edge))
    for e in range(first, last):
        a, row = trees.edge_cells[e] - trees.edge_cells[first], trees.edge_rows[e] - trees.edge_rows[first]
        rows = trees.edge_rows[e + 1] - trees.edge_rows[e]
        width = (trees.edge_cells[e + 1] - trees.edge_cells[e]) // max(rows, 1)
        for b in range(trees.edge_blocks[e], trees.edge_blocks[e + 1]):
            y0, x0, height, size = trees.block_shape[b]
            for r in range(trees.block_places[b], trees.block_places[b + 1]):
                place = trees.edge_place[r]
                if size == width:
                    for x in range(height * size):
                        edge[a + y0 * width + x] += table[place + x]
                    continue
                for y in range(height):
                    for x in range(size):
                        edge[a + (y0 + y) * width + x0 + x] += table[place + y * size + x]
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
def add_rows(trees: HiddenTrees, s: int, node: Floats, edge: Floats, target: Table, factor: float) -> None:
    """Add expected features, times a factor, to a table: the reverse of `score_parts`."""
    first = trees.nodes[s]
    for n in range(first, trees.nodes[s + 1]):
        a = trees.node_values[n] - trees.node_values[first]
        for g in range(trees.node_groups[n], trees.node_groups[n + 1]):
            size = trees.group_size[g]
            for r in range(trees.group_places[g], trees.group_places[g + 1]):
                place = trees.node_place[r]
                for x in range(size):
                    target[place + x] += factor * node[a + x]
            a += size
    first = trees.edges[s]
    for e in range(first, trees.edges[s + 1]):
        a = trees.edge_cells[e] - trees.edge_cells[first]
        rows = trees.edge_rows[e + 1] - trees.edge_rows[e]
        width = (trees.edge_cells[e + 1] - trees.edge_cells[e]) // max(rows, 1)
        for b in range(trees.edge_blocks[e], trees.edge_blocks[e + 1]):
            y0, x0, height, size = trees.block_shape[b]
            for r in range(trees.block_places[b], trees.block_places[b + 1]):
                place = trees.edge_place[r]
                if size == width:
                    for x in range(height * size):
                        target[place + x] += factor * edge[a + y0 * width + x]
                    continue
                for y in range(height):
                    for x in range(size):
                        target[place + y * size + x] += factor * edge[a + (y0 + y) * width + x0 + x]


@kernel
def scratch(trees: HiddenTrees, s: int) -> tuple[Floats, Floats, Floats]:
    """Make room for the messages of all candidates of a sentence: inside, relative, inverse."""
    start = trees.positions[trees.candidates[s]]
    end = trees.positions[trees.candidates[s + 1]]
    values = trees.values[end] - trees.values[start]
    return np.empty(values), np.empty(values), np.empty(trees.rows[end] - trees.rows[start])


@kernel
def candidate_scores(trees: HiddenTrees, s: int, table: Table, scale: float, unit: float) -> Floats:
    """Score each candidate of a sentence: log Z_j and the base log-probability; ``unit`` is one base feature."""
    scores = score_parts(trees, s, table, scale)
    inside, relative, inverse = scratch(trees, s)
    start = trees.candidates[s]
    found = np.empty(trees.candidates[s + 1] - start)
    for j in range(len(found)):
        found[j] = propagate_up(trees, s, start + j, scores, inside, relative, inverse)
        found[j] += trees.base[start + j] * (1 + scale * table[BASE] / unit)
    return found


@kernel
def add_gradient(
    trees: HiddenTrees, s: int, table: Table, scale: float, unit: float, target: Table, factor: float
) -> float:
    """Add the gradient of the loss of one sentence, times a factor, to a table; return the loss.

    The table may be that of the weights: they are all read before the first is changed.
    """
    scores = score_parts(trees, s, table, scale)
    inside, relative, inverse = scratch(trees, s)
    start, n = trees.candidates[s], trees.candidates[s + 1] - trees.candidates[s]
    found = np.empty(n)
    for j in range(n):
        found[j] = propagate_up(trees, s, start + j, scores, inside, relative, inverse)
        found[j] += trees.base[start + j] * (1 + scale * table[BASE] / unit)
    best = found.max()
    total = np.exp(found - best).sum()
    loss: float = best + np.log(total) - found[trees.best[s]]
    node_sums, edge_sums, marginals = np.zeros(len(scores.node)), np.zeros(len(scores.edge)), np.empty(len(inside))
    base = 0.0
    for j in range(n):
        share = np.exp(found[j] - best) / total - (1.0 if j == trees.best[s] else 0.0)
        base += share * trees.base[start + j] / unit
        if abs(share) > NEGLIGIBLE:
            c = start + j
            propagate_down(trees, s, c, scores, inside, relative, inverse, share, marginals, node_sums, edge_sums)
    add_rows(trees, s, node_sums, edge_sums, target, factor)
    target[BASE] += factor * base
    return loss


@kernel
def find_assignment(
    trees: HiddenTrees, s: int, c: int, table: Table, scale: float
) -> tuple[float, npt.NDArray[np.int32]]:
    """Find the best assignment of candidate *c* of sentence *s*, a value for each position, and its score."""
    chosen: Places = np.empty(trees.positions[c + 1] - trees.positions[c], np.int32)
    score = viterbi(trees, s, c, score_parts(trees, s, table, scale), chosen)
    return score, chosen
