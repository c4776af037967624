"""Projective trees: the questions, answered by dynamic programs (`treewright.inference.questions`).

Sums do not need logarithms in the loop.  Subtracting from all parts of a word their maximum changes no
probability; then every weight is at most one, and sums of products in float64 lose nothing that matters as long as
the total does not come near the smallest float.  Where it does, the same program runs on logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.inference import questions
from treewright.inference.plans import Plan
from treewright.inference.problem import Problem, stacked
from treewright.kernels import kernel

__all__ = ["Sums", "best", "log_totals", "sample", "sums"]

Floats = npt.NDArray[np.float64]

#: A total of weights in between is exact to rounding.
SMALLEST, LARGEST = 1e-280, 1e280

_NOTHING = np.empty((0, 0))

#: Parts that not every tree has cannot be shifted; if one of them scores more than this, logarithms are used.
UNSHIFTED = 30.0


@dataclass(frozen=True)
class Sums:
    """Sums over the trees of a problem.

    Attributes
    ----------
    log_total : float
        log Z.
    """

    log_total: float
    _plan: Plan
    _probabilities: Floats
    _log_shifted: float
    _parts: Floats
    _are_logarithms: bool

    @property
    def marginals(self) -> dict[str, Floats]:
        """The probability of each part of each kind that is scored; those of arcs are dense."""
        return self._plan.unfold(self._probabilities)

    @property
    def entropy(self) -> float:
        """The entropy of the trees, whatever their labels: log Z less the expected score."""
        happens = self._probabilities > 0
        scores = self._parts[happens] if self._are_logarithms else np.log(self._parts[happens])
        return self._log_shifted - math.fsum(self._probabilities[happens] * scores)


def _groups(problems: Sequence[Problem]) -> Iterator[tuple[Plan, list[int], Floats]]:
    """Put problems of the same shape together."""
    by_plan: dict[int, tuple[Plan, list[int]]] = {}
    for index, problem in enumerate(problems):
        plan = problem.plan
        by_plan.setdefault(id(plan), (plan, []))[1].append(index)
    for plan, indices in by_plan.values():
        if plan.factorization == "arc":  # whose parts are the arc scores as they are
            yield plan, indices, stacked([problems[index] for index in indices]).reshape(len(indices), -1)
        else:
            yield plan, indices, np.stack([problems[index].parts(plan) for index in indices])


def best(problems: Sequence[Problem], single_root: bool) -> tuple[Floats, list[Any]]:
    """Find the best tree of each problem: its score, and its heads (-1 where there is none)."""
    scores = np.empty(len(problems))
    heads: list[Any] = [None] * len(problems)
    for plan, indices, parts in _groups(problems):
        scores[indices], chosen = questions.search(plan.factorization)(parts, plan.frame, plan.x, plan.at, single_root)
        rows = plan.frame.heads[chosen].astype(np.int32)  # where nothing is chosen, -1, the last of them
        for index, row in zip(indices, rows, strict=True):
            heads[index] = row
    return scores, heads


def log_totals(problems: Sequence[Problem], single_root: bool) -> Floats:
    """Compute log Z of each problem, minus infinity where there is no tree."""
    answers = np.empty(len(problems))
    for plan, indices, parts in _groups(problems):
        weights, shifts = _weights(parts, plan)
        shape = plan.frame, plan.x, plan.at, single_root
        totals = questions.sums(plan.factorization, False)(weights, *shape, _NOTHING)
        with np.errstate(all="ignore"):
            answers[indices] = np.log(totals) + shifts
        for k in _unreliable(totals, parts, plan):
            shifted, shift = _below_best(parts[k : k + 1], plan, single_root)
            answers[indices[k]] = questions.sums(plan.factorization, True)(shifted, *shape, _NOTHING)[0] + shift
    return answers


def sums(problems: Sequence[Problem], single_root: bool) -> list[Sums]:
    """Compute log Z, all marginals and the entropy of each problem."""
    answers: list[Any] = [None] * len(problems)
    for plan, indices, parts in _groups(problems):
        weights, shifts = _weights(parts, plan)
        shape = plan.frame, plan.x, plan.at, single_root
        probabilities, scores = np.empty_like(parts), {}
        totals = questions.sums(plan.factorization, False)(weights, *shape, probabilities)
        with np.errstate(all="ignore"):
            logs = np.log(totals)
        for k in _unreliable(totals, parts, plan):
            one = slice(k, k + 1)
            shifted, shifts[k] = _below_best(parts[one], plan, single_root)
            logs[one] = questions.sums(plan.factorization, True)(shifted, *shape, probabilities[one])
            scores[k] = shifted[0]
        for k, index in enumerate(indices):
            scored = scores.get(k, weights[k])
            answers[index] = Sums(
                float(logs[k] + shifts[k]), plan, probabilities[k], float(logs[k]), scored, k in scores
            )
    return answers


def sample(problem: Problem, single_root: bool, size: int, seed: int) -> npt.NDArray[np.int32]:
    """Draw trees; all heads are -1 where there is none."""
    plan = problem.plan
    shifted, _ = _below_best(problem.parts(plan)[None], plan, single_root)
    run = questions.sample(plan.factorization)
    return run(shifted[0], plan.frame, plan.x, plan.at, single_root, size, seed)


def _below_best(parts: Floats, plan: Plan, single_root: bool) -> tuple[Floats, float]:
    """Subtract from the first parts of each word that of the best tree; also give what was subtracted in all.

    Then the best tree scores nearly nothing, and rounding matters only where the probabilities are tiny.
    """
    _, [chosen] = questions.search(plan.factorization)(parts, plan.frame, plan.x, plan.at, single_root)
    if chosen[1] < 0:
        return parts, 0.0
    shift = parts[0, chosen]
    shift[0] = 0.0
    shifted = parts.copy()
    shifted[0, : len(plan.frame.modifiers)] -= shift[plan.frame.modifiers]
    return shifted, float(shift.sum())


def _unreliable(totals: Floats, parts: Floats, plan: Plan) -> list[int]:
    """Find the problems whose totals may have lost something to rounding near the ends of the range."""
    sound = (totals > SMALLEST) & (totals < LARGEST)
    if parts.shape[1] > len(plan.frame.modifiers):
        sound &= parts[:, len(plan.frame.modifiers) :].max(axis=1, initial=-np.inf) < UNSHIFTED
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
