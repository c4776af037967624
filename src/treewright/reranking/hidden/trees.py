"""Candidates with hidden values as flat arrays, without Python objects for candidates, words or values.

A candidate is a tree (or a forest) of words, the graph D(t) of Koo and Collins (2005), section 3.1; its *positions* are
its words, each after its parent.  A *node* is a word with everything that its local features see.  A word looks the
same in most candidates of a sentence, so they share nodes, and likewise *edges* between a word and its parent.  Each
node and each edge is scored once per sentence, however many candidates have it.

The hidden values of a node are one or several *groups* ({NN1, …, NN5}; or noun.act1, …, noun.act3 and
noun.artifact1, …, noun.artifact3).  A local feature of Eq. 4 combines an observation with one value or two; the weights
of one observation with all the values of a group are contiguous, a *row* of weights.  So a node has a list of rows for
each group, and an edge for each *block*, which is a group of the parent by a group of the word: one place for 5 or 25
features.
"""

from __future__ import annotations

from typing import NamedTuple

from treewright.arrays import Floats, Ints, Places

__all__ = ["BASE", "HiddenTrees"]

#: The place of the weight of the base log-probability.
BASE = 0


class HiddenTrees(NamedTuple):
    """The candidates of many sentences.

    Plural names are offsets: the entries of the i-th are ``first[i]`` to ``first[i + 1]``.

    Attributes
    ----------
    candidates : int64 array, shape (sentences + 1,)
        The candidates of each sentence.
    positions : int64 array, shape (candidates + 1,)
        The positions of each candidate.
    parent : int32 array, shape (positions,)
        The parent of each position, counted from the first position of its candidate; -1 if it has none.
    word : int32 array, shape (positions,)
        The word of each position, from 0.
    node, edge : int32 arrays, shape (positions,)
        The node of each position, and its edge to its parent; -1 if it has none.
    values, rows : int64 arrays, shape (positions + 1,)
        The values of each position, and those of its parent (one if it has none).
    nodes, edges : int64 arrays, shape (sentences + 1,)
        The nodes and edges of each sentence.
    node_values, node_groups : int64 arrays, shape (nodes + 1,)
        The values and the groups of each node.
    group_size : int32 array, shape (groups,)
    group_places : int64 array, shape (groups + 1,)
        The rows of weights of each group, in ``node_place``.
    node_place : int32 array
        Where each row starts in the table of weights.
    edge_cells, edge_rows, edge_blocks : int64 arrays, shape (edges + 1,)
        The pairs of values of each edge (the parent's value is the row), the values of its parent, and its blocks.
    block_shape : int32 array, shape (blocks, 4)
        First row, first column, rows and columns of each block.
    block_places : int64 array, shape (blocks + 1,)
    edge_place : int32 array
    base : float64 array, shape (candidates,)
        The log-probability of each candidate under the base model, minus that of the most probable of its sentence.
    gain : float64 array, shape (candidates,)
        The gold score of each candidate, such as its F1.
    best : int32 array, shape (sentences,)
        The best candidate of each sentence, t(i,1) in the paper, counted from its first.
    domain : int32 array, shape (nodes,)
        The domain of each node, which names its values.
    """

    candidates: Ints
    positions: Ints
    parent: Places
    word: Places
    node: Places
    edge: Places
    values: Ints
    rows: Ints
    nodes: Ints
    edges: Ints
    node_values: Ints
    node_groups: Ints
    group_size: Places
    group_places: Ints
    node_place: Places
    edge_cells: Ints
    edge_rows: Ints
    edge_blocks: Ints
    block_shape: Places
    block_places: Ints
    edge_place: Places
    base: Floats
    gain: Floats
    best: Places
    domain: Places
