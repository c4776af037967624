"""All derivations of a sentence: charts, what stands above them, the steps into every item, and the k best.

Above the charts stands the goal: a symbol over all words that was seen as a root.  Only where there is none,
the sentence is a row of *fragments*, each a phrase or tag: glue(j) covers the first j words, and each fragment costs
``FRAGMENT``, so that fewer are better.  As every word has a tag, every sentence has a derivation.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats
from treewright.constituency.pcfg.chart import cell_of, find_splits, maximise, spread, sum_up
from treewright.constituency.pcfg.grammar import Grammar
from treewright.inference.charts import k_best

__all__ = ["FRAGMENT", "Forest", "Item"]

#: The log-probability of a fragment.
FRAGMENT = -20.0

#: What losses may differ by from rounding, in shares of the best score.
TOLERANCE = 1e-9

#: Layers of items: the goal, the first words in fragments, and a symbol over words in the two layers of the chart.
GOAL, GLUE, TOP, BASE = range(4)


class Item(NamedTuple):
    """Something to derive: a symbol over words in a layer, or the first ``end`` words in fragments, or the goal."""

    layer: int
    start: int
    end: int
    symbol: int = -1


class Edge(NamedTuple):
    """A step into an item: its score with the best derivations of its tails, its own weight, and the tails.

    ``adds`` is the symbol that it adds to a derivation, or the number of symbols plus that of a chain; -1 for nothing.
    """

    score: float
    weight: float
    tails: tuple[Item, ...]
    adds: int = -1


class Forest:
    """The derivations of a sentence.

    ``leaves``, shape (n, tags), has the log-probability of each word under each tag; at least one of a word is finite.
    """

    def __init__(self, grammar: Grammar, leaves: Floats) -> None:
        self.grammar = grammar
        self.leaves = leaves
        self.n = len(leaves)
        self.base, self.top, self._left = maximise(grammar, leaves)
        self._whole = grammar.root + self.top[cell_of(0, self.n), : grammar.solid]
        self.goal = Item(GOAL, 0, self.n)

    @property
    def is_whole(self) -> bool:
        """Whether the grammar derives the sentence without fragments."""
        return bool(np.isfinite(self._whole).any())

    def _solid(self, start: int, end: int) -> Floats:
        return self.top[cell_of(start, end), : self.grammar.solid]

    @cached_property
    def _glue(self) -> Floats:
        """Find the best score of the first j words in fragments."""
        glue = np.zeros(self.n + 1)
        for j in range(1, self.n + 1):
            glue[j] = max(glue[i] + self._solid(i, j).max() + FRAGMENT for i in range(j))
        return glue

    @cached_property
    def _ratios(self) -> tuple[Floats, Floats]:
        return sum_up(self.grammar, self.n, self.base, self.top, self._left)

    def _fragments(self, i: int, j: int, glue_ratio: Floats) -> Floats:
        """Weigh the first i words in fragments with words i to j as one more, as ratios to the best of j."""
        ratio = self._ratios[1][cell_of(i, j), : self.grammar.solid]
        best: Floats = np.exp(self._glue[i] + self._solid(i, j) + FRAGMENT - self._glue[j])
        return best * ratio * float(glue_ratio[i])

    @cached_property
    def _glue_ratio(self) -> Floats:
        ratio = np.ones(self.n + 1)
        for j in range(1, self.n + 1):
            ratio[j] = sum(self._fragments(i, j, ratio).sum() for i in range(j))
        return ratio

    def _goal_weights(self) -> Floats:
        """Weigh the roots, as ratios to the best."""
        best: Floats = np.exp(self._whole - self._whole.max())
        return best * self._ratios[1][cell_of(0, self.n), : self.grammar.solid]

    def log_partition(self) -> float:
        """Sum over all derivations."""
        if self.is_whole:
            return float(self._whole.max() + np.log(self._goal_weights().sum()))
        return float(self._glue[self.n] + np.log(self._glue_ratio[self.n]))

    def expected_labels(self, labels: int) -> Floats:
        """Compute the expected number of nodes with each label, shape (cells, labels)."""
        posterior = np.zeros(self.top.shape)
        expected = np.zeros((len(posterior), labels))
        solid = self.grammar.solid
        if self.is_whole:
            weights = self._goal_weights()
            posterior[cell_of(0, self.n), :solid] = weights / weights.sum()
        else:
            glue = np.zeros(self.n + 1)
            glue[self.n] = 1.0
            for j in range(self.n, 0, -1):
                for i in range(j):
                    mass = glue[j] / self._glue_ratio[j] * self._fragments(i, j, self._glue_ratio)
                    posterior[cell_of(i, j), :solid] = mass
                    glue[i] += mass.sum()
            root = self.grammar.label[self.grammar.root.argmax()]
            whole = cell_of(0, self.n)
            expected[whole, root] = 1.0 - posterior[whole].sum()  # stands above two fragments or more
        spread(self.grammar, self.n, (self.base, self.top, self._left), self._ratios, posterior, expected)
        return expected

    def best_first(self, k: int) -> Iterator[tuple[float, list[tuple[int, ...]]]]:
        """Yield all derivations, the best first: their scores and chains; k of them are probably enough."""
        for score, added in k_best.best_first(self._list_best, k):
            yield score, [self._chain(number) for number in added.tolist()]

    def _chain(self, added: int) -> tuple[int, ...]:
        chain = added - self.grammar.symbols
        if chain < 0:
            return (added,)
        return tuple(self.grammar.steps[self.grammar.of_chain[chain] : self.grammar.of_chain[chain + 1]].tolist())

    def _list_best(self, k: int) -> k_best.Forest:
        """List the edges of at least the k best derivations, bounded as in `treewright.inference.charts.listing`."""
        most = 0.0
        while True:
            visited = self._walk(k, most, np.inf)
            losses = sorted(loss for own in visited.values() for loss, _ in own)
            place = len(visited) + k - 2  # after the first choices, the (k - 1)-th
            if place < len(losses) or losses[-1] <= most:
                break
            most = losses[-1]
        most = losses[min(place, len(losses) - 1)] + TOLERANCE * (1.0 + abs(visited[self.goal][0][1].score))
        visited = self._walk(k, most, most)
        numbers = {item: number for number, item in enumerate(visited)}
        listed = [edge for own in visited.values() for _, edge in own]
        return k_best.Forest(
            starts=np.cumsum([0, *map(len, visited.values())]),
            tails=np.array([[*map(numbers.__getitem__, edge.tails), -1, -1][:2] for edge in listed]),
            weights=np.array([edge.weight for edge in listed]),
            scores=np.array([edge.score for edge in listed]),
            adds=np.array([edge.adds for edge in listed]),
        )

    def _walk(self, k: int, visited: float, listed: float) -> dict[Item, list[tuple[float, Edge]]]:
        """Visit items from the goal down, and list the edges into them with their losses, up to k for each item.

        The loss of an item or an edge is how far the best derivation with it scores below the best of all; ``visited``
        and ``listed`` are the largest of items and of edges.
        """
        losses, found = {self.goal: 0.0}, dict[Item, list[tuple[float, Edge]]]()
        todo = [(-self.n, self.goal)]
        while todo:
            _, item = heappop(todo)
            own = self.edges(item, k, listed - losses[item])
            behind = losses[item] + max(edge.score for edge in own)
            found[item] = [(behind - edge.score, edge) for edge in own if behind - edge.score <= listed]
            for loss, edge in found[item]:
                for tail in edge.tails if loss <= visited else ():
                    if tail not in losses:
                        heappush(todo, (tail.start - tail.end, tail))  # longer spans first
                    losses[tail] = min(loss, losses.get(tail, loss))
        return found

    def edges(self, item: Item, limit: int, most: float) -> list[Edge]:
        """List the steps into an item that lead to a derivation.

        Of those with two children, the best are listed, up to a limit, that score at most so far below the best.
        """
        layer, start, end, symbol = item
        if layer == GOAL:
            if not self.is_whole:
                glued = Item(GLUE, 0, end)
                return [Edge(float(self._glue[end]), 0.0, (glued,))]
            return [
                Edge(float(self._whole[a]), float(self.grammar.root[a]), (Item(TOP, 0, end, a),))
                for a in np.flatnonzero(np.isfinite(self._whole)).tolist()
            ]
        if layer == GLUE:
            return [edge for i in range(end) for edge in self._fragment_edges(i, end)]
        if layer == TOP and symbol < self.grammar.solid:
            return self._chain_edges(start, end, symbol)
        if end == start + 1:
            weight = float(self.leaves[start, symbol - self.grammar.phrases])
            return [Edge(weight, weight, ())]
        return self._split_edges(start, end, symbol, limit, most)

    def _fragment_edges(self, i: int, j: int) -> list[Edge]:
        before = (Item(GLUE, 0, i),) if i else ()
        scores = self._solid(i, j) + FRAGMENT + self._glue[i]
        return [
            Edge(float(scores[a]), FRAGMENT, (*before, Item(TOP, i, j, a)))
            for a in np.flatnonzero(np.isfinite(scores)).tolist()
        ]

    def _chain_edges(self, i: int, j: int, a: int) -> list[Edge]:
        grammar, row = self.grammar, self.base[cell_of(i, j)]
        edges = [Edge(float(row[a]), 0.0, (Item(BASE, i, j, a),), a)]
        if a < grammar.phrases:
            for chain in range(grammar.of_top[a], grammar.of_top[a + 1]):
                bottom, weight = int(grammar.bottom[chain]), float(grammar.chain_weight[chain])
                below = (Item(BASE, i, j, bottom),)
                edges.append(Edge(float(row[bottom]) + weight, weight, below, grammar.symbols + chain))
        return [edge for edge in edges if edge.score > -np.inf]

    def _split_edges(self, i: int, j: int, a: int, limit: int, most: float) -> list[Edge]:
        grammar = self.grammar
        splits, rules, scores = find_splits(grammar, self.top, i, j, a)
        adds = a if a >= grammar.solid else -1
        edges = []
        order = np.argsort(-scores, kind="stable")[:limit]
        for place in order[scores[order] >= scores.max() - most].tolist():
            k, rule = int(splits[place]), rules[place]
            tails = Item(TOP, i, k, int(grammar.left[rule])), Item(TOP, k, j, int(grammar.right[rule]))
            edges.append(Edge(float(scores[place]), float(grammar.weight[rule]), tails, adds))
        return edges
