"""The questions that are asked of a dynamic program, each a kernel: fill the chart, walk it back.

A kernel takes a batch of problems of the same shape, ``parts[b]``, and works through them in one chart.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Ints
from treewright.inference.charts import eisner, grand, sibling
from treewright.inference.charts.backward import BEST, GRADIENT, LOG_GRADIENT, SAMPLE
from treewright.inference.charts.forward import LOG_SUM, MAXIMUM, SUM
from treewright.inference.charts.walks import Chart, Walk
from treewright.inference.generator import start
from treewright.kernels import kernel

__all__ = ["Frame", "sample", "search", "sums"]


#: A tree has no more parts than this for each word: one that its arc is in, and one for each of its two sides, where
#: the outermost modifiers are scored.
PER_WORD = 4


class Frame(NamedTuple):
    """The shape of a problem.

    Attributes
    ----------
    n : int
        The number of words.
    size, goal : int
        The number of items of the chart, and the item that is all of a tree.
    ones : int64 array
        The items that are empty.
    heads, modifiers : int64 arrays
        The arc that each of the first parts stands for; every word is the modifier of exactly one of them in every
        tree.
        ``heads`` has one more entry, -1: the head that no part gives.
    runs : int64 array
        Where runs of first parts with the same modifier begin, and where the last ends.
    """

    n: int
    size: int
    goal: int
    ones: Ints
    heads: Ints
    modifiers: Ints
    runs: Ints


def _program(factorization: str, walk: Walk) -> Callable[..., None]:
    """Write a program down for a walk; ``+last`` is a factorization in which last modifiers are scored as well."""
    model, ends = factorization.removesuffix("+last"), factorization.endswith("+last")
    if model == "arc":
        visit = eisner.program(walk)
    elif model == "sibling":
        visit = sibling.program(walk, ends)
    else:
        visit = grand.program(walk, model, ends)
    result: Callable[..., None] = visit
    return result


@functools.cache
def search(factorization: str) -> Callable[..., tuple[Floats, Ints]]:
    """Make the kernel ``(parts, frame, x, at, single_root, room) -> scores, chosen``.

    ``room``, of shape (2, frame.size), is what the chart is made in: whoever searches again and again has it once
    (see `treewright.inference.scratch`).  ``chosen[b, m]`` is that one of the first parts of which word m is the
    modifier; no tree scores minus infinity, and chooses -1.
    """
    fill, walk_back = _program(factorization, MAXIMUM), _program(factorization, BEST)

    def run(parts: Floats, frame: Frame, x: Any, at: Any, single_root: bool, room: Floats) -> tuple[Floats, Ints]:
        scores = np.empty(len(parts))
        chosen = np.full((len(parts), frame.n + 1), -1, np.int64)
        value, adjoint, used = room[0], room[1], np.empty(PER_WORD * frame.n + 1)
        random = np.zeros(1, np.uint64)
        for problem in range(len(parts)):
            c = Chart(value, adjoint, parts[problem], used, random)
            for item in frame.ones:
                value[item] = 0.0
            fill(c, x, at, single_root)
            scores[problem] = value[frame.goal]
            if scores[problem] > -np.inf:
                adjoint[:] = 0.0
                adjoint[frame.goal] = 1.0
                used[0] = 0.0
                walk_back(c, x, at, single_root)
                for k in range(1, int(used[0]) + 1):
                    p = int(used[k])
                    if p < len(frame.modifiers):
                        chosen[problem, frame.modifiers[p]] = p
        return scores, chosen

    return kernel(run)


@functools.cache
def sums(factorization: str, logarithms: bool) -> Callable[..., Floats]:
    """Make the kernel ``(parts, frame, x, at, single_root, probabilities) -> totals``, of weights or of logarithms.

    It fills ``probabilities``, of the same shape as the parts, with their marginals; if that is empty, with nothing.
    """
    fill = _program(factorization, LOG_SUM if logarithms else SUM)
    walk_back = _program(factorization, LOG_GRADIENT if logarithms else GRADIENT)
    one, zero = (0.0, -np.inf) if logarithms else (1.0, 0.0)

    def run(parts: Floats, frame: Frame, x: Any, at: Any, single_root: bool, probabilities: Floats) -> Floats:
        totals = np.empty(len(parts))
        value, adjoint = np.empty(frame.size), np.empty(frame.size if len(probabilities) else 0)
        random, unused = np.zeros(1, np.uint64), np.empty(0)
        for problem in range(len(parts)):
            part = parts[problem]
            probability = probabilities[problem] if len(probabilities) else unused
            c = Chart(value, adjoint, part, probability, random)
            for item in frame.ones:
                value[item] = one
            fill(c, x, at, single_root)
            totals[problem] = value[frame.goal]
            adjoint[:] = 0.0
            probability[:] = 0.0
            if len(probabilities) and totals[problem] > zero:
                adjoint[frame.goal] = 1.0 if logarithms else 1.0 / totals[problem]
                walk_back(c, x, at, single_root)
                if not logarithms:
                    for p in range(len(part)):
                        probability[p] *= part[p]
        return totals

    return kernel(run)


@functools.cache
def sample(factorization: str) -> Callable[..., npt.NDArray[np.int32]]:
    """Make the kernel ``(part, frame, x, at, single_root, size, seed) -> heads``; all -1 where there is no tree."""
    fill, walk_back = _program(factorization, LOG_SUM), _program(factorization, SAMPLE)

    def run(
        part: Floats, frame: Frame, x: Any, at: Any, single_root: bool, size: int, seed: int
    ) -> npt.NDArray[np.int32]:
        heads = np.full((size, frame.n + 1), -1, np.int32)
        value, adjoint, used = np.empty(frame.size), np.empty(frame.size), np.empty(PER_WORD * frame.n + 1)
        c = Chart(value, adjoint, part, used, start(seed))
        for item in frame.ones:
            value[item] = 0.0
        fill(c, x, at, single_root)
        if value[frame.goal] > -np.inf:
            for which in range(size):
                adjoint[:] = 0.0
                adjoint[frame.goal] = 1.0
                used[0] = 0.0
                walk_back(c, x, at, single_root)
                for k in range(1, int(used[0]) + 1):
                    p = int(used[k])
                    if p < len(frame.modifiers):
                        heads[which, frame.modifiers[p]] = frame.heads[p]
        return heads

    return kernel(run)
