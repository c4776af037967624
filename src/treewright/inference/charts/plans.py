"""From scores to a dynamic program and back: each factorization's parts, folded together.

A tree scores its arcs, siblings, grandchildren and so on; a program asks for one number for each of its largest parts.
So the smaller parts are *folded* into the largest ones that contain them before the search, each into exactly one that
every tree with it has, and probabilities are *unfolded* again by adding up.

What depends only on the shape of the problem is a *plan*, made once for each shape and kept.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Ints
from treewright.inference.charts import grand
from treewright.inference.charts.questions import Frame
from treewright.inference.charts.runs import runs_of, shift_runs
from treewright.inference.charts.word_plans import ArcPlan, SiblingPlan
from treewright.inference.kinds import FACTORIZATIONS, PartKind
from treewright.inference.parts import KEPT, Parts, all_parts

__all__ = ["Plan", "plan_for", "refuse_too_large", "taken"]

Vectors = Mapping[str, npt.NDArray[np.float32] | npt.NDArray[np.float64]]

#: What may be allocated for one problem.
LIMIT = 2 << 30

#: How long a sentence may be so that nothing comes near that, whatever its arcs; 60 words where nothing is said.
HARMLESS = {"arc": 4_000, "sibling": 400}


class Plan(Protocol):
    """The shape of a problem.

    Attributes
    ----------
    factorization : str
    frame, x, at
        What the kernels of `treewright.inference.charts.questions` are told.
    """

    factorization: str
    frame: Frame
    x: Any
    at: Any

    def fold(self, arcs: Sequence[Floats], higher: Sequence[Vectors]) -> Floats:
        """Give the parts of the program, a row for each problem, which are not to be written to.

        Arc scores are dense, with labels reduced, and minus infinity where forbidden.
        """

    def shift(self, parts: Floats, shifted: Floats) -> tuple[Floats, Floats]:
        """Subtract from the parts of each word that stand for its arc their maximum, which changes no probability.

        Gives for each problem what was subtracted in all, and the largest of the other parts.
        """

    def room(self, count: int) -> dict[str, Floats]:
        """Make room for the marginals of so many problems: an array for each kind, dense or of vectors."""

    def unfold(self, probabilities: Floats, room: dict[str, Floats]) -> None:
        """Put the marginals of all that is scored into a part of that room, as `fold` was given the scores."""


def plan_for(factorization: str, arc: Floats, parts: Parts | None) -> Plan:
    """Make the plan for a problem with these arcs (the others score minus infinity), or take one that has been made.

    The factorization has ``+last`` at the end where last modifiers are scored.
    """
    n, model = len(arc) - 1, factorization.removesuffix("+last")
    if n > HARMLESS.get(model, 60):
        refuse_too_large(model, arc > -np.inf)
    if model == "arc":
        return _arc_plan(n)
    if model == "sibling":
        return _sibling_plan(n, factorization)
    mask = arc > -np.inf
    if parts is not None:
        return GrandPlan(factorization, parts, sparse=True)
    words = mask[:, 1:].copy()
    words[np.arange(1, n + 1), np.arange(n)] = True
    if words.all():
        return _grand_plan(factorization, n) if n <= KEPT else GrandPlan(factorization, all_parts(n))
    return GrandPlan(factorization, Parts(mask))


def refuse_too_large(factorization: str, mask: npt.NDArray[np.bool_]) -> None:
    """Refuse what would not fit, before anything large is allocated."""
    n = len(mask) - 1
    right = np.triu(mask, 1).sum(axis=1, dtype=np.int64)
    left = np.tril(mask, -1)[:, 1:].sum(axis=1, dtype=np.int64)
    into = np.triu(mask, 1).sum(axis=0) + np.tril(mask, -1).sum(axis=0)
    into[0] = 1
    pairs = left * (left + 1) // 2 + right * (right + 1) // 2
    items, count = 4 * (n + 1) ** 2, (n + 1) ** 2
    if factorization == "sibling":
        count = n**3 // 3
    elif factorization != "arc":
        items = 2 * (n + 1) * int(into.sum()) + int(pairs.sum())
        count = int((into * (left + right)).sum())
        if factorization in ("grand-sibling", "tri-sibling"):
            count += int((into * pairs).sum()) * 4
        if factorization == "tri-sibling":
            count += int((left**3 + right**3).sum()) // 6 * 3
    needed = 16 * (items + count)
    if needed > LIMIT:
        raise ValueError(
            f"{factorization!r} with {int(into.sum()) - 1:,} arcs over {n:,} words needs about "
            f"{needed / 2**30:.1f} GB: prune the arcs, with allowed=… or parts=…"
        )


class GrandPlan:
    """The programs that are indexed by arcs."""

    def __init__(self, factorization: str, parts: Parts, sparse: bool = False) -> None:
        self.factorization, self.parts, self.sparse = factorization, parts, sparse
        self._model, self._ends = factorization.removesuffix("+last"), factorization.endswith("+last")
        self.x, self.at = parts.arcs, grand.layout(parts.arcs, self._ends)
        x, arcs = parts.arcs, parts.arc_of_grandchild
        if self._model == "carreras":
            arcs = parts.arc_of_sibling
        elif self._model == "grand-sibling":
            arcs = parts.arc_of_sibling[parts.sibling_of_grand]
        elif self._model == "tri-sibling":
            arcs = parts.arc_of_sibling[parts.sibling_of_tri]
        heads, modifiers = np.append(x.heads[arcs], -1), x.modifiers[arcs]
        goal, ones = grand.goal(x, self._ends), grand.ones(x, self._ends)
        self.frame = Frame(x.n, self.at.one + 1, goal, ones, heads, modifiers, runs_of(modifiers))

    def _scores(self, name: str, higher: Vectors) -> Floats | float:
        """Give the scores of a kind as a vector, or zero where it is not scored."""
        if name not in higher:
            return 0.0
        scores = higher[name].astype(np.float64) if self.sparse else taken(higher[name], self.parts.flat(name))
        scores[self.parts.crossing(name)] = -np.inf
        return scores

    def fold(self, arcs: Sequence[Floats], higher: Sequence[Vectors]) -> Floats:
        rows = [self._folded(*problem) for problem in zip(arcs, higher, strict=True)]
        return rows[0][None] if len(rows) == 1 else np.stack(rows)

    def _folded(self, arc: Floats, higher: Vectors) -> Floats:
        parts = self.parts
        arcs = np.take(arc, parts.flat("arc"))
        grandchild = self._scores("grandchild", higher)
        if self._model == "grandchild":
            return arcs[parts.arc_of_grandchild] + grandchild
        sibling: Floats = arcs[parts.arc_of_sibling] + self._scores("sibling", higher)
        if self._model == "carreras":
            outermost = np.zeros(len(parts.arc_of_grandchild)) + grandchild
            return np.concatenate([sibling, outermost])
        grand_sibling = np.zeros(len(parts.sibling_of_grand)) + self._scores("grand_sibling", higher)
        if isinstance(grandchild, np.ndarray):
            grand_sibling += grandchild[parts.outer_of_grand]
        if self._model == "grand-sibling":
            grand_sibling += sibling[parts.sibling_of_grand]
            return np.append(grand_sibling, self._last(higher)) if self._ends else grand_sibling
        if isinstance(grandchild, np.ndarray):
            inner = parts.inner_of_grand
            grand_sibling += np.where(inner >= 0, grandchild[inner], 0.0)
        tri_sibling = sibling[parts.sibling_of_tri] + self._scores("tri_sibling", higher)
        return np.concatenate([tri_sibling, grand_sibling])

    def _last(self, higher: Vectors) -> Floats:
        """Give the scores of last modifiers; the root has no left, and is not without modifiers."""
        last = np.zeros(self.parts.count("last")) + self._scores("last", higher)
        last[self.x.list_start[:2]] = -np.inf
        return last

    def shift(self, parts: Floats, shifted: Floats) -> tuple[Floats, Floats]:
        return shift_runs(parts, self.frame, shifted)

    def room(self, count: int) -> dict[str, Floats]:
        names = [name for name in FACTORIZATIONS[self._model].kinds if name != "last" or self._ends]
        return {name: np.zeros((count, *self._shape(name))) for name in names}

    def _shape(self, name: str) -> tuple[int, ...]:
        return (self.parts.count(name),) if self.sparse and name != "arc" else PartKind(name).shape(self.parts.n)

    def unfold(self, probabilities: Floats, room: dict[str, Floats]) -> None:
        for problem, row in enumerate(probabilities):
            for name, vector in self._unfolded(row).items():
                marginals = room[name][problem].reshape(-1)
                marginals[... if self.sparse and name != "arc" else self.parts.flat(name)] = vector

    def _unfolded(self, probabilities: Floats) -> dict[str, Floats]:
        parts, count = self.parts, len(self.frame.modifiers)
        first, second = probabilities[:count], probabilities[count:]
        arcs, siblings = len(parts.arc), int(parts.arcs.pair_start[-1])
        grandchildren = int(parts.arcs.grandchild_start[-1])
        if self._model == "grandchild":
            return {"arc": _add_up(parts.arc_of_grandchild, first, arcs), "grandchild": first}
        marginals = {}
        if self._model == "carreras":
            sibling, marginals["grandchild"] = first, second
        elif self._model == "grand-sibling":
            sibling = _add_up(parts.sibling_of_grand, first, siblings)
            marginals["grand_sibling"] = first
            if self._ends:
                marginals["last"] = second
            marginals["grandchild"] = _add_up(parts.outer_of_grand, first, grandchildren)
        else:
            sibling = _add_up(parts.sibling_of_tri, first, siblings)
            marginals["tri_sibling"], marginals["grand_sibling"] = first, second
            has_inner = parts.inner_of_grand >= 0
            marginals["grandchild"] = _add_up(parts.outer_of_grand, second, grandchildren)
            marginals["grandchild"] += _add_up(parts.inner_of_grand[has_inner], second[has_inner], grandchildren)
        return {"arc": _add_up(parts.arc_of_sibling, sibling, arcs), "sibling": sibling, **marginals}


_arc_plan = functools.lru_cache(maxsize=256)(ArcPlan)
_sibling_plan = functools.lru_cache(maxsize=64)(SiblingPlan)


@functools.cache
def _grand_plan(factorization: str, n: int) -> GrandPlan:
    return GrandPlan(factorization, all_parts(n))


def _add_up(index: Ints, values: Floats, size: int) -> Floats:
    return np.bincount(index, values, size).astype(np.float64, copy=False)


def taken(array: npt.NDArray[Any], flat: Ints) -> Floats:
    """Take the scores of parts out of a dense array; what is no score stands for no part of any tree."""
    scores = np.take(array, flat).astype(np.float64, copy=False)
    with np.errstate(all="ignore"):
        if not scores.sum() < np.inf:
            scores[~(scores < np.inf)] = -np.inf
    return scores
