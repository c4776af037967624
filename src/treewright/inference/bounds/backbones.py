"""The best tree when only arc scores change: what dual bounds ask of a dynamic program, again and again.

Parts are folded once (`treewright.inference.charts.plans`).  As every tree has for each word exactly one of the first
parts, which knows its arc, a change of arc scores is a change of those parts: one addition each.

The searches are kernels, which a kernel that is made for each of them would have to close over; but Numba tells cached
closures apart by pickling them, and a kernel pickles differently in every process.  A function of a module is pickled
as its name: so there is one for each search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba.extending import register_jitable

from treewright.arrays import Floats, Ints
from treewright.inference.bounds.local_parts import Local, local_of, split, without
from treewright.inference.bounds.relaxation import Table
from treewright.inference.charts.frame import Frame
from treewright.inference.charts.g_layout import GSpans
from treewright.inference.charts.grand_plans import GrandPlan
from treewright.inference.charts.plans import plan_for
from treewright.inference.charts.programs import Program, Shape
from treewright.inference.charts.questions import search
from treewright.inference.problem import Problem
from treewright.inference.spanning.arborescence import arborescence

__all__ = ["SEARCHES", "Backbone"]

Found = tuple[Floats, Ints]

_ARC, _SIBLING, _GRANDCHILD = search(Program("arc")), search(Program("sibling")), search(Program("grandchild"))
_CARRERAS, _GRAND_SIBLING, _TRI_SIBLING = (
    search(Program("carreras")),
    search(Program("grand-sibling")),
    search(Program("tri-sibling")),
)


@register_jitable
def _arc(parts: Floats, frame: Frame, shape: Shape, single_root: bool, scratch: Floats) -> Found:
    return _ARC(parts, frame, shape, single_root, scratch)


@register_jitable
def _sibling(parts: Floats, frame: Frame, shape: Shape, single_root: bool, scratch: Floats) -> Found:
    return _SIBLING(parts, frame, shape, single_root, scratch)


@register_jitable
def _grandchild(parts: Floats, frame: Frame, shape: Shape, single_root: bool, scratch: Floats) -> Found:
    return _GRANDCHILD(parts, frame, shape, single_root, scratch)


@register_jitable
def _carreras(parts: Floats, frame: Frame, shape: Shape, single_root: bool, scratch: Floats) -> Found:
    return _CARRERAS(parts, frame, shape, single_root, scratch)


@register_jitable
def _grand_sibling(parts: Floats, frame: Frame, shape: Shape, single_root: bool, scratch: Floats) -> Found:
    return _GRAND_SIBLING(parts, frame, shape, single_root, scratch)


@register_jitable
def _tri_sibling(parts: Floats, frame: Frame, shape: Shape, single_root: bool, scratch: Floats) -> Found:
    return _TRI_SIBLING(parts, frame, shape, single_root, scratch)


@register_jitable
def _nonprojective(parts: Floats, frame: Frame, shape: Shape, single_root: bool, scratch: Floats) -> Found:
    """Search as the kernels of dynamic programs do, with a maximum spanning arborescence."""
    size = frame.n + 1
    heads = arborescence(parts.reshape((size, size)), single_root)
    score, chosen = np.zeros(1), np.full((1, size), -1, np.int64)
    for m in range(1, size):
        if heads[m] >= 0:
            chosen[0, m] = heads[m] * size + m
            score[0] += parts[0, chosen[0, m]]
    return score, chosen


#: The search of each factorization, and of trees that need not be projective: as in
#: `treewright.inference.charts.questions.search`.
SEARCHES: dict[str, Callable[..., Found]] = {
    "arc": _arc,
    "sibling": _sibling,
    "grandchild": _grandchild,
    "carreras": _carreras,
    "grand-sibling": _grand_sibling,
    "tri-sibling": _tri_sibling,
    "nonprojective": _nonprojective,
}


@dataclass(frozen=True, eq=False)
class Backbone:
    """A problem whose parts are folded.

    Attributes
    ----------
    problem : Problem
    search : str
        Its entry in `SEARCHES`.
    shape : tuple
        What a search is told beside the parts.
    parts : float64 array
        The scores of all parts.
    places : int64 array
        The arc that each of the first parts stands for: ``h * (n + 1) + m``.
    local : Local
        What more it knows of arcs.
    """

    problem: Problem
    search: str
    shape: tuple[Frame, Shape, bool]
    parts: Floats
    places: Ints
    local: Local

    @classmethod
    def of(cls, problem: Problem) -> Backbone:
        """Fold the parts of a problem."""
        if problem.scores.last is not None:
            raise ValueError("last is given, but branch and bound does not score the last modifiers of a side")
        space = problem.space
        if space.projective:
            plan = problem.plan
            parts = plan.fold([problem.arc], [problem.higher])[0].copy()
        else:
            plan = plan_for(Program("arc"), problem.arc, None)
            parts = problem.arc.reshape(-1)
        frame = plan.frame
        places = frame.heads[:-1] * (frame.n + 1) + frame.modifiers
        local = without(frame.n)
        if isinstance(plan, GrandPlan) and space.factorization == "carreras":
            local = local_of(plan.parts.arcs, plan.parts.arc_of_sibling, plan.parts.arc_of_grandchild)
        name = space.factorization if space.projective else "nonprojective"
        return cls(problem, name, (frame, plan.shape, space.single_root), parts, places, local)

    def split(self, table: Table) -> Table:
        """Move the local share of factors into the parts; return the factors that are left."""
        _, spans, _ = self.shape
        if len(self.local.first_pair) == 1 or not isinstance(spans, GSpans):
            return table
        return split(table, self.local, spans.arcs, self.parts)
