"""The features of Figure 2 of Koo and Collins (2005), without their hidden values, from a tree with heads.

Everything is a hash.  The hash of a path or a rule mixes that of a node with those of the nodes above or below it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints, Places
from treewright.kernels import inner_kernel, kernel
from treewright.reranking.hidden.hashing import Hashes64, mix

__all__ = ["CONTEXTS", "HashedTree", "order_words", "tree_features"]

#: The number of single-variable features of Figure 2, without those of the rules that a word heads, which vary.
CONTEXTS = 16

U = np.uint64


class HashedTree(NamedTuple):
    """A tree with heads; parents come before their children."""

    labels: Hashes64  # the hash of the label of each node
    is_conjunction: npt.NDArray[np.bool_]
    parents: Places  # the parent of each node, -1 for the top
    head_children: Places  # the head child of each node, -1 for leaves
    head_words: Places  # the head word of each node, from 0
    leaves: Places  # the leaf of each word


@kernel
def order_words(heads: Places) -> Places:
    """List words so that each comes after its head (-1 for none), without those in or below a cycle."""
    n = len(heads)
    starts = np.zeros(n + 2, np.int64)
    for m in range(n):
        if -1 <= heads[m] < n:
            starts[heads[m] + 2] += 1
    for h in range(n + 1):
        starts[h + 1] += starts[h]
    below = np.empty(n, np.int32)
    fill = starts.copy()
    for m in range(n):
        if -1 <= heads[m] < n:
            below[fill[heads[m] + 1]] = m
            fill[heads[m] + 1] += 1
    order = np.empty(n, np.int32)
    end = 0
    for k in range(starts[0], starts[1]):
        order[end] = below[k]
        end += 1
    done = 0
    while done < end:
        h = order[done]
        for k in range(starts[h + 1], starts[h + 2]):
            order[end] = below[k]
            end += 1
        done += 1
    return order[:end]


@inner_kernel
def sorted_children(tree: HashedTree) -> tuple[Ints, Places]:
    """List the children of each node, ordered by their head words."""
    n = len(tree.parents)
    starts = np.zeros(n + 1, np.int64)
    for node in range(n):
        if tree.parents[node] >= 0:
            starts[tree.parents[node] + 1] += 1
    for node in range(n):
        starts[node + 1] += starts[node]
    children = np.empty(starts[n], np.int32)
    fill = starts.copy()
    for node in range(n):
        parent = tree.parents[node]
        if parent < 0:
            continue
        k = fill[parent]
        while k > starts[parent] and tree.head_words[children[k - 1]] > tree.head_words[node]:
            children[k] = children[k - 1]
            k -= 1
        children[k] = node
        fill[parent] += 1
    return starts, children


@kernel
def paths(tree: HashedTree) -> tuple[Hashes64, Hashes64]:
    """Hash the labels from each node up to the top, and those from each node down to its head word."""
    n = len(tree.labels)
    up, down = tree.labels.copy(), tree.labels.copy()
    for node in range(n):
        if tree.parents[node] >= 0:
            up[node] = mix(up[tree.parents[node]], tree.labels[node])
    for node in range(n - 1, -1, -1):
        if tree.head_children[node] >= 0:
            down[node] = mix(down[tree.head_children[node]], tree.labels[node])
    return up, down


@kernel
def rules(tree: HashedTree, starts: Ints, children: Places) -> tuple[Hashes64, npt.NDArray[np.bool_]]:
    """Hash the rule of each node, with its head marked, and find whether it has a conjunction."""
    n = len(tree.labels)
    rule, coordinated = tree.labels.copy(), np.zeros(n, np.bool_)
    for node in range(n):
        for k in range(starts[node], starts[node + 1]):
            child = children[k]
            marked = mix(tree.labels[child], U(7)) if child == tree.head_children[node] else tree.labels[child]
            rule[node] = mix(rule[node], marked)
            coordinated[node] |= tree.is_conjunction[child]
    return rule, coordinated


@inner_kernel
def label_above(tree: HashedTree, node: int) -> np.uint64:
    """Return the label of the parent of a node; a constant for the top."""
    return tree.labels[tree.parents[node]] if tree.parents[node] >= 0 else U(3)


@kernel
def tree_features(tree: HashedTree, words: Hashes64, sibling: bool) -> tuple[Places, Places, Ints, Hashes64, Hashes64]:
    """Find the graph of a tree and what is observed at its words and edges.

    Returns
    -------
    top : int32 array, shape (n,)
        The highest node of each word.
    parent : int32 array, shape (n,)
        The graph: the head of each word, or with ``sibling`` the head of the child next to it on the side of the head.
    starts, contexts : int64 and uint64 arrays
        The single-variable features of each word.
    pairs : uint64 array, shape (n, 3)
        The pairwise features of each word with its parent: dependency, rule, and rule with the label above.
    """
    n = len(words)
    starts, children = sorted_children(tree)
    up, down = paths(tree)
    rule, coordinated = rules(tree, starts, children)
    top, chain = tree.leaves.copy(), np.zeros(n, np.int64)
    for w in range(n):
        node = tree.leaves[w]
        while tree.parents[node] >= 0 and tree.head_children[tree.parents[node]] == node:
            node = tree.parents[node]
            chain[w] += 1
        top[w] = node
    parent, pairs, place = np.full(n, -1, np.int32), np.zeros((n, 3), np.uint64), np.zeros(n, np.int64)
    for node in range(len(tree.labels)):
        head = starts[node]
        while head < starts[node + 1] and children[head] != tree.head_children[node]:
            head += 1
        for k in range(starts[node], starts[node + 1]):
            if k == head:
                continue
            inner = head
            if sibling:
                inner = k - 1 if k > head else k + 1
            child, m = children[k], tree.head_words[children[k]]
            parent[m] = tree.head_words[children[inner]]
            place[m] = k - starts[node] + 1
            flags = U((k > head) + 2 * (abs(k - head) == 1) + 4 * coordinated[node] + 8 * sibling + 16)
            labels = mix(mix(tree.labels[children[inner]], tree.labels[child]), tree.labels[node])
            pairs[m, 0] = mix(labels, flags)
            pairs[m, 1] = mix(mix(rule[node], U(place[m])), U(40 + sibling))
            pairs[m, 2] = mix(pairs[m, 1], label_above(tree, node))
    first, contexts = word_features(tree, words, top, chain, place, up, down, rule)
    return top, parent, first, contexts, pairs


@inner_kernel
def word_features(
    tree: HashedTree,
    words: Hashes64,
    top: Places,
    chain: Ints,
    place: Ints,
    up: Hashes64,
    down: Hashes64,
    rule: Hashes64,
) -> tuple[Ints, Hashes64]:
    """List the single-variable features of each word; ``place`` is that of its constituent in the rule, from 1."""
    n = len(words)
    starts = np.zeros(n + 1, np.int64)
    for w in range(n):
        starts[w + 1] = starts[w] + CONTEXTS + 4 * chain[w] - (0 if place[w] else 4)
    contexts = np.empty(starts[n], np.uint64)
    for w in range(n):
        word, tag, node = words[w], tree.labels[tree.leaves[w]], top[w]
        highest = tree.labels[node]
        end = starts[w]
        contexts[end] = U(50)
        contexts[end + 1] = mix(tag, U(51))
        contexts[end + 2] = mix(highest, U(52))
        contexts[end + 3] = mix(mix(tag, highest), U(53))
        contexts[end + 4] = mix(up[node], U(54))
        contexts[end + 5] = mix(down[node], U(55))
        end += 6
        if place[w]:
            above = tree.parents[node]
            contexts[end] = mix(mix(rule[above], U(place[w])), U(56))
            contexts[end + 1] = mix(contexts[end], label_above(tree, above))
            end += 2
        level = tree.leaves[w]
        for _ in range(chain[w]):
            level = tree.parents[level]
            contexts[end] = mix(rule[level], U(57))
            contexts[end + 1] = mix(contexts[end], label_above(tree, level))
            end += 2
        half = end - starts[w]
        for k in range(half):  # each once more, with the word
            contexts[end + k] = mix(contexts[starts[w] + k], word)
    return starts, contexts
