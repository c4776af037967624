"""The plan for a problem: made for its shape, and kept where many problems have that shape."""

from __future__ import annotations

import functools

import numpy as np

from treewright.arrays import Floats, Mask
from treewright.inference.charts.folding import Plan
from treewright.inference.charts.grand_plans import GrandPlan, grand_plan
from treewright.inference.charts.programs import Program
from treewright.inference.charts.sibling_plans import PrunedSiblingPlan, SiblingPlan
from treewright.inference.charts.word_plans import ArcPlan
from treewright.inference.parts import KEPT, Parts, all_parts

__all__ = ["plan_for", "refuse_too_large"]

#: How many bytes may be allocated for one problem.
LIMIT = 2 << 30

#: Sentences of up to this many words stay below the limit, whatever their arcs; 60 words for other factorizations.
HARMLESS = {"arc": 4_000, "sibling": 400}

_arc_plan = functools.lru_cache(maxsize=256)(ArcPlan)
_sibling_plan = functools.lru_cache(maxsize=64)(SiblingPlan)


@functools.cache
def _grand_plan(program: Program, n: int) -> GrandPlan:
    return grand_plan(program, all_parts(n))


def plan_for(program: Program, arc: Floats, parts: Parts | None) -> Plan:
    """Return the plan for a problem with these arcs; arcs that do not exist score minus infinity."""
    n = len(arc) - 1
    if n > HARMLESS.get(program.factorization, 60):
        refuse_too_large(program.factorization, arc > -np.inf, parts is not None)
    if program.factorization == "arc":
        return _arc_plan(n)
    if program.factorization == "sibling":
        return _sibling_plan(n, program.last) if parts is None else PrunedSiblingPlan(parts, program.last)
    mask = arc > -np.inf
    if parts is not None:
        return grand_plan(program, parts, sparse=True)
    words = mask[:, 1:].copy()
    words[np.arange(1, n + 1), np.arange(n)] = True
    if words.all():
        return _grand_plan(program, n) if n <= KEPT else grand_plan(program, all_parts(n))
    return grand_plan(program, Parts(mask))


def refuse_too_large(factorization: str, mask: Mask, sparse: bool = False) -> None:
    """Refuse a problem that would not fit into memory, before anything large is allocated.

    If ``sparse``, scores are vectors over the parts that the arcs make up, which matters to siblings only: the others
    make do with those parts anyway.
    """
    n = len(mask) - 1
    right = np.triu(mask, 1).sum(axis=1, dtype=np.int64)
    left = np.tril(mask, -1)[:, 1:].sum(axis=1, dtype=np.int64)
    into = np.triu(mask, 1).sum(axis=0) + np.tril(mask, -1).sum(axis=0)
    into[0] = 1
    pairs = left * (left + 1) // 2 + right * (right + 1) // 2
    items, count = 4 * (n + 1) ** 2, (n + 1) ** 2
    if factorization == "sibling":
        h, m = np.nonzero(mask)
        count = int(abs(h - m).sum()) + int(pairs.sum()) if sparse else n**3 // 3
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
