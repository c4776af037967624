"""Polynomial factors: those that are no set of arcs, but a sum of such sets (Qian & Liu 2013, section 5.1).

A product of arcs z_e is 1 if all of them are in the tree, which is what a factor is; so a polynomial Σ_i α_i Π_e z_e is
one factor for each of its terms.  There are up to 2^r terms for r arcs, so r is kept small.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence

from treewright.inference.factors import Factors

__all__ = ["MOST_ARCS", "any_of", "exactly", "valency"]

#: The arcs that a polynomial may be made of.
MOST_ARCS = 12


def any_of(arcs: Iterable[Sequence[int]], score: float) -> Factors:
    """Score trees that have at least one of some arcs: z_1 + z_2 - z_1 z_2 for two of them.

    Examples
    --------
    >>> either = any_of([(0, 1), (2, 3)], 5.0)
    >>> len(either), either.score([-1, 0, 1, 2]), either.score([-1, 0, 1, 1]), either.score([-1, 2, 0, 1])
    (3, 5.0, 5.0, 0.0)
    """
    return _symmetric(arcs, score, lambda size: 0 if size == 0 else (-1) ** (size + 1))


def exactly(count: int, arcs: Iterable[Sequence[int]], score: float) -> Factors:
    """Score trees that have exactly ``count`` of some arcs: Σ_S (-1)^(|S| - count) (|S| choose count) Π_S z_e."""
    return _symmetric(arcs, score, lambda size: (-1) ** (size - count) * math.comb(size, count) if size >= count else 0)


def valency(head: int, count: int, modifiers: Iterable[int], score: float) -> Factors:
    """Score trees in which a word has exactly ``count`` of some modifiers (v_ik in section 5.1).

    ``modifiers`` are those that it can have at all, such as all that have survived pruning.

    Examples
    --------
    >>> two = valency(2, 2, [1, 3, 4], 1.0)
    >>> two.score([-1, 2, 0, 2, 3]), two.score([-1, 2, 0, 2, 2])
    (1.0, 0.0)
    """
    return exactly(count, [(head, m) for m in modifiers], score)


def _symmetric(arcs: Iterable[Sequence[int]], score: float, coefficient: Callable[[int], int]) -> Factors:
    """Make the polynomial in which all sets of the same size have the same coefficient."""
    distinct = sorted({(int(h), int(m)) for h, m in arcs})
    if len(distinct) > MOST_ARCS:
        raise ValueError(f"a polynomial of {len(distinct)} arcs has too many terms: there may be {MOST_ARCS} arcs")
    return Factors.of(
        (chosen, score * coefficient(size))
        for size in range(len(distinct) + 1)
        if coefficient(size) != 0
        for chosen in itertools.combinations(distinct, size)
    )
