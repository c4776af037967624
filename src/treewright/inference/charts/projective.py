"""Projective trees: the questions, answered by dynamic programs (`treewright.inference.charts.questions`).

Sums do not need logarithms in the loop.  Subtracting from all parts of a word their maximum changes no
probability; then every weight is at most one, and sums of products in float64 lose nothing that matters as long as
the total does not come near the smallest float.  Where it does, the same program runs on logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Heads, Mask
from treewright.inference.charts import questions
from treewright.inference.charts.folding import Plan
from treewright.inference.charts.k_best import rank
from treewright.inference.charts.listing import as_forest
from treewright.inference.charts.word_plans import stacked
from treewright.inference.magnitudes import WIDEST, expected, settle
from treewright.inference.problem import Problem, checked_direction
from treewright.inference.scratch import CACHED, scratch
from treewright.inference.sums import Sums, Tangents

__all__ = ["best", "k_best", "log_totals", "sample", "sums", "tangents"]


#: A total of weights in between is exact to rounding.
SMALLEST, LARGEST = 1e-280, 1e280

T = TypeVar("T")

_NOTHING = np.empty((0, 0))

#: Parts that not every tree has cannot be shifted; if one of them scores more than this, logarithms are used.
UNSHIFTED = 30.0


def _groups(problems: Sequence[Problem]) -> Iterable[tuple[Plan, list[int]]]:
    """Put problems of the same shape together."""
    by_plan: dict[int, tuple[Plan, list[int]]] = {}
    for index, problem in enumerate(problems):
        plan = problem.plan
        by_plan.setdefault(id(plan), (plan, []))[1].append(index)
    return by_plan.values()


def _fold(plan: Plan, problems: Sequence[Problem]) -> Floats:
    return plan.fold([problem.arc for problem in problems], [problem.higher for problem in problems])


def _shares(
    plan: Plan, problems: Sequence[Problem], prepare: Callable[..., T], numbers: int = 1
) -> Iterator[tuple[slice, T]]:
    """Fold or weigh problems of the same shape, as many at a time as fit into the cache, with some numbers a part."""
    step = max(1, CACHED // max(1, numbers * len(plan.frame.modifiers)))
    arcs: Any = [problem.arc for problem in problems]
    arcs = arcs if plan.has_own_parts else stacked(arcs)
    for first in range(0, len(problems), step):
        share = slice(first, first + step)
        yield share, prepare(arcs[share], [problem.higher for problem in problems[share]])


def best(problems: Sequence[Problem], single_root: bool) -> tuple[Floats, list[Any]]:
    """Find the best tree of each problem: its score, and its heads (-1 where there is none)."""
    scores = np.empty(len(problems))
    heads: list[Any] = [None] * len(problems)
    for plan, group in _groups(problems):
        search = questions.search(plan.program)
        for share, parts in _shares(plan, [problems[index] for index in group], plan.fold):
            indices = group[share]
            scores[indices], chosen = search(parts, plan.frame, plan.shape, single_root, _chart(plan))
            rows = plan.frame.heads[chosen].astype(np.int32)  # where nothing is chosen, -1, the last of them
            for index, row in zip(indices, rows, strict=True):
                heads[index] = row
    return scores, heads


def k_best(problem: Problem, single_root: bool, k: int) -> tuple[Floats, Heads]:
    """Find the k best trees, all if they are fewer: their scores, and a row of heads for each."""
    plan = problem.plan
    parts, frame, chart = _fold(plan, [problem]), plan.frame, _chart(plan)
    [score], _ = questions.search(plan.program)(parts, frame, plan.shape, single_root, chart)
    if score == -np.inf:
        return np.empty(0), np.empty((0, frame.n + 1), np.int32)
    value, adjoint = chart
    shape = plan.shape, single_root
    rows = questions.list_forest(plan.program)(value, adjoint, parts[0], frame.goal, k, shape)
    listed = as_forest(value, adjoint, parts[0], rows)
    scores, starts, used = rank(listed.forest(listed.parts), k)
    trees, first = np.repeat(np.arange(len(scores)), np.diff(starts)), used < len(frame.modifiers)
    heads = np.full((len(scores), frame.n + 1), -1, np.int32)
    heads[trees[first], frame.modifiers[used[first]]] = frame.heads[used[first]]
    return np.minimum.accumulate(scores), heads  # rounding may put ties out of order


def _chart(plan: Plan) -> Floats:
    return scratch("chart", (2, plan.frame.size))


def log_totals(problems: Sequence[Problem], single_root: bool, check: bool) -> Floats:
    """Compute log Z of each problem, minus infinity where there is no tree; ``check`` is that of `_below_best`."""
    answers = np.empty(len(problems))
    for plan, group in _groups(problems):
        for share, weighed in _shares(plan, [problems[index] for index in group], plan.weigh):
            indices = group[share]
            same = [problems[index] for index in indices]
            answers[indices] = _solve(plan, same, weighed, single_root, _NOTHING, check).log_totals
    return answers


def sums(
    problems: Sequence[Problem], single_root: bool, entropy: bool = False, dtype: npt.DTypeLike = np.float64
) -> list[Sums]:
    """Compute log Z, all marginals in some type and, if asked for, the entropy of each problem."""
    answers: list[Any] = [None] * len(problems)
    for plan, group in _groups(problems):
        buffers = plan.buffers(len(group), dtype)  # for all of them: large pieces of memory are allocated faster
        for share, weighed in _shares(plan, [problems[index] for index in group], plan.weigh):
            indices = group[share]
            probabilities, same = scratch("probabilities", weighed[0].shape), [problems[index] for index in indices]
            solved = _solve(plan, same, weighed, single_root, probabilities)
            plan.unfold(probabilities, {name: array[share] for name, array in buffers.items()})
            for k, index in enumerate(indices):
                marginals = {name: array[share.start + k] for name, array in buffers.items()}
                uncertainty = solved.entropy(k, probabilities[k]) if entropy else math.nan
                answers[index] = Sums(float(solved.log_totals[k]), marginals, uncertainty)
    return answers


class _Solved(NamedTuple):
    """Sums over the trees of problems of the same shape.

    Attributes
    ----------
    log_totals, log_shifted : float64 arrays
        log Z, and log Z of the weights.
    weights : float64 array
        The weights of the parts.
    logarithms : dict
        The logarithms of the weights of those problems that were solved with logarithms.
    """

    log_totals: Floats
    log_shifted: Floats
    weights: Floats
    logarithms: dict[int, Floats]

    def entropy(self, k: int, probability: Floats) -> float:
        with np.errstate(divide="ignore"):
            scores = self.logarithms[k] if k in self.logarithms else np.log(self.weights[k])
        return float(self.log_shifted[k]) - expected(scores, probability)


def _solve(
    plan: Plan,
    problems: Sequence[Problem],
    weighed: tuple[Floats, Floats, Floats],
    single_root: bool,
    probabilities: Floats,
    check: bool = True,
) -> _Solved:
    """Sum over the trees of problems of the same shape, and fill in the probabilities of parts, if there are any."""
    shape = plan.frame, plan.shape, single_root
    (weights, shifts, unshifted), logarithms = weighed, {}
    with np.errstate(all="ignore"):
        totals = questions.sums(plan.program, False)(weights, *shape, probabilities)
        logs = np.log(totals)
    unsound = _unsound(totals, unshifted)
    weights = weights.copy() if unsound else weights  # for problems are folded again where they are
    for k in unsound:
        one = slice(k, k + 1)
        logarithms[k], shifts[k], least = _below_best(_fold(plan, [problems[k]]), plan, single_root, check)
        [log_total] = questions.sums(plan.program, True)(logarithms[k][None], *shape, probabilities[one])
        if least > -np.inf:  # there are at most (n+1)^n trees, and none is better, whatever rounding says
            most = least + plan.frame.n * math.log(plan.frame.n + 1)
            log_total = least if math.isnan(log_total) else min(max(log_total, least), most)
        logs[k] = log_total
    return _Solved(logs + shifts, logs, weights, logarithms)


def _unsound(totals: Floats, unshifted: Floats) -> list[int]:
    """Find the problems whose total of weights is not exact, which need logarithms."""
    sound = (totals > SMALLEST) & (totals < LARGEST) & (unshifted < UNSHIFTED)
    numbers: list[int] = np.flatnonzero(~sound).tolist()
    return numbers


def tangents(problems: Sequence[Problem], directions: Sequence[Problem], single_root: bool) -> list[Tangents]:
    """Compute the derivatives of all marginals of each problem along a direction."""
    answers: list[Any] = [None] * len(problems)
    for plan, group in _groups(problems):
        buffers, (heads, modifiers) = plan.buffers(len(group)), (plan.frame.heads[:-1], plan.frame.modifiers)
        for share, folded in _shares(plan, [problems[index] for index in group], plan.fold, numbers=2):
            indices, parts = group[share], folded.copy()  # which the next fold may write to
            slopes, scales = checked_direction(parts, _fold(plan, [directions[index] for index in indices]))
            probabilities = scratch("probabilities", (2, *parts.shape))
            possible = _differentiate(plan, parts, slopes, single_root, probabilities)
            probabilities[1] *= scales[:, None]
            plan.unfold(probabilities[1], {name: array[share] for name, array in buffers.items()})
            for k, index in enumerate(indices):
                found = {name: array[share.start + k] for name, array in buffers.items()}
                size, first = plan.frame.n + 1, probabilities[0, k, : len(heads)]
                arc: Floats = np.bincount(heads * size + modifiers, first, size * size).astype(np.float64, copy=False)
                answers[index] = Tangents(bool(possible[k]), arc.reshape(size, size), found)
    return answers


def _differentiate(plan: Plan, parts: Floats, slopes: Floats, single_root: bool, probabilities: Floats) -> Mask:
    """Fill in the probabilities of parts, and their tangents; return which problems have a tree."""
    shape = plan.frame, plan.shape, single_root
    weights = scratch("weights", probabilities.shape)
    _, unshifted = plan.shift(parts, weights[0])
    with np.errstate(all="ignore"):
        np.exp(weights[0], out=weights[0])
        np.multiply(weights[0], slopes, out=weights[1])
        totals = questions.tangents(plan.program, False)(weights, *shape, probabilities)
    possible = totals > 0.0
    for k in _unsound(totals, unshifted):
        logarithms, shift, _ = _below_best(parts[k : k + 1], plan, single_root, True)
        possible[k] = shift > -np.inf
        if possible[k]:
            numbers = np.stack([logarithms, slopes[k]])[:, None]
            found = np.empty_like(numbers)
            questions.tangents(plan.program, True)(numbers, *shape, found)
            probabilities[:, k] = found[:, 0]
    return possible


def sample(problem: Problem, single_root: bool, size: int, seed: int) -> npt.NDArray[np.int32]:
    """Draw trees; all heads are -1 where there is none."""
    plan = problem.plan
    shifted, _, _ = _below_best(_fold(plan, [problem]), plan, single_root, True)
    return questions.sample(plan.program)(shifted, plan.frame, plan.shape, single_root, size, seed)


def _below_best(parts: Floats, plan: Plan, single_root: bool, check: bool) -> tuple[Floats, float, float]:
    """Subtract from the first parts of each word that of the best tree.

    Then that tree scores nearly nothing, and rounding matters only where the probabilities are tiny.  Also return
    what was subtracted in all, and what the tree scores now if scores are so far apart that rounding might claim less;
    otherwise minus infinity.  ``check`` is that of `treewright.inference.magnitudes.settle`.
    """
    search, shape = questions.search(plan.program), (plan.frame, plan.shape, single_root, _chart(plan))
    [scores], constant, finite = parts, 0.0, parts[parts > -np.inf]
    is_wide = len(finite) > 0 and finite.max() - finite.min() > WIDEST
    if is_wide:
        most = questions.PER_WORD * plan.frame.n
        scores, constant = settle(scores, most, lambda raised: float(search(raised[None], *shape)[0][0]), check)
    _, [chosen] = search(scores[None], *shape)
    if chosen[1] < 0:
        return scores, -np.inf, -np.inf
    shift = scores[chosen]
    shift[0] = 0.0
    shifted = scores.copy()
    shifted[: len(plan.frame.modifiers)] -= shift[plan.frame.modifiers]
    least = float(search(shifted[None], *shape)[0][0]) if is_wide else -np.inf
    return shifted, float(constant + shift.sum()), least
