"""The k best labelled trees, from the k best trees: labels are chosen arc by arc, each arc for itself.

A labelled tree scores no more than its heads with their best labels.  So the k best labelled trees are among the
labellings of the k best trees.  The labellings of one tree are sums of one number for each word, and are listed
best first by a heap: sort the labels of each word, and the words by what their second label costs.  From a labelling
whose last change is at word i (in this order), others follow by the next label at i, by the second label at word i + 1
beside it, and, if i has its second label, by that at i + 1 in its place.  Each labelling follows from exactly one other
that scores no less, so none comes twice, and k of them take O(k log k) steps however many words and labels there are.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from treewright.arrays import Floats, Heads, Ints
from treewright.inference.parse import Parse
from treewright.inference.scores import Scores

__all__ = ["best_labellings"]

#: Changes from the best labels: those before, a place in the order of words, and the rank of the label there.
Changes: TypeAlias = "tuple[Changes, int, int] | None"


def best_labellings(scores: Scores, trees: Sequence[Parse], k: int) -> list[Parse]:
    """Find the k best labelled trees, given the k best trees with their best labels, best first."""
    if scores.label is None or k < 1:
        return list(trees)[:k]
    ranked = _RankedLabels(scores, np.array([tree.heads for tree in trees]))
    order = itertools.count()
    heap: list[tuple[float, int, int, Changes]] = [
        (-tree.score, next(order), number, None) for number, tree in enumerate(trees)
    ]  # sorted, and therefore a heap
    found: list[Parse] = []
    while heap and len(found) < k:
        negated, _, number, changes = heapq.heappop(heap)
        found.append(Parse(trees[number].heads, ranked.labels(number, changes), -negated))
        for cost, following in ranked.following(number, changes):
            if cost < np.inf:
                heapq.heappush(heap, (negated + cost, next(order), number, following))
    return found


class _RankedLabels:
    """The labels of each arc of some trees in the order of their scores, and what each costs beside the best."""

    def __init__(self, scores: Scores, heads: Heads) -> None:
        assert scores.label is not None
        words = np.arange(1, heads.shape[1])
        parts, above = scores.parts, heads[:, 1:]
        arcs = above * heads.shape[1] + words if parts is None else parts.arcs.number[above, words]
        used, self._rows = np.unique(arcs, return_inverse=True)  # trees share most of their arcs
        self._rows = self._rows.reshape(arcs.shape)
        label = scores.label.reshape(-1, scores.label.shape[-1])[used].astype(np.float64)
        self._ranking: Ints = np.argsort(-label, axis=1, kind="stable")  # like argmax, the first of equal ones is best
        ordered = np.take_along_axis(label, self._ranking, axis=1)
        with np.errstate(invalid="ignore"):
            costs: Floats = ordered[:, :1] - ordered
        self._costs: list[list[float]] = costs.tolist()
        self._second = costs[:, min(1, costs.shape[1] - 1)]
        self._orders: dict[int, list[int]] = {}

    def labels(self, number: int, changes: Changes) -> Heads:
        """Return the labels of a tree after some changes, -1 at the root."""
        labels = np.full(self._rows.shape[1] + 1, -1, np.int32)
        labels[1:] = self._ranking[self._rows[number], 0]
        while changes is not None:
            changes, place, rank = changes
            word = self._order(number)[place]
            labels[word + 1] = self._ranking[self._rows[number, word], rank]
        return labels

    def following(self, number: int, changes: Changes) -> list[tuple[float, Changes]]:
        """Return the labellings that follow from one, with what each costs beside it."""
        words, labels = self._rows.shape[1], self._ranking.shape[1]
        if labels == 1:
            return []
        if changes is None:
            return [(self._cost(number, 0, 1), (None, 0, 1))]
        before, place, rank = changes
        cost = self._cost(number, place, rank)
        found: list[tuple[float, Changes]] = []
        if rank + 1 < labels:
            found.append((self._cost(number, place, rank + 1) - cost, (before, place, rank + 1)))
        if place + 1 < words:
            second = self._cost(number, place + 1, 1)
            found.append((second, (changes, place + 1, 1)))
            if rank == 1:
                found.append((second - cost, (before, place + 1, 1)))
        return found

    def _cost(self, number: int, place: int, rank: int) -> float:
        """Return what a label costs beside the best one, at a place in the order of words."""
        row = int(self._rows[number, self._order(number)[place]])
        return self._costs[row][rank]

    def _order(self, number: int) -> list[int]:
        """Return the words of a tree, from 0, by what their second label costs."""
        if number not in self._orders:
            self._orders[number] = np.argsort(self._second[self._rows[number]], kind="stable").tolist()
        return self._orders[number]
