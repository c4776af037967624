"""Answers for many sentences: scores become problems, a backend solves them, its numbers become answers.

Problems of the same shape are solved fastest together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Heads
from treewright.inference.charts import projective
from treewright.inference.labels import best_labels, label_marginals, label_tangents
from treewright.inference.parse import Parse
from treewright.inference.problem import Problem
from treewright.inference.scores import Scores
from treewright.inference.search_space import SearchSpace
from treewright.inference.sums import Sums, Tangents

__all__ = ["argmax", "backend", "expectations", "log_partition", "sums", "tangents"]


class Backend(Protocol):
    """A module that solves problems: dynamic programs over charts, or spanning trees and determinants."""

    def best(self, problems: Sequence[Problem], single_root: bool, /) -> tuple[Floats, list[Heads]]:
        """Find the best tree of each problem: its score, and its heads (-1 where there is none)."""

    def k_best(self, problem: Problem, single_root: bool, k: int, /) -> tuple[Floats, Heads]:
        """Find the k best trees, all if they are fewer: their scores, and a row of heads for each."""

    def log_totals(self, problems: Sequence[Problem], single_root: bool, check: bool, /) -> Floats:
        """Compute log Z of each problem, minus infinity where there is no tree.

        If ``check``, refuse scores that are too far apart for probabilities (`treewright.inference.magnitudes`).
        """

    def sums(
        self, problems: Sequence[Problem], single_root: bool, entropy: bool, dtype: npt.DTypeLike, /
    ) -> list[Sums]:
        """Compute log Z, all marginals in some type and, if asked for, the entropy of each problem."""

    def tangents(
        self, problems: Sequence[Problem], directions: Sequence[Problem], single_root: bool, /
    ) -> list[Tangents]:
        """Compute the derivatives of all marginals of each problem along a direction (`Problem.of_direction`)."""

    def sample(self, problem: Problem, single_root: bool, size: int, seed: int, /) -> Heads:
        """Draw trees; all heads are -1 where there is none."""


def backend(space: SearchSpace) -> Backend:
    """Return the module that answers for these trees; `argmax` alone can do with none."""
    if space.is_hard:
        raise NotImplementedError(
            f"trees that need not be projective, with {space.factorization!r} scores, have argmax and score only; "
            "for the other questions, use factorization='arc', or projective=True"
        )
    if space.projective:
        return projective
    from treewright.inference.spanning import nonprojective

    return nonprojective


def argmax(space: SearchSpace, batch: Sequence[Scores]) -> list[Parse]:
    """Find the best tree of each of many problems."""
    if space.is_hard:
        from treewright.inference.dual.dual_decomposition import DualDecomposition

        return [DualDecomposition(space).argmax(scores) for scores in batch]
    problems = Problem.all_of(batch, space, "max")
    values, heads = backend(space).best(problems, space.single_root)
    parses = []
    for problem, value, row in zip(problems, values.tolist(), heads, strict=True):
        if row[1] < 0:
            raise problem.has_no_tree()
        parses.append(Parse(row, best_labels(problem.scores, row), value))
    return parses


def log_partition(space: SearchSpace, batch: Sequence[Scores], check: bool = False) -> list[float]:
    """Compute log Z of each of many problems; if ``check``, refuse scores too far apart for probabilities."""
    problems = Problem.all_of(batch, space, "sum")
    totals: list[float] = backend(space).log_totals(problems, space.single_root, check).tolist()
    for problem, value in zip(problems, totals, strict=True):
        if value == -np.inf:
            raise problem.has_no_tree()
    return totals


def sums(
    space: SearchSpace, batch: Sequence[Scores], entropy: bool = False, dtype: npt.DTypeLike = np.float64
) -> list[Sums]:
    """Compute log Z, all marginals and, if asked for, the entropy of each of many problems."""
    problems = Problem.all_of(batch, space, "sum")
    answers = backend(space).sums(problems, space.single_root, entropy, dtype)
    for problem, answer in zip(problems, answers, strict=True):
        if answer.log_total == -np.inf:
            raise problem.has_no_tree()
    return answers


def expectations(
    space: SearchSpace, batch: Sequence[Scores], dtype: npt.DTypeLike = np.float64
) -> list[tuple[float, Scores]]:
    """Compute log Z and the marginals of each of many problems."""
    return [
        (answer.log_total, _as_scores(scores, answer.marginals, label_marginals(scores, answer.marginals["arc"])))
        for scores, answer in zip(batch, sums(space, batch, dtype=dtype), strict=True)
    ]


def tangents(space: SearchSpace, batch: Sequence[tuple[Scores, Scores]]) -> list[Scores]:
    """Compute the derivatives of marginals, each along a direction: the second of a pair."""
    problems = Problem.all_of([scores for scores, _ in batch], space, "sum")
    directions = [Problem.of_direction(direction, scores, space) for scores, direction in batch]
    found = []
    answers = backend(space).tangents(problems, directions, space.single_root)
    for (scores, direction), problem, answer in zip(batch, problems, answers, strict=True):
        if not answer.is_possible:
            raise problem.has_no_tree()
        label = label_tangents(scores, direction, answer.arc, answer.tangents["arc"])
        found.append(_as_scores(scores, answer.tangents, label))
    return found


def _as_scores(scores: Scores, numbers: dict[str, Floats], label: Floats | None) -> Scores:
    """Return numbers of parts in the shape of the scores they belong to."""
    arc, arrays = numbers["arc"], {name: numbers[name] for name in scores.higher}
    if scores.parts is not None:
        arc = arc[tuple(scores.parts.arc.T)]
        for name, array in arrays.items():
            if array.ndim > 1:
                arrays[name] = array[tuple(scores.parts.rows(name).T)]
    return Scores.unchecked(arc=arc, label=label, parts=scores.parts, **arrays)
