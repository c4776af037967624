"""Candidates with hidden values as flat arrays, without Python objects for candidates, words or values.

A candidate is a graph of words, D(t) of Koo and Collins (2005), section 3.1; its *positions* are its words, each after
its parent.  Where the graph is not a tree, parents are those of a junction tree (`elimination`), and the *separator* of
a position is its parent and others.  A *node* is a word with everything that its local features see.  A word looks the
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

from treewright.arrays import Floats, Ints, Mask, Places

__all__ = ["BASE", "HiddenTrees"]

#: The place of the weight of the base log-probability.
BASE = 0


class HiddenTrees(NamedTuple):
    """The candidates of many sentences.

    Plural names are offsets: the entries of the i-th are ``first[i]`` to ``first[i + 1]``.
    """

    candidates: Ints  # of each sentence
    positions: Ints  # of each candidate
    parent: Places  # of each position, counted from the first position of its candidate; -1 if it has none
    word: Places  # of each position, from 0
    node: Places  # of each position
    edge: Places  # of each position, to its parent; -1 if it has none
    others: Ints  # of each position: the rest of its separator
    other: Places  # positions, counted like parents
    other_edge: Places  # the edges to these; -1 where there is none
    other_stride: Ints  # from one value of each of these to the next, in rows
    sizes: Places  # of each position: how many values it has
    tables: Ints  # of each position: its values, in one row or in a row for each joint value of its separator
    rows: Ints  # of each position: the joint values of its separator, among which that of the parent varies fastest
    lifts: Ints  # of each position, unless its rows are the entries of the table of its parent
    lift: Places  # of each entry of the table of the parent: its row
    nodes: Ints  # of each sentence
    edges: Ints  # of each sentence
    node_values: Ints  # of each node
    node_groups: Ints  # of each node
    group_size: Places
    group_places: Ints  # of each group: its rows of weights, in `node_place`
    node_place: Places  # where each row starts in the table of weights
    edge_cells: Ints  # of each edge: its pairs of values; the row is the value of the word that is eliminated later
    edge_rows: Ints  # of each edge: its rows
    edge_flipped: Mask  # of each edge: whether its blocks are transposed in it
    edge_blocks: Ints  # of each edge
    block_shape: Places  # of each block: first row, first column, rows and columns
    block_places: Ints  # of each block: its rows of weights, in `edge_place`
    edge_place: Places
    base: Floats  # of each candidate: its log-probability, minus that of the most probable of its sentence
    is_best: Mask  # of each candidate: whether it is a best one of its sentence, t(i,1) in the paper
    domain: Places  # of each node, which names its values
