"""The answer of a search for the best tree: the tree, its score, and whether it is proved to be the best."""

from __future__ import annotations

from dataclasses import dataclass, field

from treewright.arrays import Heads

__all__ = ["Parse"]


@dataclass(frozen=True, eq=False)
class Parse:
    """A tree over a sentence of n words.

    Attributes
    ----------
    heads : int32 array, shape (n+1,)
        The head of each word: 0 is the root, whose own head is -1.
    labels : int32 array, shape (n+1,), or None
        The label of the arc into each word, -1 at the root; None when labels were not scored.
    score : float
        The sum of the scores of all parts.
    certificate : bool
        Whether it is proved that no tree scores more.  Dynamic programs and arborescences are exact; for
        `treewright.inference.DualDecomposition`, the `Trace` says how it was proved.
    gap : float
        A bound on how much more another tree can score; 0 with a certificate.
    iterations : int
        The number of iterations of dual decomposition, 0 if it was not used.
    """

    heads: Heads
    labels: Heads | None
    score: float
    certificate: bool = field(default=True, repr=False)
    gap: float = field(default=0.0, repr=False)
    iterations: int = field(default=0, repr=False)

    @property
    def upper_bound(self) -> float:
        """An upper bound on the score of every tree."""
        return self.score + self.gap
