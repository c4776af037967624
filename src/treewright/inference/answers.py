"""Answers to the questions of `Trees`: scores become problems, a backend solves them, its numbers become answers.

Most functions take many `Scores`, because problems of the same shape are solved fastest together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Heads, Real
from treewright.inference.charts import projective
from treewright.inference.dual.dual_decomposition import DualDecomposition
from treewright.inference.heads import checked_heads, checked_labels, parts_of_tree
from treewright.inference.labels import add_labels, best_labels, best_labels_of_all, label_entropy, label_marginals
from treewright.inference.parse import Parse
from treewright.inference.problem import Problem
from treewright.inference.scores import Scores
from treewright.inference.search_space import SearchSpace
from treewright.inference.spanning import nonprojective
from treewright.inference.sums import Sums

__all__ = ["argmax", "entropy", "expectations", "k_best", "log_partition", "mbr", "sample", "score"]


class Backend(Protocol):
    """A module that solves problems: dynamic programs over charts, or spanning trees and determinants."""

    def best(self, problems: Sequence[Problem], single_root: bool, /) -> tuple[Floats, list[Heads]]:
        """Find the best tree of each problem: its score, and its heads (-1 where there is none)."""

    def k_best(self, problem: Problem, single_root: bool, k: int, /) -> tuple[Floats, Heads]:
        """Find the k best trees, all if they are fewer: their scores, and a row of heads for each."""

    def log_totals(self, problems: Sequence[Problem], single_root: bool, /) -> Floats:
        """Compute log Z of each problem, minus infinity where there is no tree."""

    def sums(self, problems: Sequence[Problem], single_root: bool, entropy: bool, /) -> list[Sums]:
        """Compute log Z, all marginals and, if asked for, the entropy of each problem."""

    def sample(self, problem: Problem, single_root: bool, size: int, seed: int, /) -> Heads:
        """Draw trees; all heads are -1 where there is none."""


def _backend(space: SearchSpace) -> Backend:
    if space.is_hard:
        raise NotImplementedError(
            f"trees that need not be projective, with {space.factorization!r} scores, have argmax and score only; "
            "for the other questions, use factorization='arc', or projective=True"
        )
    return projective if space.projective else nonprojective


def argmax(space: SearchSpace, batch: Sequence[Scores]) -> list[Parse]:
    """Find the best tree of each of many problems."""
    if space.is_hard:
        return [DualDecomposition(space).argmax(scores) for scores in batch]
    problems = Problem.all_of(batch, space, "max")
    values, heads = _backend(space).best(problems, space.single_root)
    parses = []
    for problem, value, row in zip(problems, values.tolist(), heads, strict=True):
        if row[1] < 0:
            raise problem.has_no_tree()
        parses.append(Parse(row, best_labels(problem.scores, row), value))
    return parses


def k_best(space: SearchSpace, scores: Scores, k: int) -> list[Parse]:
    """Find the k best trees, all if they are fewer."""
    if k < 0:
        raise ValueError(f"k is {k}: it must be at least 0")
    problem = Problem.of(scores, space, "max")
    values, heads = _backend(space).k_best(problem, space.single_root, max(k, 1))
    if not len(heads):
        raise problem.has_no_tree()
    trees = zip(heads, best_labels_of_all(scores, heads), values.tolist(), strict=True)
    return [Parse(row, labels, value) for row, labels, value in trees][:k]


def mbr(space: SearchSpace, scores: Scores) -> Parse:
    """Find the tree with the highest expected number of correct arcs."""
    [sums] = _sums(space, [scores])
    arc = Problem.of(scores, space, "max").arc
    expected = Scores(arc=np.where(arc > -np.inf, sums.marginals["arc"], -np.inf))
    [parse] = argmax(SearchSpace(space.projective, space.single_root), [expected])
    return replace(parse, labels=best_labels(scores, parse.heads))


def log_partition(space: SearchSpace, batch: Sequence[Scores]) -> list[float]:
    """Compute log Z of each of many problems."""
    problems = Problem.all_of(batch, space, "sum")
    totals: list[float] = _backend(space).log_totals(problems, space.single_root).tolist()
    for problem, value in zip(problems, totals, strict=True):
        if value == -np.inf:
            raise problem.has_no_tree()
    return totals


def _sums(space: SearchSpace, batch: Sequence[Scores], entropy: bool = False) -> list[Sums]:
    problems = Problem.all_of(batch, space, "sum")
    answers = _backend(space).sums(problems, space.single_root, entropy)
    for problem, sums in zip(problems, answers, strict=True):
        if sums.log_total == -np.inf:
            raise problem.has_no_tree()
    return answers


def expectations(space: SearchSpace, batch: Sequence[Scores]) -> list[tuple[float, Scores]]:
    """Compute log Z and the marginals of each of many problems."""
    return [
        (sums.log_total, _as_scores(scores, sums.marginals))
        for scores, sums in zip(batch, _sums(space, batch), strict=True)
    ]


def _as_scores(scores: Scores, probabilities: dict[str, Floats]) -> Scores:
    """Return marginals in the shape of the scores they belong to."""
    arc, label = probabilities["arc"], label_marginals(scores, probabilities["arc"])
    arrays: dict[str, Real] = {name: probabilities[name] for name in scores.higher}
    if scores.parts is not None:
        arc = arc[tuple(scores.parts.arc.T)]
        for name, array in arrays.items():
            if array.ndim > 1:
                arrays[name] = array[tuple(scores.parts.rows(name).T)]
    return Scores.unchecked(arc=arc, label=label, parts=scores.parts, **arrays)


def entropy(space: SearchSpace, scores: Scores) -> float:
    """Compute the entropy of the distribution over (labelled) trees."""
    [sums] = _sums(space, [scores], entropy=True)
    return max(0.0, sums.entropy + label_entropy(scores, sums.marginals["arc"]))


def sample(space: SearchSpace, scores: Scores, size: int, seed: int) -> Heads:
    """Draw trees, each with its probability."""
    if size < 0 or seed < 0:
        raise ValueError(f"size is {size} and seed is {seed}: neither may be negative")
    problem = Problem.of(scores, space, "sum")
    heads = _backend(space).sample(problem, space.single_root, max(size, 1), seed)
    if heads[0, 1] < 0:
        raise problem.has_no_tree()
    return heads[:size]


def score(space: SearchSpace, scores: Scores, heads: npt.ArrayLike, labels: npt.ArrayLike | None, how: str) -> float:
    """Add up the scores of the parts of a tree; without labels, the max or log-sum of each arc's labels."""
    tree = checked_heads(heads, scores.n)
    given = None if labels is None else checked_labels(labels, scores)
    problem = Problem.of(scores if given is None else replace(scores, label=None), space, how)
    arcs = problem.arc[tree[1:], np.arange(1, len(tree))]
    total = (arcs if given is None else arcs + add_labels(scores, tree, given)).tolist()
    for name, index in parts_of_tree(tree, space.factorization).items():
        array = scores.higher.get(name)
        if array is not None:
            total += problem.higher_of_tree(name, array, index).tolist()
    return math.fsum(total) if -np.inf not in total else -np.inf
