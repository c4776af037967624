"""From scores to a dynamic program and back: each factorization's parts, folded together.

A tree scores its arcs, siblings, grandchildren and so on; a program asks for one number for each of its largest parts.
So the smaller parts are *folded* into the largest ones that contain them before the search, each into exactly one that
every tree with it has, and probabilities are *unfolded* again by adding up.

What depends only on the shape of the problem is a *plan*, made once for each shape and kept.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from treewright.inference import grand
from treewright.inference.parts import KEPT, Parts, all_parts
from treewright.inference.questions import Frame
from treewright.kernels import kernel

__all__ = ["SCORED", "Plan", "plan_for"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Vectors = Mapping[str, npt.NDArray[np.float32] | npt.NDArray[np.float64]]

#: The arrays that each factorization scores.
SCORED: Mapping[str, tuple[str, ...]] = {
    "arc": ("arc",),
    "sibling": ("arc", "sibling"),
    "grandchild": ("arc", "grandchild"),
    "carreras": ("arc", "sibling", "grandchild"),
    "grand-sibling": ("arc", "sibling", "grandchild", "grand_sibling"),
    "tri-sibling": ("arc", "sibling", "grandchild", "grand_sibling", "tri_sibling"),
}


#: What may be allocated for one problem.
LIMIT = 2 << 30

#: How long a sentence may be so that nothing comes near that, whatever its arcs; 60 words where nothing is said.
HARMLESS = {"arc": 4_000, "sibling": 400}

_NOTHING = np.zeros((1, 1), np.int64)


class Plan(Protocol):
    """The shape of a problem.

    Attributes
    ----------
    factorization : str
    frame, x, at
        What the kernels of `treewright.inference.questions` are told.
    """

    factorization: str
    frame: Frame
    x: Any
    at: Any

    def fold(self, arc: Floats, higher: Vectors) -> Floats:
        """Give the parts of the program, given dense arc scores (labels reduced, minus infinity where forbidden)."""

    def unfold(self, probabilities: Floats) -> dict[str, Floats]:
        """Give the marginals of all that is scored, dense or as vectors, as `fold` was given them."""


def plan_for(factorization: str, arc: Floats, parts: Parts | None) -> Plan:
    """Make the plan for a problem with these arcs (the others score minus infinity), or take one that has been made."""
    n = len(arc) - 1
    if n > HARMLESS.get(factorization, 60):
        _refuse_too_large(factorization, arc > -np.inf)
    if factorization == "arc":
        return _arc_plan(n)
    if factorization == "sibling":
        return _sibling_plan(n)
    mask = arc > -np.inf
    if parts is not None:
        return GrandPlan(factorization, parts, sparse=True)
    words = mask[:, 1:].copy()
    words[np.arange(1, n + 1), np.arange(n)] = True
    if words.all():
        return _grand_plan(factorization, n) if n <= KEPT else GrandPlan(factorization, all_parts(n))
    return GrandPlan(factorization, Parts(mask))


def _refuse_too_large(factorization: str, mask: npt.NDArray[np.bool_]) -> None:
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


class ArcPlan:
    """Single arcs: nothing to fold."""

    factorization = "arc"

    def __init__(self, n: int) -> None:
        self.x, self.at, self._size = n, _NOTHING, n + 1
        places = np.arange((n + 1) ** 2)
        self.frame = _word_frame(n, places // (n + 1), places % (n + 1))

    def fold(self, arc: Floats, higher: Vectors) -> Floats:
        return arc.reshape(-1)

    def unfold(self, probabilities: Floats) -> dict[str, Floats]:
        return {"arc": probabilities.reshape(self._size, self._size)}


class SiblingPlan:
    """Arcs fold into sibling parts; the parts of an arc lie side by side, by s."""

    factorization = "sibling"

    def __init__(self, n: int) -> None:
        self.x, self._size = n, n + 1
        h, m, s = np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij")
        exists = (m > 0) & (((h <= s) & (s < m)) | ((m < s) & (s <= h)))
        h, m = h[exists], m[exists]
        counts = exists.sum(axis=2).reshape(-1)
        self.at = (np.cumsum(counts) - counts).reshape(n + 1, n + 1)
        self._count = len(h)
        self.frame = _word_frame(n, h, m)

    def fold(self, arc: Floats, higher: Vectors) -> Floats:
        parts = np.empty(self._count)
        sibling = higher.get("sibling")
        if sibling is None:
            sibling = np.zeros((1, 1, 1))
        _fold_siblings(arc, np.ascontiguousarray(sibling), parts)
        return parts

    def unfold(self, probabilities: Floats) -> dict[str, Floats]:
        arc, sibling = np.zeros((self._size, self._size)), np.zeros((self._size,) * 3)
        _unfold_siblings(probabilities, arc, sibling)
        return {"arc": arc, "sibling": sibling}


@kernel
def _fold_siblings(arc: Floats, sibling: Floats, parts: Floats) -> None:
    """Add arc and sibling scores in the order of the parts; no sibling scores are one zero."""
    size = len(arc)
    place = 0
    for h in range(size):
        for m in range(1, size):
            first, last = (h, m) if h < m else (m + 1, h + 1)
            if h == m:
                continue
            for s in range(first, last):
                parts[place] = arc[h, m]
                if len(sibling) > 1:
                    parts[place] += sibling[h, s, m]
                place += 1


@kernel
def _unfold_siblings(probabilities: Floats, arc: Floats, sibling: Floats) -> None:
    """Put the probabilities of sibling parts where they belong, and add up those of each arc."""
    size = len(arc)
    place = 0
    for h in range(size):
        for m in range(1, size):
            first, last = (h, m) if h < m else (m + 1, h + 1)
            if h == m:
                continue
            for s in range(first, last):
                sibling[h, s, m] = probabilities[place]
                arc[h, m] += probabilities[place]
                place += 1


class GrandPlan:
    """The programs that are indexed by arcs."""

    def __init__(self, factorization: str, parts: Parts, sparse: bool = False) -> None:
        self.factorization, self.parts, self.sparse = factorization, parts, sparse
        self.x, self.at = parts.arcs, grand.layout(parts.arcs)
        x, arcs = parts.arcs, parts.arc_of_grandchild
        if factorization == "carreras":
            arcs = parts.arc_of_sibling
        elif factorization == "grand-sibling":
            arcs = parts.arc_of_sibling[parts.sibling_of_grand]
        elif factorization == "tri-sibling":
            arcs = parts.arc_of_sibling[parts.sibling_of_tri]
        heads = np.append(x.heads[arcs], -1)
        self.frame = Frame(x.n, self.at.one + 1, grand.goal(x), grand.ones(x), heads, x.modifiers[arcs])

    def _scores(self, name: str, higher: Vectors) -> Floats | float:
        """Give the scores of a kind as a vector, or zero where it is not scored."""
        if name not in higher:
            return 0.0
        taken = higher[name].astype(np.float64) if self.sparse else _taken(higher[name], self.parts.flat(name))
        taken[self.parts.crossing(name)] = -np.inf
        return taken

    def fold(self, arc: Floats, higher: Vectors) -> Floats:
        parts = self.parts
        arcs = np.take(arc, parts.flat("arc"))
        grandchild = self._scores("grandchild", higher)
        if self.factorization == "grandchild":
            return arcs[parts.arc_of_grandchild] + grandchild
        sibling: Floats = arcs[parts.arc_of_sibling] + self._scores("sibling", higher)
        if self.factorization == "carreras":
            outermost = np.zeros(len(parts.arc_of_grandchild)) + grandchild
            return np.concatenate([sibling, outermost])
        grand_sibling = np.zeros(len(parts.sibling_of_grand)) + self._scores("grand_sibling", higher)
        if isinstance(grandchild, np.ndarray):
            grand_sibling += grandchild[parts.outer_of_grand]
        if self.factorization == "grand-sibling":
            grand_sibling += sibling[parts.sibling_of_grand]
            return grand_sibling
        if isinstance(grandchild, np.ndarray):
            inner = parts.inner_of_grand
            grand_sibling += np.where(inner >= 0, grandchild[inner], 0.0)
        tri_sibling = sibling[parts.sibling_of_tri] + self._scores("tri_sibling", higher)
        return np.concatenate([tri_sibling, grand_sibling])

    def unfold(self, probabilities: Floats) -> dict[str, Floats]:
        return {name: self._dense(name, vector) for name, vector in self._unfolded(probabilities).items()}

    def _unfolded(self, probabilities: Floats) -> dict[str, Floats]:
        parts, count = self.parts, len(self.frame.modifiers)
        first, second = probabilities[:count], probabilities[count:]
        arcs, siblings = len(parts.arc), int(parts.arcs.pair_start[-1])
        grandchildren = int(parts.arcs.grandchild_start[-1])
        if self.factorization == "grandchild":
            return {"arc": _add_up(parts.arc_of_grandchild, first, arcs), "grandchild": first}
        marginals = {}
        if self.factorization == "carreras":
            sibling, marginals["grandchild"] = first, second
        elif self.factorization == "grand-sibling":
            sibling = _add_up(parts.sibling_of_grand, first, siblings)
            marginals["grand_sibling"] = first
            marginals["grandchild"] = _add_up(parts.outer_of_grand, first, grandchildren)
        else:
            sibling = _add_up(parts.sibling_of_tri, first, siblings)
            marginals["tri_sibling"], marginals["grand_sibling"] = first, second
            has_inner = parts.inner_of_grand >= 0
            marginals["grandchild"] = _add_up(parts.outer_of_grand, second, grandchildren)
            marginals["grandchild"] += _add_up(parts.inner_of_grand[has_inner], second[has_inner], grandchildren)
        return {"arc": _add_up(parts.arc_of_sibling, sibling, arcs), "sibling": sibling, **marginals}

    def _dense(self, name: str, vector: Floats) -> Floats:
        if self.sparse and name != "arc":
            return vector
        rank = getattr(self.parts, name).shape[1]
        dense = np.zeros((self.parts.n + 1) ** rank)
        dense[self.parts.flat(name)] = vector
        return dense.reshape((self.parts.n + 1,) * rank)


_arc_plan = functools.lru_cache(maxsize=256)(ArcPlan)
_sibling_plan = functools.lru_cache(maxsize=64)(SiblingPlan)


@functools.cache
def _grand_plan(factorization: str, n: int) -> GrandPlan:
    return GrandPlan(factorization, all_parts(n))


def _word_frame(n: int, heads: Ints, modifiers: Ints) -> Frame:
    """Frame the programs that are indexed by words: four square charts, the first being C, the second its copy."""
    diagonal = np.arange(n + 1) * (n + 2)
    return Frame(
        n, 4 * (n + 1) ** 2, n, np.concatenate([diagonal, (n + 1) ** 2 + diagonal]), np.append(heads, -1), modifiers
    )


def _add_up(index: Ints, values: Floats, size: int) -> Floats:
    return np.bincount(index, values, size).astype(np.float64, copy=False)


def _taken(array: npt.NDArray[Any], flat: Ints) -> Floats:
    """Take the scores of parts out of a dense array; what is no score stands for no part of any tree."""
    taken = np.take(array, flat).astype(np.float64, copy=False)
    with np.errstate(all="ignore"):
        if not taken.sum() < np.inf:
            taken[~(taken < np.inf)] = -np.inf
    return taken
