"""Factors bounded by arc scores: the functions g and h of Qian & Liu (2013), sections 3.2 and 3.4, in kernels.

A factor c with r arcs and score φ has z_c = min_e z_e.  With p on the probability simplex,

- φ ≥ 0:   φ z_c ≤ g(p, z) = Σ_e φ p_e z_e                        (equation 5; equality at the best p)
- φ < 0:   φ z_c ≤ h(p, z) = p φ (Σ_e z_e - (r - 1)),  0 ≤ p ≤ 1   (equation 8)

Both are linear in the arcs z, so a search for the best tree under changed arc scores finds the largest sum of these
bounds over all trees, an upper bound Ψ(p, z) of every tree's score; and what p is best for the tree found tells where
to move p.  With the roles of g and h exchanged they are lower bounds (section 3.4).

Factors come as a `Table`, and the p of all of them as one array beside its arcs: for φ < 0, only the first entry of a
factor counts.  An arc (h, m) is the place h (n + 1) + m; after these there may be more places, for what the backbone
knows of arcs beside their ends (`treewright.inference.bounds.local_parts`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Ints, Mask
from treewright.kernels import inner_kernel, kernel

__all__ = ["Table", "gaps", "lower", "move", "reduce", "relax", "sift", "uniform", "weigh"]


class Table(NamedTuple):
    """Factors: the places of factor c are those from ``offsets[c]`` up to ``offsets[c + 1]``."""

    offsets: Ints
    places: Ints
    scores: Floats


# --- fewer and smaller factors --------------------------------------------------------------------------------------


@inner_kernel
def _exclude_each_other(a: int, b: int, size: int, projective: bool, single_root: bool) -> bool:
    """Decide from two different arcs alone whether no tree has both."""
    g, h, k, m = a // size, a % size, b // size, b % size
    if h == m or (g == m and h == k) or (single_root and g == 0 and k == 0):
        return True
    if not projective:
        return False
    i, j, r, s = min(g, h), max(g, h), min(k, m), max(k, m)
    # They cross, or the head of one arc's head lies below that arc.
    return i < r < j < s or r < i < s < j or (m == g and i < k < j) or (h == k and r < g < s)


@kernel
def sift(table: Table, size: int, projective: bool, single_root: bool) -> Table:
    """Drop factors that no tree can have and arcs that a factor names twice; what is left keeps its order."""
    offsets, arcs, scores = np.zeros(len(table.scores) + 1, np.int64), np.empty_like(table.places), table.scores.copy()
    count, end = 0, 0
    for c in range(len(table.scores)):
        first, possible = end, table.scores[c] != 0.0
        for k in range(table.offsets[c], table.offsets[c + 1]):
            arc, new = table.places[k], True
            for other in arcs[first:end]:
                if other == arc:
                    new = False
                elif _exclude_each_other(arc, other, size, projective, single_root):
                    possible = False
            if new:
                arcs[end] = arc
                end += 1
        if possible:
            scores[count] = table.scores[c]
            count += 1
            offsets[count] = end
        else:
            end = first
    return Table(offsets[: count + 1], arcs[:end], scores[:count])


@kernel
def uniform(table: Table) -> Floats:
    """Return the p to start from (section 4.4): 1/r for each arc of a positive factor, and 0 for the negative ones."""
    p = np.zeros(len(table.places))
    for c in range(len(table.scores)):
        first, end = table.offsets[c], table.offsets[c + 1]
        if table.scores[c] > 0.0:
            p[first:end] = 1.0 / (end - first)
    return p


@inner_kernel
def reduce(table: Table, p: Floats, allowed: Mask, owner: Ints, linear: Floats) -> tuple[Table, Floats, Ints, float]:
    """Simplify factors where some arcs are decided: forbidden, or the only one left for a word.

    A factor with a forbidden arc is dropped, ``owner`` being the arc of each place.  An arc that every tree has does
    not matter.  If one place is left, the factor is its score, and is added to ``linear``; if none is, it is part of
    the constant.  Return the factors that are left, with p on their simplices; the place in the given table of each arc
    that is left; and the constant.
    """
    size = int(np.sqrt(len(allowed)))
    heads = np.zeros(size, np.int64)
    for arc in range(len(allowed)):
        heads[arc % size] += allowed[arc]
    offsets, scores = np.zeros(len(table.scores) + 1, np.int64), np.empty_like(table.scores)
    origin, fresh = np.empty_like(table.places), np.empty_like(p)
    count, end, constant = 0, 0, 0.0
    for c in range(len(table.scores)):
        first, possible = end, True
        for k in range(table.offsets[c], table.offsets[c + 1]):
            place = table.places[k]
            possible &= allowed[owner[place]]
            if place >= len(allowed) or heads[place % size] > 1:
                origin[end], fresh[end] = k, p[k]
                end += 1
        if possible and end - first > 1:
            if table.scores[c] < 0.0:
                fresh[first] = p[table.offsets[c]]
            elif end - first < table.offsets[c + 1] - table.offsets[c]:
                _project(fresh, first, end)
            scores[count] = table.scores[c]
            count += 1
            offsets[count] = end
            continue
        if possible and end - first == 1:
            linear[table.places[origin[first]]] += table.scores[c]
        elif possible:
            constant += table.scores[c]
        end = first
    return Table(offsets[: count + 1], table.places[origin[:end]], scores[:count]), fresh[:end], origin[:end], constant


# --- bounds ---------------------------------------------------------------------------------------------------------


@inner_kernel
def relax(table: Table, p: Floats, bonus: Floats) -> float:
    """Add to arc scores their share of the upper bounds g and h; return the constant."""
    constant = 0.0
    for c in range(len(table.scores)):
        first, end, score = table.offsets[c], table.offsets[c + 1], table.scores[c]
        if score > 0.0:
            for k in range(first, end):
                bonus[table.places[k]] += score * p[k]
        elif p[first] > 0.0:
            for k in range(first, end):
                bonus[table.places[k]] += score * p[first]
            constant -= score * p[first] * (end - first - 1)
    return constant


@inner_kernel
def lower(table: Table, in_tree: Mask, bonus: Floats) -> None:
    """Add to arc scores their share of the lower bounds at the p that is best for a tree (section 3.4).

    There the bounds are equal to the score of that tree, so the best tree under them is at least as good.
    """
    for c in range(len(table.scores)):
        first, end, score = table.offsets[c], table.offsets[c + 1], table.scores[c]
        missing, last = 0, first
        for k in range(first, end):
            if not in_tree[table.places[k]]:
                missing += 1
                last = k
        if score < 0.0:
            bonus[table.places[last]] += score
        elif missing == 0:
            for k in range(first, end):
                bonus[table.places[k]] += score


@inner_kernel
def weigh(table: Table, p: Floats, in_tree: Mask, held: Ints) -> tuple[float, float, float]:
    """Return the score of the factors that a tree has, its size, and how fast Ψ falls when p moves (see `move`).

    ``held[c]`` becomes the number of arcs of factor c that are in the tree.
    """
    score, size, speed = 0.0, 0.0, 0.0
    for c in range(len(table.scores)):
        first, end = table.offsets[c], table.offsets[c + 1]
        count, r, mass = 0, end - first, 0.0
        for k in range(first, end):
            if in_tree[table.places[k]]:
                count += 1
                mass += p[k]
        held[c] = count
        if count == r:
            score += table.scores[c]
            size += abs(table.scores[c])
        if table.scores[c] > 0.0:
            if count < r and mass > 0.0:
                speed += table.scores[c] * count * (r - count) / r
        else:
            excess = count - (r - 1)
            if (excess < 0 and p[first] > 0.0) or (excess > 0 and p[first] < 1.0):
                speed -= table.scores[c] * excess * excess
    return score, size, speed


@kernel
def move(table: Table, p: Floats, in_tree: Mask, held: Ints, step: float) -> None:
    """Move p against the subgradient of Ψ at a tree, and back onto the simplex.

    The derivative by p_e is φ z_e, by p it is φ (Σ z_e - (r - 1)).  Both are divided by |φ|, for p has the same range
    whatever φ is; without that, factors with small scores hardly move.  No step need be longer than 2, which takes p
    from any corner of the simplex to any other.
    """
    step = min(step, 2.0)
    for c in range(len(table.scores)):
        first, end = table.offsets[c], table.offsets[c + 1]
        if table.scores[c] < 0.0:
            p[first] = min(1.0, max(0.0, p[first] + step * (held[c] - (end - first - 1))))
        elif 0 < held[c] < end - first:
            for k in range(first, end):
                if in_tree[table.places[k]]:
                    p[k] -= step
            _project(p, first, end)


@inner_kernel
def _project(p: Floats, first: int, end: int) -> None:
    """Project onto the simplex: max(p - θ, 0), with θ such that the sum is 1 (Duchi et al. 2008).

    Instead of sorting, drop what is not above θ until nothing more is (Michelot 1986): factors are short.  Rounding may
    bring back what was dropped, which is then the end.
    """
    count, theta = end - first + 1, -np.inf
    while True:
        above, total = 0, -1.0
        for k in range(first, end):
            if p[k] > theta:
                above += 1
                total += p[k]
        if above == 0 or above >= count:
            break
        count, theta = above, total / above
    for k in range(first, end):
        p[k] = max(p[k] - theta, 0.0)


@inner_kernel
def gaps(table: Table, p: Floats, in_tree: Mask, gap: Floats) -> None:
    """Add to each place the gaps between bound and score of the factors that contain it (section 3.3)."""
    for c in range(len(table.scores)):
        first, end, score = table.offsets[c], table.offsets[c + 1], table.scores[c]
        count, mass = 0, 0.0
        for k in range(first, end):
            if in_tree[table.places[k]]:
                count += 1
                mass += p[k]
        excess = count - (end - first - 1)
        bound = score * mass if score > 0.0 else score * excess * p[first]
        own = bound - score if excess == 1 else bound
        for k in range(first, end):
            gap[table.places[k]] += own
