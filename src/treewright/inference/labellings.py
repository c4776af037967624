"""The k best labelled trees, from the k best trees: labels are chosen arc by arc, each arc for itself.

A labelled tree scores no more than its heads with their best labels.  So the k best labelled trees are among the
labellings of the k best trees.  The labellings of one tree are sums of one number for each word, and are listed
best first by a heap: sort the labels of each word, and the words by what their second label costs.  From a labelling
whose last change is at word i (in this order), others follow by the next label at i, by the second label at word i + 1
beside it, and, if i has its second label, by that at i + 1 in its place.  Each labelling follows from exactly one other
that scores no less, so none comes twice, and k of them take O(k log k) steps however many words and labels there are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Floats, Heads, Ints
from treewright.inference.charts.k_best import CHILD, SIBLING, meld, without_best
from treewright.inference.parse import Parse
from treewright.inference.scores import Scores
from treewright.kernels import exact_kernel, subroutine

__all__ = ["best_labellings"]

#: Columns of a labelling: its tree; where its last change is, in the order of words, and the rank of the label there;
#: the labelling that has all changes but the last (-1: none).  Two more are for the heap.
TREE, PLACE, RANK, BEFORE = range(4)


def best_labellings(scores: Scores, trees: Sequence[Parse], k: int) -> list[Parse]:
    """Find the k best labelled trees, given the k best trees with their best labels, best first."""
    if scores.label is None or k < 1:
        return list(trees)[:k]
    heads = np.array([tree.heads for tree in trees])
    words, above, parts = np.arange(1, heads.shape[1]), heads[:, 1:], scores.parts
    arcs = above * heads.shape[1] + words if parts is None else parts.arcs.number[above, words]
    label = scores.label.reshape(-1, scores.label.shape[-1])
    used = np.flatnonzero(np.bincount(arcs.ravel(), minlength=len(label)))  # trees share most of their arcs
    place = np.empty(len(label), np.int64)
    place[used] = np.arange(len(used))
    values = np.array([tree.score for tree in trees])
    numbers, labels, totals = _ranked(place[arcs], label[used].astype(np.float64), values, k)
    found = zip(numbers.tolist(), labels, totals.tolist(), strict=True)
    return [Parse(trees[number].heads, row, total) for number, row, total in found]


@subroutine()
def _label_of_rank(label: Floats, ranking: Ints, known: Ints, arc: int, rank: int) -> int:
    """Return the label of an arc that has a rank, from 0; of equal labels the first ranks first."""
    while known[arc] <= rank:
        least, before = np.inf, -1
        if known[arc]:
            before = ranking[arc, known[arc] - 1]
            least = label[arc, before]
        best = -1
        for other in range(label.shape[1]):
            score = label[arc, other]
            follows = score < least or (score == least and other > before)
            if follows and (best < 0 or score > label[arc, best]):
                best = other
        ranking[arc, known[arc]] = best
        known[arc] += 1
    return int(ranking[arc, rank])


@subroutine()
def _cost(label: Floats, ranking: Ints, known: Ints, arc: int, rank: int) -> float:
    """Return what the label of a rank costs beside the best."""
    if rank >= label.shape[1]:
        return np.inf
    return float(label[arc, ranking[arc, 0]] - label[arc, _label_of_rank(label, ranking, known, arc, rank)])


@exact_kernel
def _ranked(rows: Ints, label: Floats, values: Floats, k: int) -> tuple[Ints, Heads, Floats]:
    """Rank the labellings of trees, whose arcs are rows of ``label``: their trees, labels, and scores."""
    trees, n = rows.shape
    ranking, known = np.empty(label.shape, np.int64), np.zeros(len(label), np.int64)
    second = np.empty(len(label))
    for arc in range(len(label)):
        _label_of_rank(label, ranking, known, arc, 0)
        second[arc] = _cost(label, ranking, known, arc, 1)
    order, is_ordered = np.empty((trees, n), np.int64), np.zeros(trees, np.int64)
    made = np.empty((trees + 3 * k, SIBLING + 1), np.int64)
    scores = np.empty(len(made))
    heap, count = -1, trees
    for tree in range(trees):
        made[tree, TREE], made[tree, PLACE], made[tree, RANK], made[tree, BEFORE] = tree, -1, 0, -1
        made[tree, CHILD], made[tree, SIBLING] = -1, -1
        scores[tree] = values[tree]
        heap = meld(made, scores, heap, tree)
    found, labels = np.empty(k, np.int64), np.full((k, n + 1), -1, np.int32)
    end = 0
    while end < k and heap >= 0:
        chosen = heap
        heap = without_best(made, scores, heap)
        tree, place, rank = made[chosen, TREE], made[chosen, PLACE], made[chosen, RANK]
        if not is_ordered[tree]:  # words by what their second label costs
            is_ordered[tree] = 1
            for word in range(n):
                at = word
                while at > 0 and second[rows[tree, order[tree, at - 1]]] > second[rows[tree, word]]:
                    order[tree, at] = order[tree, at - 1]
                    at -= 1
                order[tree, at] = word
        for word in range(n):
            labels[end, word + 1] = ranking[rows[tree, word], 0]
        change = chosen
        while made[change, PLACE] >= 0:
            word = order[tree, made[change, PLACE]]
            labels[end, word + 1] = ranking[rows[tree, word], made[change, RANK]]
            change = made[change, BEFORE]
        found[end] = chosen
        end += 1
        # What follows: the next label here; the second label of the next word, beside this one or in its place.
        here = 0.0 if place < 0 else _cost(label, ranking, known, rows[tree, order[tree, place]], rank)
        for way in range(3):
            at, to, before, cost = place + 1, 1, chosen, np.inf
            if way == 0 and place >= 0:
                at, to, before = place, rank + 1, made[chosen, BEFORE]
                cost = _cost(label, ranking, known, rows[tree, order[tree, place]], to) - here
            elif way > 0 and at < n and (way == 1 or rank == 1):
                cost = second[rows[tree, order[tree, at]]]
                if way == 2:
                    before, cost = made[chosen, BEFORE], cost - here
            if cost < np.inf:
                made[count, TREE], made[count, PLACE], made[count, RANK], made[count, BEFORE] = tree, at, to, before
                made[count, CHILD], made[count, SIBLING] = -1, -1
                scores[count] = scores[chosen] - cost
                heap = meld(made, scores, heap, count)
                count += 1
    return made[found[:end], TREE], labels[:end], scores[found[:end]]
