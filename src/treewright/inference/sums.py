"""What a sum over all trees yields."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.arrays import Floats

__all__ = ["Sums", "Tangents"]


@dataclass(frozen=True)
class Sums:
    """Sums over the trees of a problem."""

    log_total: float  # log Z
    marginals: dict[str, Floats]  # the probability of each part, by kind; those of arcs are dense
    entropy: float  # the entropy of the unlabelled trees, log Z less the expected score; NaN unless asked for


@dataclass(frozen=True)
class Tangents:
    """How sums over the trees of a problem change along a direction."""

    is_possible: bool  # whether there is a tree
    arc: Floats  # (n+1, n+1): the probability of each arc
    tangents: dict[str, Floats]  # the derivative of the probability of each part, by kind; those of arcs are dense
