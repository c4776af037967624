"""The best tree under factors of any shape, exactly: branch and bound (Qian & Liu 2013).

The trees of a node are those whose arcs are all allowed.  Its bound is a saddle point of Ψ (section 3.2, in
`treewright.inference.bounds.saddle_point`), found by searching a *backbone*, any program of `Trees`, under changed arc
scores.  Where the bound is above the best tree seen, the node is split in two: its trees with an arc e and its trees
without, e being the arc with the largest gap (section 3.3).  Nodes are taken from the highest bound down, so that at
any time the first of them bounds all trees; the paper goes level by level.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from treewright.arrays import Floats, Mask
from treewright.inference.bounds.backbones import Backbone, number_of
from treewright.inference.bounds.relaxation import Table, sift, uniform
from treewright.inference.bounds.saddle_point import Best, Bound, Slack, bounding, is_tight
from treewright.inference.factors import Factors
from treewright.inference.labels import best_labels
from treewright.inference.parse import Parse
from treewright.inference.problem import Problem
from treewright.inference.scores import Scores
from treewright.inference.trees import Trees

__all__ = ["BoundedParse", "BranchAndBound"]

FactorsLike = Factors | Iterable[tuple[Iterable[Sequence[int]], float]]

#: The most searches for the bound of the first node, for that of every other, and for the first lower bound.
FIRST, OTHERS, CLIMBS = 40, 10, 4

#: Scores that are all smaller than the first number are counted in units of the second, the least number that has all
#: its digits, so that their products have them too.
SMALL, LEAST = 2.0**-700, 2.0**-1022


@dataclass(frozen=True, eq=False)
class BoundedParse(Parse):
    """A tree, a bound on how much better another could be, and the work it took.

    Attributes
    ----------
    nodes, calls : int
        The number of nodes that were bounded, and of searches of the backbone.
    """

    nodes: int = field(default=0, repr=False)
    calls: int = field(default=0, repr=False)


@dataclass(frozen=True)
class BranchAndBound:
    """An exact search for the best tree under scores of parts and of factors.

    Parameters
    ----------
    backbone : Trees
        The trees that are searched, and the parts that are scored beside the factors.
    max_nodes : int, optional
        The most nodes to bound.
    time_limit : float, optional
        About how many seconds to search; at least one search is made.
    resolution : float, optional
        A number that the scores of any two trees differ by a multiple of, such as 1 where all are whole numbers, or
        1/(NT) for a perceptron averaged over N sentences and T rounds (section 4.4).  The search ends sooner for it.
    tolerance : float
        Differences that are at most this share of a tree's size do not count, its size being the sum of the absolute
        values of the scores of its parts and factors.

    Examples
    --------
    >>> scores = Scores(arc=[[0, 9, 9, 4], [0, 0, 2, 3], [0, 3, 0, 3], [0, 0, 0, 0]])
    >>> Trees().argmax(scores).heads
    array([-1,  2,  0,  2], dtype=int32)
    >>> chain = [(0, 1), (1, 2), (2, 3)], 2.0
    >>> parse = BranchAndBound(Trees()).argmax(scores, [chain])
    >>> parse.heads, round(parse.score, 6), parse.certificate
    (array([-1,  0,  1,  2], dtype=int32), 16.0, True)
    """

    backbone: Trees = field(default_factory=lambda: Trees(factorization="carreras"))
    max_nodes: int | None = None
    time_limit: float | None = None
    resolution: float | None = None
    tolerance: float = 1e-12

    def __post_init__(self) -> None:
        for name, least in (("max_nodes", 1), ("time_limit", 0), ("tolerance", 0)):
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise ValueError(f"{name} is {value}: it must be at least {least}")
        if self.resolution is not None and not self.resolution > 0:
            raise ValueError(f"resolution is {self.resolution}: it must be more than 0")
        if self.backbone.is_hard:
            raise ValueError(
                f"branch and bound searches trees that need not be projective with 'arc' scores, not with "
                f"{self.backbone.factorization!r}: use factorization='arc' and factors, or DualDecomposition"
            )

    def argmax(self, scores: Scores, factors: FactorsLike = ()) -> BoundedParse:
        """Find the tree with the highest score of parts and factors.

        Without ``max_nodes`` and ``time_limit`` this ends with a certificate, but it may take time that is exponential
        in the length of the sentence.

        Parameters
        ----------
        scores : Scores
            What the backbone scores.
        factors : Factors, or pairs (arcs, score)

        Raises
        ------
        ValueError
            If there is no tree, or a factor names an arc that cannot be or has a score that is not finite.
        """
        given = factors if isinstance(factors, Factors) else Factors.of(factors)
        given.check_words(scores.n)
        return _Search(self, Problem.of(scores, self.backbone, "max"), given).run()


class _Search:
    """One search: the nodes that are open, and the best tree so far."""

    def __init__(self, settings: BranchAndBound, problem: Problem, factors: Factors) -> None:
        trees = settings.backbone
        self.settings, self.problem, self.factors = settings, problem, factors
        backbone, size = Backbone.of(problem), problem.scores.n + 1
        self.unit = _unit(backbone.parts, factors.scores)
        self.backbone = backbone._replace(parts=backbone.parts / self.unit)
        table = Table(factors.offsets, factors.heads * size + factors.modifiers, factors.scores / self.unit)
        self.table = self.backbone.split(sift(table, size, trees.projective, trees.single_root))
        self.bounding = bounding(number_of(problem))
        self.scratch = np.empty((2, self.backbone.frame.size))
        self.slack = Slack(float(settings.tolerance), (settings.resolution or 0.0) / self.unit)
        self.best, self.heads = Best(-np.inf, 0.0), np.full(size, -1, np.int64)
        self.nodes, self.calls = 0, 0
        self.began, self.timed_from = 0.0, 0

    def run(self) -> BoundedParse:
        """Split nodes until none is left whose bound is above the best tree."""
        allowed, p = (self.problem.arc > -np.inf).reshape(-1), uniform(self.table)
        order, closed, upper = itertools.count(), -np.inf, np.inf
        if self.settings.time_limit is not None:
            upper = self._time_a_search(allowed, p)
        open_nodes = [(-upper, next(order), allowed, p)]
        while open_nodes and not self._is_tight(-open_nodes[0][0]) and not self._is_over():
            above, _, allowed, p = heapq.heappop(open_nodes)
            p = p.copy()  # the other child starts from it too
            most, climbs = (OTHERS, 0) if self.nodes else (FIRST, CLIMBS)
            bound = self._bound(allowed, p, most, climbs)
            self.nodes += 1
            upper = min(bound.upper, -above)
            if self._is_tight(upper) or bound.arc < 0:
                closed = max(closed, upper)
                continue
            for child in _split(allowed, bound.arc):
                heapq.heappush(open_nodes, (-upper, next(order), child, p))
        return self._answer(max([closed, *(-node[0] for node in open_nodes[:1])]))

    def _time_a_search(self, allowed: Mask, p: Floats) -> float:
        """Start the clock once all is compiled, and return a first bound."""
        self._bound(allowed, p, 1, 0)
        self.began, self.timed_from = time.perf_counter(), self.calls
        return self._bound(allowed, p, 1, 0).upper

    def _is_tight(self, upper: float) -> bool:
        return is_tight(upper, self.best, self.slack)

    def _is_over(self) -> bool:
        settings = self.settings
        if settings.time_limit is not None and time.perf_counter() - self.began >= settings.time_limit:
            return True
        return settings.max_nodes is not None and self.nodes >= settings.max_nodes

    def _within_time(self, most: int) -> int:
        """Return how many searches there is time for, up to ``most``."""
        if self.settings.time_limit is None or self.calls == self.timed_from:
            return most
        passed = time.perf_counter() - self.began
        pace = passed / (self.calls - self.timed_from)
        return max(1, min(most, int((self.settings.time_limit - passed) / pace)))

    def _bound(self, allowed: Mask, p: Floats, most: int, climbs: int) -> Bound:
        ends = self._within_time(most), self.slack, climbs
        bound = self.bounding(self.backbone, self.scratch, self.table, p, allowed, self.best, self.heads, *ends)
        self.best = bound.best
        self.calls += bound.calls
        if self.best.score == -np.inf:
            raise self.problem.has_no_tree()
        return bound

    def _answer(self, upper: float) -> BoundedParse:
        certificate, resolution, scores = self._is_tight(upper), self.settings.resolution, self.problem.scores
        heads = self.heads.astype(np.int32)
        score = self.settings.backbone.score(scores, heads) + self.factors.score(heads)
        gap = 0.0 if certificate else max(upper * self.unit - score, 0.0)
        if resolution is not None:  # the best score is that of this tree, and some multiples
            gap = resolution * math.floor((gap + self.slack.tolerance * self.best.size * self.unit) / resolution)
        labels = best_labels(scores, heads)
        return BoundedParse(heads, labels, score, certificate, gap, nodes=self.nodes, calls=self.calls)


def _unit(*scores: Floats) -> float:
    """Return a power of two to count scores in."""
    largest = max(float(np.abs(each[np.isfinite(each)]).max(initial=0.0)) for each in scores)
    return LEAST if largest < SMALL else 1.0


def _split(allowed: Mask, arc: int) -> tuple[Mask, Mask]:
    """Return the arcs of the trees that have an arc, and of those that lack it."""
    size = math.isqrt(len(allowed))
    having, lacking = allowed.copy(), allowed.copy()
    having[arc % size :: size] = False
    having[arc] = True
    lacking[arc] = False
    return having, lacking
