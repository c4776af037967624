"""The k best derivations, found lazily: algorithm 3 of Huang and Chiang (2005).

The derivations of an item are ranked.  A candidate is an edge and a rank for each of its tails; the next best
derivation is the best candidate, and taking it makes one new candidate for each tail, with the next rank there.  The
ranks of a tail are found only when a candidate asks for them.

This is for forests that are better not listed: the steps into an item are made on demand, as those of a PCFG, whose
charts hold far more than its best trees are made of.  Where a walk back over a chart can list what the best trees are
made of, `treewright.inference.charts.k_best` ranks them in a compiled kernel.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Hashable, Iterator
from typing import Any, NamedTuple, Protocol

__all__ = ["Edge", "Forest", "LazyDerivations"]


class Edge(NamedTuple):
    """A step into an item: its own weight, the items it is made of, and what it adds to a derivation.

    ``score`` is the weight with the best derivations of the items.
    """

    score: float
    weight: float
    tails: tuple[Any, ...]
    chain: tuple[int, ...] = ()


class Forest(Protocol):
    """All derivations of a sentence: items, and the steps into them."""

    @property
    def goal(self) -> Hashable:
        """The item that is all of a derivation."""

    def edges(self, item: Any, limit: int | None = None) -> list[Edge]:
        """List the steps into an item; more than the limit are not needed."""


class _Candidate(NamedTuple):
    """An edge with a rank for each tail; the smallest has the best score, and was made first."""

    cost: float
    number: int
    edge: Edge
    ranks: tuple[int, ...]


class _Ranking:
    """The derivations of an item found so far, best first, and the candidates for the next."""

    def __init__(self, edges: list[Edge]) -> None:
        self.found: list[_Candidate] = []
        self.heap = [_Candidate(-edge.score, number, edge, (0,) * len(edge.tails)) for number, edge in enumerate(edges)]
        heapq.heapify(self.heap)
        self.count = len(self.heap)
        self.seen: set[tuple[int, tuple[int, ...]]] = set()

    def push(self, cost: float, edge: Edge, ranks: tuple[int, ...]) -> None:
        if (id(edge), ranks) not in self.seen:  # edges live as long as the ranking
            self.seen.add((id(edge), ranks))
            heapq.heappush(self.heap, _Candidate(cost, self.count, edge, ranks))
            self.count += 1


class LazyDerivations:
    """The derivations of a sentence, best first.

    Parameters
    ----------
    forest : Forest
    limit : int, optional
        How many will be asked for.  No item then needs more steps into it than that.
    """

    def __init__(self, forest: Forest, limit: int | None = None) -> None:
        self._forest = forest
        self._limit = limit
        self._rankings: dict[Hashable, _Ranking] = {}

    def __iter__(self) -> Iterator[tuple[float, list[tuple[int, ...]]]]:
        """Yield scores with derivations: what their edges add, in preorder."""
        rank = 0
        while self._reaches(self._forest.goal, rank):
            yield -self._ranking(self._forest.goal).found[rank].cost, self._chains(rank)
            rank += 1

    def _ranking(self, item: Hashable) -> _Ranking:
        if item not in self._rankings:
            self._rankings[item] = _Ranking(self._forest.edges(item, self._limit))
        return self._rankings[item]

    def _reaches(self, item: Hashable, rank: int) -> bool:
        """Find the derivations of an item up to a rank; False where it has fewer.

        The calls for tails, as deep as the tree, are kept on a stack of their own.
        """
        if len(self._ranking(item).found) > rank:
            return True
        calls = [self._find(item, rank)]
        while calls:
            wanted = next(calls[-1], None)
            if wanted is None:
                calls.pop()
            else:
                calls.append(self._find(*wanted))
        return len(self._ranking(item).found) > rank

    def _find(self, item: Hashable, rank: int) -> Generator[tuple[Hashable, int], None, None]:
        """Find derivations up to a rank, asking for those of tails on the way."""
        ranking = self._ranking(item)
        while len(ranking.found) <= rank:
            if ranking.found:
                yield from self._succeed(ranking, ranking.found[-1])
            if not ranking.heap:
                return
            ranking.found.append(heapq.heappop(ranking.heap))

    def _succeed(self, ranking: _Ranking, last: _Candidate) -> Generator[tuple[Hashable, int], None, None]:
        """Make the candidates that follow one: the next rank in each tail."""
        for place, tail in enumerate(last.edge.tails):
            ranks = (*last.ranks[:place], last.ranks[place] + 1, *last.ranks[place + 1 :])
            yield tail, ranks[place]
            if len(self._ranking(tail).found) > ranks[place]:
                ranking.push(self._cost(last.edge, ranks), last.edge, ranks)

    def _cost(self, edge: Edge, ranks: tuple[int, ...]) -> float:
        cost = -edge.weight
        for tail, rank in zip(edge.tails, ranks, strict=True):
            found = self._ranking(tail).found
            cost += found[rank].cost if found else -self._best(tail)
        return cost

    def _best(self, item: Hashable) -> float:
        return -self._ranking(item).heap[0].cost

    def _chains(self, rank: int) -> list[tuple[int, ...]]:
        """Walk down from the goal and list the chains."""
        chains = []
        todo: list[tuple[Hashable, int]] = [(self._forest.goal, rank)]
        while todo:
            item, rank = todo.pop()
            self._reaches(item, rank)
            candidate = self._ranking(item).found[rank]
            if candidate.edge.chain:
                chains.append(candidate.edge.chain)
            todo += reversed(list(zip(candidate.edge.tails, candidate.ranks, strict=True)))
        return chains
