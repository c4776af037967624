"""Projective trees: the questions, answered by dynamic programs (`treewright.inference.questions`).

Sums do not need logarithms in the loop.  Subtracting from all parts of a word their maximum changes no probability; then every
weight is at most one, and sums of products in float64 lose nothing that matters as long as the total does not come near the
smallest float.  Where it does, the same program runs on logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.inference import questions
from treewright.inference.plans import Plan
from treewright.inference.problem import Problem
from treewright.kernels import kernel

__all__ = ["best", "log_totals", "sample", "sums"]

Floats = npt.NDArray[np.float64]

#: A total of weights in between is exact to rounding.
SMALLEST, LARGEST = 1e-280, 1e280

#: Parts that not every tree has cannot be shifted; if one of them scores more than this, logarithms are used.
UNSHIFTED = 30.0


def _groups(problems: Sequence[Problem]) -> Iterator[tuple[Plan, list[int], Floats]]:
    """Put problems of the same shape together."""
    by_plan: dict[int, tuple[Plan, list[int]]] = {}
    for index, problem in enumerate(problems):
        plan = problem.plan
        by_plan.setdefault(id(plan), (plan, []))[1].append(index)
    for plan, indices in by_plan.values():
        yield plan, indices, np.stack([problems[index].parts(plan) for index in indices])


def best(problems: Sequence[Problem], single_root: bool) -> tuple[Floats, npt.NDArray[np.int32] | list[Any]]:
    """Find the best tree of each problem: its score, and its heads (-1 where there is none)."""
    scores = np.empty(len(problems))
    heads: list[Any] = [None] * len(problems)
    for plan, indices, parts in _groups(problems):
        search = questions.search(plan.factorization)
        found, rows = search(parts, plan.frame, plan.x, plan.at, single_root)
        scores[indices] = found
        for index, row in zip(indices, rows, strict=True):
            heads[index] = row
    return scores, heads


def log_totals(problems: Sequence[Problem], single_root: bool) -> Floats:
    """Compute log Z of each problem, minus infinity where there is no tree."""
    answers = np.empty(len(problems))
    for plan, indices, parts in _groups(problems):
        weights, shifts = _weights(parts, plan)
        run = questions.total(plan.factorization, False)
        totals = run(weights, plan.frame, plan.x, plan.at, single_root)
        with np.errstate(all="ignore"):
            answers[indices] = np.log(totals) + shifts
        for k in _unreliable(totals, parts, plan):
            run = questions.total(plan.factorization, True)
            answers[indices[k]] = run(parts[k : k + 1], plan.frame, plan.x, plan.at, single_root)[0]
    return answers


def sums(problems: Sequence[Problem], single_root: bool) -> list[tuple[float, dict[str, Floats]]]:
    """Compute log Z and all marginals of each problem."""
    answers: list[Any] = [None] * len(problems)
    for plan, indices, parts in _groups(problems):
        weights, shifts = _weights(parts, plan)
        probabilities = np.empty_like(parts)
        run = questions.marginals(plan.factorization, False)
        totals = run(weights, plan.frame, plan.x, plan.at, single_root, probabilities)
        with np.errstate(all="ignore"):
            logs = np.log(totals) + shifts
        for k in _unreliable(totals, parts, plan):
            run = questions.marginals(plan.factorization, True)
            one = slice(k, k + 1)
            logs[one] = run(parts[one], plan.frame, plan.x, plan.at, single_root, probabilities[one])
        for k, index in enumerate(indices):
            answers[index] = float(logs[k]), plan.unfold(probabilities[k])
    return answers


def sample(problem: Problem, single_root: bool, size: int, seed: int) -> npt.NDArray[np.int32]:
    """Draw trees; all heads are -1 where there is none."""
    plan = problem.plan
    parts = problem.parts(plan)[None]
    weights, _ = _weights(parts, plan)
    totals = questions.total(plan.factorization, False)(weights, plan.frame, plan.x, plan.at, single_root)
    logarithms = bool(_unreliable(totals, parts, plan))
    run = questions.sample(plan.factorization, logarithms)
    chosen = parts[0] if logarithms else weights[0]
    return run(chosen, plan.frame, plan.x, plan.at, single_root, size, seed)


def _unreliable(totals: Floats, parts: Floats, plan: Plan) -> list[int]:
    """Find the problems whose totals may have lost something to rounding near the ends of the range."""
    sound = (totals > SMALLEST) & (totals < LARGEST)
    if parts.shape[1] > len(plan.frame.heads):
        sound &= parts[:, len(plan.frame.heads) :].max(axis=1, initial=-np.inf) < UNSHIFTED
    return np.flatnonzero(~sound).tolist()


def _weights(parts: Floats, plan: Plan) -> tuple[Floats, Floats]:
    """Turn scores into weights of at most one; also give what was subtracted in all."""
    weights = parts.copy()
    shifts = _shift(weights, plan.frame.modifiers, plan.frame.n)
    with np.errstate(all="ignore"):
        np.exp(weights, out=weights)
    return weights, shifts


@kernel
def _shift(parts: Floats, modifiers: npt.NDArray[np.int64], n: int) -> Floats:
    """Subtract from the first parts of each word their maximum; give the sum of the maxima."""
    totals = np.zeros(len(parts))
    for problem in range(len(parts)):
        part = parts[problem]
        largest = np.full(n + 1, -np.inf)
        for p in range(len(modifiers)):
            largest[modifiers[p]] = max(largest[modifiers[p]], part[p])
        for m in range(1, n + 1):
            totals[problem] += largest[m]
        for p in range(len(modifiers)):
            if part[p] > -np.inf:
                part[p] -= largest[modifiers[p]]
    return totals
