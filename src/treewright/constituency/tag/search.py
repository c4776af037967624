"""The questions asked of a space: the best derivation, the sum over all, and the k best."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.constituency.tag.layout import Layout
from treewright.constituency.tag.program import program
from treewright.inference.charts.backward import BEST, LOG_GRADIENT
from treewright.inference.charts.forward import LOG_SUM, MAXIMUM
from treewright.inference.charts.listing import BEFORE_LISTED, LISTED, LISTING
from treewright.inference.charts.walks import Chart
from treewright.kernels import kernel

__all__ = ["Joins", "Listed", "alternatives", "best", "joins_of", "log_total", "places_of_joins", "sums"]


class Joins(NamedTuple):
    """How each word but the root is joined: the link, the state of the head that it leads to, and the word's sense."""

    links: Ints
    targets: Ints
    senses: Ints


class Listed(NamedTuple):
    """The alternatives of all derivations that score no less than a bound.

    Attributes
    ----------
    best : float
        The score of the best derivation.
    values : float64 array
        The best score of each item.
    rows : int64 array, shape (·, 4)
        Rows (item, a, b, p): the item is a with b (unless that is -1) and with part p (unless that is -1).
    is_all : bool
        Whether there are no others.
    """

    best: float
    values: Floats
    rows: Ints
    is_all: bool


@functools.cache
def _filler(logarithms: bool) -> Callable[..., Any]:
    fill = program(LOG_SUM if logarithms else MAXIMUM)

    def run(c: Chart, x: Layout) -> float:
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
                    start = x.S[2 * z + right] + x.K + at * width
                    for q in range(x.active[2 * z + right]):  # K(q, h)[-]
                        c.value[start + q * ends * width] = 0.0
        fill(c, x)
        return float(c.value[x.goal])

    return kernel(run)


@functools.cache
def _walker(name: str) -> Callable[..., Any]:
    back = program({"best": BEST, "gradient": LOG_GRADIENT, "listing": LISTING}[name])
    nothing, all_of_it = (-np.inf, 0.0) if name == "listing" else (0.0, 1.0)

    def run(c: Chart, x: Layout) -> None:
        c.adjoint[:] = nothing
        c.adjoint[x.goal] = all_of_it
        back(c, x)

    return kernel(run)


def _chart(x: Layout, parts: Floats, listed: int) -> Chart:
    return Chart(np.empty(x.size), np.empty(x.size if listed else 0), parts, np.zeros(listed), np.zeros(1, np.uint64))


def best(x: Layout, parts: Floats) -> tuple[float, Joins | None]:
    """Find the best derivation and its score; None where there is none."""
    c = _chart(x, parts, 12 * x.n + 8)
    score = float(_filler(False)(c, x))
    if score == -np.inf:
        return score, None
    _walker("best")(c, x)
    places = places_of_joins(x)
    return score, joins_of(x, np.flatnonzero(c.adjoint[places.start : places.stop]))


def places_of_joins(x: Layout) -> range:
    """Tell which items are I(a, q, k)."""
    menu = x.menus[-1]
    return range(int(x.I[0]), int(x.I[-1] + x.senses[-1] * (x.target_starts[menu + 1] - x.target_starts[menu])))


def joins_of(x: Layout, found: Ints) -> Joins:
    """Read off the items I(a, q, k) of a derivation, counted from the first, how each word is joined."""
    links = np.searchsorted(x.I - x.I[0], found, "right") - 1
    place, sense = np.divmod(found - (x.I[links] - x.I[0]), x.senses[links])
    targets = x.targets[x.target_starts[x.menus[links]] + place]
    senses = x.first_sense[links] + sense
    words = np.searchsorted(x.sense_starts, senses, "right") - 1
    order = np.argsort(words)
    return Joins(links[order], targets[order], senses[order])


def log_total(x: Layout, parts: Floats) -> float:
    """Compute the logarithm of the sum over all derivations."""
    return float(_filler(True)(_chart(x, parts, 0), x))


def sums(x: Layout, parts: Floats) -> tuple[float, Floats]:
    """Compute the logarithm of the sum over all derivations, and the marginal of each part."""
    c = _chart(x, parts, x.parts)
    total = float(_filler(True)(c, x))
    if total > -np.inf:
        _walker("gradient")(c, x)
    return total, c.part_adjoint


def alternatives(x: Layout, parts: Floats, below: float) -> Listed | None:
    """List what derivations are made of that score less than the best by no more than this; None if there are none."""
    c = _chart(x, parts, BEFORE_LISTED + LISTED * 4096)
    best = float(_filler(False)(c, x))
    if best == -np.inf:
        return None
    listed = c.part_adjoint
    while True:
        listed[0], listed[1] = 0.0, best - below
        _walker("listing")(c._replace(part_adjoint=listed), x)
        count = int(listed[0])
        if BEFORE_LISTED + LISTED * count <= len(listed):
            break
        listed = np.empty(BEFORE_LISTED + LISTED * count)
    rows = listed[BEFORE_LISTED : BEFORE_LISTED + LISTED * count].reshape(-1, LISTED).astype(np.int64)
    return Listed(best, c.value, rows, below > _widest(c, parts, x))


def _widest(c: Chart, parts: Floats, x: Layout) -> float:
    """Bound how far any derivation is below the best: by the parts that it may have."""
    finite = parts[np.isfinite(parts)]
    return float(5 * (x.n + 1) * (finite.max() - finite.min()) + 1.0)
