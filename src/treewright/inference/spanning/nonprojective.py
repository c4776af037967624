"""Trees of any shape under arc scores: the questions, answered by arborescences and the matrix-tree theorem."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Heads, Mask
from treewright.inference.charts.word_plans import stacked
from treewright.inference.magnitudes import WIDEST, expected, settle, spreads
from treewright.inference.parse import Parse
from treewright.inference.problem import Problem, checked_direction
from treewright.inference.spanning import partition
from treewright.inference.spanning.arborescence import arborescence
from treewright.inference.spanning.matrix_tree import matrix_tree
from treewright.inference.spanning.tangents import matrix_tree_tangents
from treewright.inference.spanning.wilson import sample_arborescences
from treewright.inference.sums import Sums, Tangents
from treewright.kernels import kernel

__all__ = ["best", "k_best", "log_totals", "sample", "sums", "tangents"]


def _entropy(arc: Floats, single_root: bool) -> float:
    """Compute the entropy of the trees: log Z less the expected score, relative to the best tree."""
    heads, words = arborescence(arc, single_root), np.arange(len(arc))
    best = arc[heads, words]
    best[0] = 0.0
    shifted = arc - best
    marginals = np.zeros_like(shifted)
    log_total = matrix_tree(shifted, single_root, marginals)
    return log_total - expected(shifted, marginals)


def _groups(problems: Sequence[Problem]) -> list[tuple[list[int], Floats]]:
    """Put problems of the same length together."""
    by_size: dict[int, list[int]] = {}
    for index, problem in enumerate(problems):
        by_size.setdefault(len(problem.arc), []).append(index)
    return [(indices, stacked([problems[index].arc for index in indices])) for indices in by_size.values()]


def best(problems: Sequence[Problem], single_root: bool) -> tuple[Floats, list[Any]]:
    """Find the best tree of each problem: its score, and its heads (-1 where there is none)."""
    scores = np.empty(len(problems))
    heads: list[Any] = [None] * len(problems)
    for indices, arcs in _groups(problems):
        found, rows = _best(arcs, single_root)
        scores[indices] = found
        for index, row in zip(indices, rows, strict=True):
            heads[index] = row
    return scores, heads


def k_best(problem: Problem, single_root: bool, k: int) -> tuple[Floats, Heads]:
    """Find the k best trees, all if they are fewer: their scores, and a row of heads for each."""

    def search(mask: Mask) -> Parse | None:
        within = replace(problem, arc=np.where(mask, problem.arc, -np.inf))
        [value], [heads] = best([within], single_root)
        return None if heads[1] < 0 else Parse(heads, None, float(value))

    trees = partition.k_best(search, k, problem.arc > -np.inf)
    heads = [tree.heads for tree in trees]
    return np.array([tree.score for tree in trees]), np.array(heads, np.int32).reshape(-1, problem.scores.n + 1)


def log_totals(problems: Sequence[Problem], single_root: bool, check: bool) -> Floats:
    """Compute log Z of each problem, minus infinity where there is no tree; ``check`` is that of `_settle`."""
    return np.array([answer.log_total for answer in sums(problems, single_root, check=check)])


def sums(
    problems: Sequence[Problem],
    single_root: bool,
    entropy: bool = False,
    dtype: npt.DTypeLike = np.float64,
    check: bool = True,
) -> list[Sums]:
    """Compute log Z, all marginals in some type and, if asked for, the entropy of each problem."""
    answers: list[Any] = [None] * len(problems)
    for indices, arcs in _groups(problems):
        settled, constants = _settle(arcs, single_root, check)
        totals, marginals = _sums(settled, single_root)
        marginals = marginals.astype(dtype, copy=False)
        for k, index in enumerate(indices):
            uncertainty = _entropy(settled[k], single_root) if entropy and totals[k] > -np.inf else math.nan
            answers[index] = Sums(float(totals[k] + constants[k]), {"arc": marginals[k]}, uncertainty)
    return answers


def tangents(problems: Sequence[Problem], directions: Sequence[Problem], single_root: bool) -> list[Tangents]:
    """Compute the derivatives of all marginals of each problem along a direction."""
    answers: list[Any] = [None] * len(problems)
    for indices, arcs in _groups(problems):
        settled, _ = _settle(arcs, single_root)
        moves, scales = checked_direction(settled, np.stack([directions[index].arc for index in indices]))
        totals, marginals, found = _tangents(settled, moves, single_root)
        found *= scales[:, None, None]
        for k, index in enumerate(indices):
            answers[index] = Tangents(totals[k] > -np.inf, marginals[k], {"arc": found[k]})
    return answers


def sample(problem: Problem, single_root: bool, size: int, seed: int) -> Heads:
    """Draw trees; all heads are -1 where there is none."""
    [arc], _ = _settle(problem.arc[None], single_root)
    return sample_arborescences(arc, single_root, size, seed)


def _settle(arcs: Floats, single_root: bool, check: bool = True) -> tuple[Floats, Floats]:
    """Prepare scores for sums, and return what to add to log Z: see `treewright.inference.magnitudes.settle`."""

    def score(arc: Floats) -> float:
        [found], [heads] = _best(arc[None], single_root)
        return float(found) if heads[1] >= 0 else -np.inf

    constants, wide = np.zeros(len(arcs)), np.flatnonzero(spreads(arcs) > WIDEST)
    arcs = arcs.copy() if len(wide) else arcs
    for k in wide:
        arcs[k], constants[k] = settle(arcs[k], arcs.shape[1] - 1, score, check)
    return arcs, constants


@kernel
def _best(arcs: Floats, single_root: bool) -> tuple[Floats, Heads]:
    scores = np.zeros(len(arcs))
    heads = np.empty((len(arcs), arcs.shape[1]), np.int32)
    for problem in range(len(arcs)):
        heads[problem] = arborescence(arcs[problem], single_root)
        for m in range(1, arcs.shape[1]):
            if heads[problem, m] >= 0:
                scores[problem] += arcs[problem, heads[problem, m], m]
    return scores, heads


@kernel
def _sums(arcs: Floats, single_root: bool) -> tuple[Floats, Floats]:
    totals, marginals = np.empty(len(arcs)), np.zeros(arcs.shape)
    for problem in range(len(arcs)):
        totals[problem] = matrix_tree(arcs[problem], single_root, marginals[problem])
    return totals, marginals


@kernel
def _tangents(arcs: Floats, directions: Floats, single_root: bool) -> tuple[Floats, Floats, Floats]:
    totals, marginals, tangents = np.empty(len(arcs)), np.zeros(arcs.shape), np.zeros(arcs.shape)
    for problem in range(len(arcs)):
        totals[problem] = matrix_tree_tangents(
            arcs[problem], directions[problem], single_root, marginals[problem], tangents[problem]
        )
    return totals, marginals, tangents
