"""The questions asked of a space: the best derivation, the sum over all, and the k best."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.constituency.tag.program import program
from treewright.constituency.tag.space import Space
from treewright.inference.walks import BEST, LOG_GRADIENT, LOG_SUM, MAXIMUM, Chart
from treewright.kernels import kernel

__all__ = ["Joins", "best", "log_total", "sums"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Joins(NamedTuple):
    """How each word but the root is joined: the link, the state of the head that it leads to, and the word's sense."""

    links: Ints
    targets: Ints
    senses: Ints


@functools.cache
def _filler(logarithms: bool) -> Callable[..., Any]:
    fill = program(LOG_SUM if logarithms else MAXIMUM)

    def run(c: Chart, x: Space) -> float:
        c.value[:] = -np.inf
        c.value[x.one] = 0.0
        for w in range(x.n + 1):
            for z in range(x.sense_starts[w], x.sense_starts[w + 1]):
                for right in range(1 if w == 0 else 0, 2):
                    ends, at, width = (x.n + 1 - w, 0, 1) if right else (w, w - 1, 1)
                    if x.second and right and w < x.n:
                        width = 1 + x.reach[w, x.n]
                    if x.second and not right and w > 1:
                        width = 1 + x.reach[w, 1]
                    start = x.S[2 * z + right] + at * width
                    c.value[start] = 0.0
                    for q in range(x.states[z + 1] - x.states[z]):
                        c.value[start + x.K + q * ends * width] = 0.0
        fill(c, x)
        return c.value[x.goal]

    return kernel(run)


@functools.cache
def _walker(name: str) -> Callable[..., Any]:
    back = program({"best": BEST, "gradient": LOG_GRADIENT}[name])

    def run(c: Chart, x: Space) -> None:
        c.owed[:] = 0.0
        c.owed[x.goal] = 1.0
        back(c, x)

    return kernel(run)


def _chart(x: Space, parts: Floats, owed: int) -> Chart:
    return Chart(np.empty(x.size), np.empty(x.size if owed else 0), parts, np.zeros(owed), np.zeros(1, np.uint64))


def best(x: Space, parts: Floats) -> tuple[float, Joins | None]:
    """Find the best derivation and its score; None where there is none."""
    c = _chart(x, parts, 12 * x.n + 8)
    score = float(_filler(False)(c, x))
    if score == -np.inf:
        return score, None
    _walker("best")(c, x)
    return score, joins_of(x, np.flatnonzero(c.owed[x.I[0] : _end_of_joins(x)]))


def _end_of_joins(x: Space) -> int:
    menus = x.menus[-1]
    return int(x.I[-1] + x.senses[-1] * (x.target_starts[menus + 1] - x.target_starts[menus]))


def joins_of(x: Space, found: Ints) -> Joins:
    """Read off the items I(a, q, k) of a derivation, given by their places, how each word is joined."""
    links = np.searchsorted(x.I - x.I[0], found, "right") - 1
    place, sense = np.divmod(found - (x.I[links] - x.I[0]), x.senses[links])
    targets = x.targets[x.target_starts[x.menus[links]] + place]
    senses = x.first_sense[links] + sense
    words = np.searchsorted(x.sense_starts, senses, "right") - 1
    order = np.argsort(words)
    return Joins(links[order], targets[order], senses[order])


def log_total(x: Space, parts: Floats) -> float:
    """Compute the logarithm of the sum over all derivations."""
    return float(_filler(True)(_chart(x, parts, 0), x))


def sums(x: Space, parts: Floats) -> tuple[float, Floats]:
    """Compute the logarithm of the sum over all derivations, and the marginal of each part."""
    c = _chart(x, parts, x.parts)
    total = float(_filler(True)(c, x))
    if total > -np.inf:
        _walker("gradient")(c, x)
    return total, c.part_owed
