"""The questions asked of a space: the best derivation, the sum over all, and the k best."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.constituency.tag.graph import LinkGraph
from treewright.constituency.tag.layout import ChartLayout
from treewright.constituency.tag.links import Joins
from treewright.constituency.tag.program import program, row_of
from treewright.constituency.tag.space import Space
from treewright.inference.charts import k_best
from treewright.inference.charts.backward import BEST, LOG_GRADIENT
from treewright.inference.charts.forward import LOG_SUM, MAXIMUM
from treewright.inference.charts.k_best import Forest
from treewright.inference.charts.listing import LISTING, as_forest, lister
from treewright.inference.charts.walks import Chart
from treewright.kernels import kernel

__all__ = ["best", "best_first", "joins_of", "log_total", "places_of_joins", "sums"]


@functools.cache
def _filler(logarithms: bool) -> Callable[..., Any]:
    fill = program(LOG_SUM if logarithms else MAXIMUM)

    def run(c: Chart, x: LinkGraph, at: ChartLayout) -> float:
        c.value[:] = -np.inf
        c.value[at.one] = 0.0
        for w in range(x.n + 1):
            for z in range(x.sense_starts[w], x.sense_starts[w + 1]):
                for right in range(1 if w == 0 else 0, 2):
                    for number in range(x.active[2 * z + right]):  # K(q, h)[-]
                        row = row_of(x.ends[w, right], number, w, right, w, at.width[w, right])
                        c.value[at.S[2 * z + right] + at.K + row] = 0.0
        fill(c, x, at)
        return float(c.value[at.goal])

    return kernel(run)


@functools.cache
def _walker(name: str) -> Callable[..., Any]:
    back = program({"best": BEST, "gradient": LOG_GRADIENT}[name])

    def run(c: Chart, x: LinkGraph, at: ChartLayout) -> None:
        c.adjoint[:] = 0.0
        c.adjoint[at.goal] = 1.0
        back(c, x, at)

    return kernel(run)


@functools.cache
def _lister() -> Callable[..., Floats]:
    return lister(program(LISTING))


def _chart(space: Space, parts: Floats, listed: int) -> Chart:
    size = space.layout.size
    return Chart(np.empty(size), np.empty(size if listed else 0), parts, np.zeros(listed), None)


def best(space: Space, parts: Floats) -> tuple[float, Joins | None]:
    """Find the best derivation and its score; None where there is none."""
    c = _chart(space, parts, 12 * space.graph.n + 8)
    score = float(_filler(False)(c, space.graph, space.layout))
    if score == -np.inf:
        return score, None
    _walker("best")(c, space.graph, space.layout)
    places = places_of_joins(space)
    return score, joins_of(space, np.flatnonzero(c.adjoint[places.start : places.stop]))


def places_of_joins(space: Space) -> range:
    """Find the items I(a, q, k)."""
    x, at = space.graph, space.layout
    targets = np.diff(x.target_starts)[x.menus[-1]]
    return range(int(at.I[0]), int(at.I[-1] + targets * x.senses[-1]))


def joins_of(space: Space, found: Ints) -> Joins:
    """Read how each word is joined off the items I(a, q, k) of a derivation, counted from the first."""
    x, starts = space.graph, space.layout.I - space.layout.I[0]
    links = np.searchsorted(starts, found, "right") - 1
    place, sense = np.divmod(found - starts[links], x.senses[links])
    targets = x.targets[x.target_starts[x.menus[links]] + place]
    senses = x.first_sense[links] + sense
    order = np.argsort(x.words[senses])
    return Joins(links[order], targets[order], senses[order])


def log_total(space: Space, parts: Floats) -> float:
    """Compute the logarithm of the sum over all derivations."""
    return float(_filler(True)(_chart(space, parts, 0), space.graph, space.layout))


def sums(space: Space, parts: Floats) -> tuple[float, Floats]:
    """Compute the logarithm of the sum over all derivations, and the marginal of each part."""
    c = _chart(space, parts, space.layout.parts)
    total = float(_filler(True)(c, space.graph, space.layout))
    if total > -np.inf:
        _walker("gradient")(c, space.graph, space.layout)
    return total, c.part_adjoint


def best_first(space: Space, parts: Floats, k: int) -> Iterator[tuple[float, Joins]]:
    """Yield all derivations with their scores, the best first; k of them are probably enough."""
    c = _chart(space, parts, 1)
    if _filler(False)(c, space.graph, space.layout) == -np.inf:
        return
    places = places_of_joins(space)

    def list_forest(k: int) -> Forest:
        shape = space.graph, space.layout
        rows = _lister()(c.value, c.adjoint, parts, space.layout.goal, k, shape)
        listed = as_forest(c.value, c.adjoint, parts, rows)
        joins = listed.places - places.start
        return listed.forest(np.where((joins >= 0) & (joins < len(places)), joins, -1))

    for score, joins in k_best.best_first(list_forest, k):
        yield score, joins_of(space, joins)
