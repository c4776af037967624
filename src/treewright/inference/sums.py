"""What a sum over all trees yields."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.arrays import Floats

__all__ = ["Sums"]


@dataclass(frozen=True)
class Sums:
    """Sums over the trees of a problem."""

    log_total: float  # log Z
    marginals: dict[str, Floats]  # the probability of each part, by kind; those of arcs are dense
    entropy: float  # the entropy of the unlabelled trees, log Z less the expected score; NaN unless asked for
