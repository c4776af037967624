"""The best tree when only arc scores change: what dual bounds ask of a dynamic program, again and again.

Parts are folded once (`treewright.inference.charts.plans`).  In every tree each word has exactly one of the first
parts, which knows its arc, so a change of arc scores is a change of those parts: one addition each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from treewright.arrays import Floats, Ints
from treewright.inference.bounds.local_parts import Local, local_of, split, without
from treewright.inference.bounds.relaxation import Table
from treewright.inference.charts.frame import Frame
from treewright.inference.charts.g_layout import GSpans
from treewright.inference.charts.grand_plans import GrandPlan
from treewright.inference.charts.plans import plan_for
from treewright.inference.charts.programs import Program, Shape
from treewright.inference.charts.questions import search
from treewright.inference.kinds import FACTORIZATIONS
from treewright.inference.problem import Problem
from treewright.inference.spanning.arborescence import arborescence
from treewright.kernels import INNER, subroutine

__all__ = ["Backbone", "best_tree", "number_of"]

Found = tuple[Floats, Ints]

#: The dynamic programs of searches, by number; none for trees that need not be projective.
SEARCHES = (None, *(Program(name, last) for name in FACTORIZATIONS for last in (False, True)))


@subroutine()
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


def _search(number: int) -> Callable[..., Found]:
    program = SEARCHES[number]
    return search(program) if program else _nonprojective


# Kernels that search close over the number of the search, and not over the search itself, so that only the search that
# is needed is made.


def best_tree(number: int, parts: Floats, frame: Frame, shape: Shape, single_root: bool, scratch: Floats) -> Found:
    """Search with the kernel of that number: see `number_of` and `treewright.inference.charts.questions.search`."""
    return _search(number)(parts, frame, shape, single_root, scratch)


@overload(best_tree, prefer_literal=True, strict=False, jit_options=INNER)  # type: ignore[arg-type]
def _best_tree(number: Any, parts: Any, frame: Any, shape: Any, single_root: Any, scratch: Any) -> Any:
    find = _search(number.literal_value)
    return lambda number, parts, frame, shape, single_root, scratch: find(parts, frame, shape, single_root, scratch)


def number_of(problem: Problem) -> int:
    """Return the number of the search for a problem."""
    return SEARCHES.index(problem.program if problem.space.projective else None)


class Backbone(NamedTuple):
    """A problem whose parts are folded."""

    parts: Floats  # the scores of all parts
    places: Ints  # the arc that each of the first parts stands for: ``h * (n + 1) + m``
    local: Local  # what the backbone knows of arcs beyond their ends
    # What a search is told beside the parts.
    frame: Frame
    shape: Shape
    single_root: bool

    @classmethod
    def of(cls, problem: Problem) -> Backbone:
        """Fold the parts of a problem."""
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
        return cls(parts, places, local, frame, plan.shape, space.single_root)

    def split(self, table: Table) -> Table:
        """Move the local share of factors into the parts; return the factors that are left."""
        if len(self.local.first_pair) == 1 or not isinstance(self.shape, GSpans):
            return table
        return split(table, self.local, self.shape.arcs, self.parts)
