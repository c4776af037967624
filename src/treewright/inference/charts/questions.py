"""The questions asked of a dynamic program, each a kernel that fills the chart and walks it back.

A kernel takes a batch of problems of the same shape, ``parts[b]``, and works through them in one chart.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from treewright.arrays import Floats, Heads, Ints
from treewright.inference.charts.backward import BEST, GRADIENT, LOG_GRADIENT, SAMPLE
from treewright.inference.charts.forward import LOG_SUM, MAXIMUM, SUM
from treewright.inference.charts.frame import Frame
from treewright.inference.charts.listing import LISTING, lister
from treewright.inference.charts.programs import Program, Shape
from treewright.inference.charts.tangents import LOG_TANGENTS, TANGENTS, TangentChart
from treewright.inference.charts.walks import Chart, jitable
from treewright.inference.generator import start
from treewright.kernels import kernel

__all__ = ["list_forest", "sample", "search", "sums", "tangents"]

#: A tree has no more parts than this for each word: one with its arc, and one for each of its two sides where
#: the outermost modifiers are scored.
PER_WORD = 4


@jitable
def _note_arcs(used: Floats, modifiers: Ints, chosen: Ints) -> None:
    """Note for each word the one of the parts of a tree that is first for it."""
    for k in range(1, int(used[0]) + 1):
        p = int(used[k])
        if p < len(modifiers):
            chosen[modifiers[p]] = p


@functools.cache
def search(program: Program) -> Callable[..., tuple[Floats, Ints]]:
    """Make the kernel ``(parts, frame, shape, single_root, scratch) -> scores, chosen``.

    ``scratch``, of shape (2, frame.size), is memory for the chart, which repeated searches can share (see
    `treewright.inference.scratch`).  ``chosen[b, m]`` is the one of the first parts whose modifier is word m; where
    there is no tree, the score is minus infinity and -1 is chosen.
    """
    fill, walk_back = program.rules(MAXIMUM), program.rules(BEST)

    def run(parts: Floats, frame: Frame, shape: Shape, single_root: bool, scratch: Floats) -> tuple[Floats, Ints]:
        scores = np.empty(len(parts))
        chosen = np.full((len(parts), frame.n + 1), -1, np.int64)
        value, adjoint, used = scratch[0], scratch[1], np.empty(PER_WORD * frame.n + 1)
        for problem in range(len(parts)):
            c = Chart(value, adjoint, parts[problem], used, None)
            for item in frame.ones:
                value[item] = 0.0
            fill(c, shape, single_root)
            scores[problem] = value[frame.goal]
            if scores[problem] > -np.inf:
                adjoint[:] = 0.0
                adjoint[frame.goal] = 1.0
                used[0] = 0.0
                walk_back(c, shape, single_root)
                _note_arcs(used, frame.modifiers, chosen[problem])
        return scores, chosen

    return kernel(run)


@functools.cache
def sums(program: Program, logarithms: bool) -> Callable[..., Floats]:
    """Make the kernel ``(parts, frame, shape, single_root, probabilities) -> totals``, of weights or of logarithms.

    It fills ``probabilities``, of the same shape as the parts, with their marginals, unless that is empty.
    """
    fill = program.rules(LOG_SUM if logarithms else SUM)
    walk_back = program.rules(LOG_GRADIENT if logarithms else GRADIENT)
    one, zero = (0.0, -np.inf) if logarithms else (1.0, 0.0)

    def run(parts: Floats, frame: Frame, shape: Shape, single_root: bool, probabilities: Floats) -> Floats:
        totals = np.empty(len(parts))
        value, adjoint = np.empty(frame.size), np.empty(frame.size if len(probabilities) else 0)
        unused = np.empty(0)
        for problem in range(len(parts)):
            part = parts[problem]
            probability = probabilities[problem] if len(probabilities) else unused
            c = Chart(value, adjoint, part, probability, None)
            for item in frame.ones:
                value[item] = one
            fill(c, shape, single_root)
            totals[problem] = value[frame.goal]
            adjoint[:] = 0.0
            probability[:] = 0.0
            if len(probabilities) and totals[problem] > zero:
                adjoint[frame.goal] = 1.0 if logarithms else 1.0 / totals[problem]
                walk_back(c, shape, single_root)
        return totals

    return kernel(run)


@functools.cache
def tangents(program: Program, logarithms: bool) -> Callable[..., Floats]:
    """Make the kernel ``(parts, frame, shape, single_root, probabilities) -> totals``, of weights or of logarithms.

    ``parts[0]`` are those of `sums`, and ``parts[1]`` their tangents.  It fills ``probabilities``, of the same shape,
    with their marginals and the tangents of those.
    """
    fill, walk_back = map(program.rules, LOG_TANGENTS if logarithms else TANGENTS)
    one, zero = (0.0, -np.inf) if logarithms else (1.0, 0.0)

    def run(parts: Floats, frame: Frame, shape: Shape, single_root: bool, probabilities: Floats) -> Floats:
        _, problems, count = parts.shape
        numbers, found, size, further = parts.reshape(-1), probabilities.reshape(-1), frame.size, problems * count
        totals, value, adjoint = np.empty(problems), np.empty(2 * size), np.empty(2 * size)
        found[:] = 0.0
        for problem in range(problems):
            part, probability = numbers[problem * count :], found[problem * count :]
            c = TangentChart(value, adjoint, part, probability, size, further)
            for item in frame.ones:
                value[item], value[size + item] = one, 0.0
            fill(c, shape, single_root)
            total = totals[problem] = value[frame.goal]
            adjoint[:] = 0.0
            if total > zero:
                adjoint[frame.goal] = 1.0 if logarithms else 1.0 / total
                walk_back(c, shape, single_root)
                if not logarithms:  # so far for a fixed total, which moves by this share of itself
                    mean = value[size + frame.goal] / total
                    for p in range(count):
                        q = p + further
                        change = probability[q] * part[p] + probability[p] * part[q]
                        probability[p] *= part[p]
                        probability[q] = change - mean * probability[p]
        return totals

    return kernel(run)


@functools.cache
def sample(program: Program) -> Callable[..., Heads]:
    """Make the kernel ``(part, frame, shape, single_root, size, seed) -> heads``; all -1 where there is no tree."""
    fill, walk_back = program.rules(LOG_SUM), program.rules(SAMPLE)

    def run(part: Floats, frame: Frame, shape: Shape, single_root: bool, size: int, seed: int) -> Heads:
        heads = np.full((size, frame.n + 1), -1, np.int32)
        value, adjoint, used = np.empty(frame.size), np.empty(frame.size), np.empty(PER_WORD * frame.n + 1)
        for item in frame.ones:
            value[item] = 0.0
        fill(Chart(value, adjoint, part, used, None), shape, single_root)
        c, chosen = Chart(value, adjoint, part, used, start(seed)), np.full(frame.n + 1, -1, np.int64)
        if value[frame.goal] > -np.inf:
            for which in range(size):
                adjoint[:] = 0.0
                adjoint[frame.goal] = 1.0
                used[0] = 0.0
                walk_back(c, shape, single_root)
                _note_arcs(used, frame.modifiers, chosen)
                for m in range(len(chosen)):
                    if chosen[m] >= 0:
                        heads[which, m] = frame.heads[chosen[m]]
        return heads

    return kernel(run)


@functools.cache
def list_forest(program: Program) -> Callable[..., Floats]:
    """Make the function ``(value, adjoint, part, goal, k, shape) -> rows`` of `treewright.inference.charts.listing`."""
    return lister(program.rules(LISTING))
