"""Belief propagation over hidden values: exact sums, marginals, and the best assignment.

Koo and Collins (2005), section 3.2.  Messages are logarithms and go up the tree.  For each message, the values of the
word are exponentiated relative to the best one (β − max β), and multiplied by pair weights relative to the best of
their row.  Both factors are at most 1, so nothing overflows.  If the sum of products is too small to trust, which takes
scores hundreds apart, it is recomputed in logarithms.  So there is one exponential per value, not per pair of values,
and those of the pairs are shared by all candidates of a sentence.

Going down, the distribution of a word given the value of its parent is already known: the terms of that sum, divided
by it.  So the marginals need no exponentials at all.

Where the graph has cycles, the tree is a junction tree (`elimination`), and a message has a row for each joint value of
a separator.  A word has a table with one row if its separator is its parent, and the messages that it gets are about
itself alone.  Otherwise it has a row for each joint value of its separator, to which the messages from below and all
edges but that to the parent are added (`junctions`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Places
from treewright.kernels import inner_kernel, kernel
from treewright.reranking.hidden.trees import HiddenTrees

__all__ = ["Messages", "Potentials", "propagate_down", "propagate_up", "viterbi"]

#: A smaller sum of products may have lost terms that matter to underflow.
TINY = 1e-250


class Potentials(NamedTuple):
    """The scores of the nodes and edges of one sentence."""

    node: Floats  # of each value of each node
    edge: Floats  # of each pair of values of each edge
    top: Floats  # the best score in each row of each edge
    relative: Floats  # the exponentials of the scores of pairs, relative to the best of the row


class Messages(NamedTuple):
    """What is computed for the candidates of one sentence; entries as in the tables or rows of `HiddenTrees`."""

    inside: Floats  # of each entry of the tables: the log-sum over everything below
    relative: Floats  # its exponential, relative to the best of its row
    inverse: Floats  # of each row: one over the sum of its message; -1 if the sum is too small
    rows: Floats  # of each row: its message going up, and its marginal going down


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


@inner_kernel
def fill_tables(trees: HiddenTrees, s: int, c: int, scores: Potentials, table: Floats, first: int) -> None:
    """Fill the tables of a candidate with the scores of nodes, and of edges but those to parents."""
    first_node, first_cell = trees.node_values[trees.nodes[s]], trees.edge_cells[trees.edges[s]]
    for t in range(trees.positions[c], trees.positions[c + 1]):
        b, size = trees.node_values[trees.node[t]] - first_node, trees.sizes[t]
        for a in range(trees.tables[t] - first, trees.tables[t + 1] - first, size):
            for x in range(size):
                table[a + x] = scores.node[b + x]
        for k in range(trees.others[t], trees.others[t + 1]):
            e = trees.other_edge[k]
            for y in range(trees.rows[t + 1] - trees.rows[t] if e >= 0 else 0):
                width = trees.edge_rows[e + 1] - trees.edge_rows[e]
                a = trees.tables[t] - first + y * size
                at = trees.edge_cells[e] - first_cell + y // trees.other_stride[k] % width * size
                for x in range(size):
                    table[a + x] += scores.edge[at + x]


@inner_kernel
def propagate_up(trees: HiddenTrees, s: int, c: int, scores: Potentials, messages: Messages) -> float:
    """Send messages up candidate *c* of sentence *s*, and return log Z, the log-sum over all assignments."""
    start, end = trees.positions[c], trees.positions[c + 1]
    first_position = trees.positions[trees.candidates[s]]
    first_table, first_row = trees.tables[first_position], trees.rows[first_position]
    first_cell, first_edge_row = trees.edge_cells[trees.edges[s]], trees.edge_rows[trees.edges[s]]
    inside, relative, inverse, message = messages.inside, messages.relative, messages.inverse, messages.rows
    fill_tables(trees, s, c, scores, inside, first_table)
    log_z = 0.0
    for t in range(end - 1, start - 1, -1):
        a, size = trees.tables[t] - first_table, trees.sizes[t]
        r, rows = trees.rows[t] - first_row, trees.rows[t + 1] - trees.rows[t]
        e, y = trees.edge[t], 0
        width = trees.edge_rows[e + 1] - trees.edge_rows[e] if e >= 0 else 1
        cell = trees.edge_cells[e] - first_cell if e >= 0 else 0
        edge_row = trees.edge_rows[e] - first_edge_row if e >= 0 else 0
        end_table = trees.tables[t + 1] - first_table
        span = rows if end_table == a + size else 1  # the rows of the message for each row of the table
        for i in range(a, end_table, size):
            best = inside[i]
            for x in range(1, size):
                best = max(best, inside[i + x])
            for x in range(size):
                relative[i + x] = np.exp(inside[i + x] - best)
            for k in range(r, r + span):
                total, at = 0.0, cell + y * size
                if e >= 0:
                    for x in range(size):
                        total += scores.relative[at + x] * relative[i + x]
                else:
                    for x in range(size):
                        total += relative[i + x]
                if e < 0:
                    inverse[k], message[k] = 1 / total, best + np.log(total)
                elif total > TINY:
                    inverse[k], message[k] = 1 / total, best + scores.top[edge_row + y] + np.log(total)
                else:
                    inverse[k], message[k] = -1, log_sum(scores.edge, at, inside, i, size)
                y = y + 1 if y + 1 < width else 0
            r += span
        r -= rows
        above, lift = trees.tables[start + trees.parent[t]] - first_table, trees.lifts[t]
        if trees.parent[t] < 0:
            log_z += message[r]
        elif trees.lifts[t + 1] == lift:
            for k in range(rows):
                inside[above + k] += message[r + k]
        else:
            for k in range(trees.lifts[t + 1] - lift):
                inside[above + k] += message[r + trees.lift[lift + k]]
    return log_z


@inner_kernel
def propagate_down(
    trees: HiddenTrees,
    s: int,
    c: int,
    scores: Potentials,
    messages: Messages,
    factor: float,
    marginals: Floats,
    node_sums: Floats,
    edge_sums: Floats,
) -> None:
    """Add the marginals of one candidate, times a factor, to those of the nodes and edges of its sentence.

    ``messages`` come from `propagate_up`; the output ``marginals`` gets those of the tables, times the factor.
    """
    start, end = trees.positions[c], trees.positions[c + 1]
    first_position = trees.positions[trees.candidates[s]]
    first_table, first_row = trees.tables[first_position], trees.rows[first_position]
    first_node, first_cell = trees.node_values[trees.nodes[s]], trees.edge_cells[trees.edges[s]]
    inside, relative, inverse, shares = messages.inside, messages.relative, messages.inverse, messages.rows
    for t in range(start, end):
        a, size = trees.tables[t] - first_table, trees.sizes[t]
        r, rows = trees.rows[t] - first_row, trees.rows[t + 1] - trees.rows[t]
        e, y = trees.edge[t], 0
        width = trees.edge_rows[e + 1] - trees.edge_rows[e] if e >= 0 else 1
        cell = trees.edge_cells[e] - first_cell if e >= 0 else 0
        above, lift = trees.tables[start + trees.parent[t]] - first_table, trees.lifts[t]
        if trees.parent[t] < 0:
            shares[r] = factor
        elif trees.lifts[t + 1] == lift:
            for k in range(rows):
                shares[r + k] = marginals[above + k]
        else:
            for k in range(rows):
                shares[r + k] = 0.0
            for k in range(trees.lifts[t + 1] - lift):
                shares[r + trees.lift[lift + k]] += marginals[above + k]
        end_table, b = trees.tables[t + 1] - first_table, trees.node_values[trees.node[t]] - first_node
        span = rows if end_table == a + size else 1
        for i in range(a, end_table, size):
            for x in range(size):
                marginals[i + x] = 0.0
            for k in range(r, r + span):
                scale = shares[k] * inverse[k]
                at = cell + y * size
                if e < 0:
                    for x in range(size):
                        marginals[i + x] += scale * relative[i + x]
                elif inverse[k] > 0:
                    for x in range(size):
                        joint = scale * scores.relative[at + x] * relative[i + x]
                        marginals[i + x] += joint
                        edge_sums[at + x] += joint
                else:
                    message = log_sum(scores.edge, at, inside, i, size)
                    for x in range(size):
                        joint = shares[k] * np.exp(scores.edge[at + x] + inside[i + x] - message)
                        marginals[i + x] += joint
                        edge_sums[at + x] += joint
                y = y + 1 if y + 1 < width else 0
            r += span
            for x in range(size):
                node_sums[b + x] += marginals[i + x]
        for k in range(trees.others[t], trees.others[t + 1]):
            e = trees.other_edge[k]
            for y in range(rows if e >= 0 else 0):
                width = trees.edge_rows[e + 1] - trees.edge_rows[e]
                at = trees.edge_cells[e] - first_cell + y // trees.other_stride[k] % width * size
                for x in range(size):
                    edge_sums[at + x] += marginals[a + y * size + x]


@kernel
def viterbi(trees: HiddenTrees, s: int, c: int, scores: Potentials, chosen: Places) -> float:
    """Find the best assignment of one candidate, and return its score.

    The output ``chosen`` gets the value of each position, counted within its node.
    """
    start, end = trees.positions[c], trees.positions[c + 1]
    first_table, first_row, first_cell = trees.tables[start], trees.rows[start], trees.edge_cells[trees.edges[s]]
    inside = np.empty(trees.tables[end] - first_table)
    message, back = np.empty(trees.rows[end] - first_row), np.empty(trees.rows[end] - first_row, np.int32)
    fill_tables(trees, s, c, scores, inside, first_table)
    score = 0.0
    for t in range(end - 1, start - 1, -1):
        a, size = trees.tables[t] - first_table, trees.sizes[t]
        r, rows = trees.rows[t] - first_row, trees.rows[t + 1] - trees.rows[t]
        e = trees.edge[t]
        width = trees.edge_rows[e + 1] - trees.edge_rows[e] if e >= 0 else 1
        span = rows if trees.tables[t + 1] - trees.tables[t] == size else 1
        for y in range(rows):
            i, best, best_value = a + y // span * size, -np.inf, 0
            at = trees.edge_cells[e] - first_cell + y % width * size if e >= 0 else 0
            for x in range(size):
                value = inside[i + x] + (scores.edge[at + x] if e >= 0 else 0.0)
                if value > best:
                    best, best_value = value, x
            back[r + y], message[r + y] = best_value, best
        above, lift = trees.tables[start + trees.parent[t]] - first_table, trees.lifts[t]
        if trees.parent[t] < 0:
            score += message[r]
        else:
            for k in range(max(trees.lifts[t + 1] - lift, rows)):
                row = trees.lift[lift + k] if trees.lifts[t + 1] > lift else k
                inside[above + k] += message[r + row]
    for t in range(start, end):
        y = trees.rows[t] - first_row + (chosen[trees.parent[t]] if trees.parent[t] >= 0 else 0)
        for k in range(trees.others[t], trees.others[t + 1]):
            y += chosen[trees.other[k]] * trees.other_stride[k]
        chosen[t - start] = back[y]
    return score
