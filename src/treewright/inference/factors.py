"""Factors: sets of arcs of any shape, each with a score for trees that have all of them.

These are the factors of Qian & Liu (2013), equation 1: Φ(y) = Σ_c φ_c z_c, where z_c = 1 if all arcs of c are in the
tree.  A sentence has thousands of them, so they are rows of flat arrays and never objects of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Ints

__all__ = ["Factors"]


@dataclass(frozen=True, eq=False)
class Factors:
    """Sets of arcs and their scores: factor c has the arcs from ``offsets[c]`` up to ``offsets[c + 1]``.

    A factor is a set: an arc that it names twice counts once.  Two factors may have the same arcs; both count then.  A
    factor of no arcs scores in every tree.  One whose arcs no tree has together, or that have been pruned, in none.

    Parameters
    ----------
    offsets : int array, shape (F + 1,)
    heads, modifiers : int arrays, shape (offsets[F],)
        The arcs; words are 1…n, the root is 0.
    scores : array, shape (F,)
        What each factor adds to the score of a tree that has all of its arcs.

    Raises
    ------
    ValueError
        If the arrays do not fit each other, a score is not finite, or there can be no such arc.

    Examples
    --------
    >>> factors = Factors.of([([(2, 1), (2, 3)], 1.5), ([(0, 2), (2, 3), (3, 4)], -1.0)])
    >>> factors.offsets, factors.heads, factors.modifiers
    (array([0, 2, 5]), array([2, 2, 0, 2, 3]), array([1, 3, 2, 3, 4]))
    >>> factors.score([-1, 2, 0, 2, 2])
    1.5
    """

    offsets: Ints
    heads: Ints
    modifiers: Ints
    scores: Floats

    def __post_init__(self) -> None:
        for name in ("offsets", "heads", "modifiers"):
            array = np.asarray(getattr(self, name))
            if array.ndim != 1 or array.dtype.kind not in "iu":
                raise ValueError(f"{name} has shape {array.shape} and holds {array.dtype}: it must be whole numbers")
            object.__setattr__(self, name, np.ascontiguousarray(array, np.int64))
        object.__setattr__(self, "scores", np.ascontiguousarray(self.scores, np.float64))
        self._check_shapes()
        self._check_arcs((self.heads < 0) | (self.modifiers <= 0) | (self.heads == self.modifiers), "no tree has it")
        wrong = ~np.isfinite(self.scores)
        if wrong.any():
            c = int(wrong.argmax())
            raise ValueError(f"factor {c} scores {self.scores[c]}: the score of a factor must be a finite number")

    def _check_shapes(self) -> None:
        arcs, offsets = len(self.heads), self.offsets
        if self.scores.shape != (len(offsets) - 1,):
            raise ValueError(f"scores has shape {self.scores.shape}: beside {len(offsets)} offsets it must be one less")
        if len(self.modifiers) != arcs:
            raise ValueError(f"there are {arcs} heads and {len(self.modifiers)} modifiers: each arc has one of both")
        if offsets[0] != 0 or offsets[-1] != arcs or (np.diff(offsets) < 0).any():
            raise ValueError(f"offsets must rise from 0 to {arcs}, the number of arcs")

    def _check_arcs(self, wrong: npt.NDArray[np.bool_], why: str) -> None:
        if wrong.any():
            k = int(wrong.argmax())
            c = int(np.searchsorted(self.offsets, k, "right")) - 1
            raise ValueError(f"factor {c} names the arc ({self.heads[k]}, {self.modifiers[k]}): {why}")

    @classmethod
    def of(cls, pairs: Iterable[tuple[Iterable[Sequence[int]], float]]) -> Factors:
        """Make factors of pairs (arcs, score), each arc a pair (head, modifier)."""
        listed = [(list(arcs), score) for arcs, score in pairs]
        flat = [arc for arcs, _ in listed for arc in arcs]
        for c, (arcs, _) in enumerate(listed):
            if any(len(arc) != 2 for arc in arcs):
                raise ValueError(f"factor {c} holds {arcs}: an arc is a pair (head, modifier)")
        rows = np.array(flat) if flat else np.empty((0, 2), np.int64)
        scores = np.array([score for _, score in listed], np.float64)
        return cls(starts([len(arcs) for arcs, _ in listed]), rows[:, 0], rows[:, 1], scores)

    @classmethod
    def together(cls, several: Sequence[Factors]) -> Factors:
        """Put factors after one another."""
        if not several:
            return cls.of([])
        counts = np.concatenate([np.diff(each.offsets) for each in several])
        heads, modifiers, scores = (
            np.concatenate([getattr(each, name) for each in several]) for name in ("heads", "modifiers", "scores")
        )
        return cls(starts(counts), heads, modifiers, scores)

    def __len__(self) -> int:
        return len(self.scores)

    def scored(self, scores: npt.ArrayLike) -> Factors:
        """Return the same sets of arcs with other scores."""
        return replace(self, scores=np.asarray(scores, np.float64))

    def in_tree(self, heads: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return which factors a tree has, given the head of each word."""
        tree = np.asarray(heads)
        self.check_words(len(tree) - 1)
        missing = np.concatenate([[0], np.cumsum(tree[self.modifiers] != self.heads)])
        return np.asarray(missing[self.offsets[1:]] == missing[self.offsets[:-1]])

    def score(self, heads: npt.ArrayLike) -> float:
        """Add up the scores of the factors that a tree has."""
        return float(self.scores[self.in_tree(heads)].sum())

    def check_words(self, n: int) -> None:
        """Refuse arcs beyond the end of a sentence of n words."""
        self._check_arcs((self.heads > n) | (self.modifiers > n), f"there are {n} words")


def starts(counts: npt.ArrayLike) -> Ints:
    """Return where rows of these lengths begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(np.asarray(counts, np.int64))]).astype(np.int64)
