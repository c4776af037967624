"""The plans of the programs that are indexed by arcs: how each model folds its smaller parts into its largest."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Ints
from treewright.inference.charts import carreras, grand_sibling, grandchild, tri_sibling
from treewright.inference.charts.folding import Plan, Vectors, taken
from treewright.inference.charts.frame import Frame, runs_of
from treewright.inference.charts.g_layout import GSpans, g_spans, goal, ones
from treewright.inference.charts.programs import Program
from treewright.inference.kinds import FACTORIZATIONS, PartKind
from treewright.inference.parts import Parts

__all__ = ["GrandPlan", "grand_plan"]


class GrandPlan(Plan):
    """A problem with these parts; ``sparse`` if scores are vectors, one entry for each of them."""

    shape: GSpans

    #: The kinds of items of the program.
    items: str

    def __init__(self, program: Program, parts: Parts, sparse: bool = False) -> None:
        self.program, self.parts, self.sparse = program, parts, sparse
        arcs = self._arcs()
        self.shape = g_spans(parts.arcs, self.items, len(arcs), program.last)
        heads, modifiers = np.append(parts.arcs.heads[arcs], -1), parts.arcs.modifiers[arcs]
        empty, size = ones(self.shape, self.items), self.shape.at.one + 1
        self.frame = Frame(parts.n, size, goal(self.shape), empty, heads, modifiers, runs_of(modifiers))

    @abstractmethod
    def _arcs(self) -> Ints:
        """Find the arc that each of the first parts stands for."""

    @abstractmethod
    def _folded(self, arc: Floats, higher: Vectors) -> Floats:
        """Fold the scores of one problem; ``arc`` is a vector."""

    @abstractmethod
    def _unfolded(self, first: Floats, second: Floats) -> dict[str, Floats]:
        """Add up the probabilities of the first parts, and of those after them."""

    def fold(self, arcs: Sequence[Floats], higher: Sequence[Vectors]) -> Floats:
        """Fold the scores of all smaller parts into the largest."""
        flat = self.parts.flat("arc")
        rows = [self._folded(np.take(arc, flat), scored) for arc, scored in zip(arcs, higher, strict=True)]
        return rows[0][None] if len(rows) == 1 else np.stack(rows)

    def buffers(self, count: int, dtype: npt.DTypeLike = np.float64) -> dict[str, Floats]:
        """Allocate arrays of zeros, dense or of vectors."""
        kinds = FACTORIZATIONS[self.program.factorization].kinds
        scored = [kind for kind in kinds if kind is not PartKind.LAST or self.program.last]
        return {kind: np.zeros((count, *self._shape(kind)), dtype) for kind in scored}

    def _shape(self, kind: PartKind) -> tuple[int, ...]:
        return (self.parts.count(kind),) if self._is_vector(kind) else kind.shape(self.parts.n)

    def _is_vector(self, name: str) -> bool:
        return self.sparse and name != "arc"

    def unfold(self, probabilities: Floats, buffers: dict[str, Floats]) -> None:
        """Add up the probabilities of all smaller parts."""
        count = len(self.frame.modifiers)
        for problem, row in enumerate(probabilities):
            for name, vector in self._unfolded(row[:count], row[count:]).items():
                marginals = buffers[name][problem].reshape(-1)
                marginals[... if self._is_vector(name) else self.parts.flat(name)] = vector

    # --- what models share ----------------------------------------------------------------------------------------

    def _scores(self, name: str, higher: Vectors) -> Floats:
        """Return the scores of a kind as a vector, zeros where it is not scored."""
        if name not in higher:
            return np.zeros(self.parts.count(name))
        scores = higher[name].astype(np.float64) if self.sparse else taken(higher[name], self.parts.flat(name))
        scores[self.parts.crossing(name)] = -np.inf
        return scores

    def _siblings(self, arc: Floats, higher: Vectors) -> Floats:
        """Fold arcs into siblings."""
        folded: Floats = arc[self.parts.arc_of_sibling] + self._scores("sibling", higher)
        return folded

    def _grand_siblings(self, higher: Vectors, both: bool) -> Floats:
        """Fold the grandchildren (g, h, m), or both those and (g, h, s), into grand-siblings (g, h, s, m)."""
        folded = self._scores("grand_sibling", higher)
        if "grandchild" in higher:
            grandchild, inner = self._scores("grandchild", higher), self.parts.inner_of_grand
            folded += grandchild[self.parts.outer_of_grand]
            if both:
                folded += np.where(inner >= 0, grandchild[inner], 0.0)
        return folded

    def _unfold_siblings(self, sibling: Floats) -> dict[str, Floats]:
        """Add up the probabilities of siblings to those of arcs."""
        return {"arc": self._add_up(self.parts.arc_of_sibling, sibling, "arc"), "sibling": sibling}

    def _add_up(self, index: Ints, values: Floats, name: str) -> Floats:
        return np.bincount(index, values, self.parts.count(name)).astype(np.float64, copy=False)


class GrandchildPlan(GrandPlan):
    """Model 0: arcs fold into grandchildren."""

    items = grandchild.KINDS

    def _arcs(self) -> Ints:
        return self.parts.arc_of_grandchild

    def _folded(self, arc: Floats, higher: Vectors) -> Floats:
        folded: Floats = arc[self.parts.arc_of_grandchild] + self._scores("grandchild", higher)
        return folded

    def _unfolded(self, first: Floats, second: Floats) -> dict[str, Floats]:
        return {"arc": self._add_up(self.parts.arc_of_grandchild, first, "arc"), "grandchild": first}


class CarrerasPlan(GrandPlan):
    """Carreras (2007): arcs fold into siblings; outermost grandchildren come after them."""

    items = carreras.KINDS

    def _arcs(self) -> Ints:
        return self.parts.arc_of_sibling

    def _folded(self, arc: Floats, higher: Vectors) -> Floats:
        return np.append(self._siblings(arc, higher), self._scores("grandchild", higher))

    def _unfolded(self, first: Floats, second: Floats) -> dict[str, Floats]:
        return {**self._unfold_siblings(first), "grandchild": second}


class GrandSiblingPlan(GrandPlan):
    """Model 1: everything folds into grand-siblings; last modifiers come after them."""

    items = grand_sibling.KINDS

    def _arcs(self) -> Ints:
        return self.parts.arc_of_sibling[self.parts.sibling_of_grand]

    def _folded(self, arc: Floats, higher: Vectors) -> Floats:
        folded = self._grand_siblings(higher, both=False)
        folded += self._siblings(arc, higher)[self.parts.sibling_of_grand]
        if not self.program.last:
            return folded
        last = self._scores("last", higher)
        last[self.parts.arcs.list_start[:2]] = -np.inf  # the root has no left, and at least one modifier
        return np.append(folded, last)

    def _unfolded(self, first: Floats, second: Floats) -> dict[str, Floats]:
        siblings = self._unfold_siblings(self._add_up(self.parts.sibling_of_grand, first, "sibling"))
        grandchild = self._add_up(self.parts.outer_of_grand, first, "grandchild")
        last = {"last": second} if self.program.last else {}
        return {**siblings, "grandchild": grandchild, "grand_sibling": first, **last}


class TriSiblingPlan(GrandPlan):
    """Model 2: arcs and siblings fold into tri-siblings, grandchildren into the grand-siblings after them."""

    items = tri_sibling.KINDS

    def _arcs(self) -> Ints:
        return self.parts.arc_of_sibling[self.parts.sibling_of_tri]

    def _folded(self, arc: Floats, higher: Vectors) -> Floats:
        folded = self._siblings(arc, higher)[self.parts.sibling_of_tri] + self._scores("tri_sibling", higher)
        return np.append(folded, self._grand_siblings(higher, both=True))

    def _unfolded(self, first: Floats, second: Floats) -> dict[str, Floats]:
        siblings = self._unfold_siblings(self._add_up(self.parts.sibling_of_tri, first, "sibling"))
        inner, has_inner = self.parts.inner_of_grand, self.parts.inner_of_grand >= 0
        grandchild = self._add_up(self.parts.outer_of_grand, second, "grandchild")
        grandchild += self._add_up(inner[has_inner], second[has_inner], "grandchild")
        return {**siblings, "grandchild": grandchild, "grand_sibling": second, "tri_sibling": first}


_PLANS: Mapping[str, type[GrandPlan]] = {
    "grandchild": GrandchildPlan,
    "carreras": CarrerasPlan,
    "grand-sibling": GrandSiblingPlan,
    "tri-sibling": TriSiblingPlan,
}


def grand_plan(program: Program, parts: Parts, sparse: bool = False) -> GrandPlan:
    """Make the plan of a program that is indexed by arcs."""
    return _PLANS[program.factorization](program, parts, sparse)
