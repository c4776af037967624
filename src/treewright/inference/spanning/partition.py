"""The k best trees, from any searcher for the best one: partition of the trees that are left.

Murty (1968), in the general form of Lawler (1972).  Once the best tree of a set is known, the other trees of the
set fall into n disjoint subsets: those that first differ from it in the head of word j, for j from 1 to n.  Each
subset is again all trees within a mask of arcs (one arc forbidden, the arcs of the words before it the only ones
left to them), so its best tree is one more search.  The next best tree of all is the best among those of the
subsets so far, and its own subset is split in turn: k trees take at most (k - 1)n + 1 searches, whatever the
trees and the factorization are.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from treewright.arrays import Mask

__all__ = ["Mask", "k_best"]


class Found(Protocol):
    """What a search finds: a tree and its score."""

    @property
    def heads(self) -> npt.NDArray[np.int32]:
        """The head of each word."""

    @property
    def score(self) -> float:
        """The score of the tree."""


P = TypeVar("P", bound=Found)


def k_best(search: Callable[[Mask], P | None], n: int, k: int, allowed: Mask | None = None) -> list[P]:
    """Find the k best trees, best first.

    The order does not depend on k: fewer trees are a prefix of more.  Among trees with the same score, the one
    that was found first comes first.

    Parameters
    ----------
    search : function of a boolean array, shape (n+1, n+1)
        Find the best tree among those with all arcs (head, modifier) in the mask, or None if there is none.
        The mask is written to after the search has returned.
    n : int
        The number of words.
    k : int
        How many trees to find.
    allowed : bool array, shape (n+1, n+1), optional
        The arcs to choose from; without it, all.  The fewer they are, the fewer searches there are.

    Returns
    -------
    list
        What ``search`` returned for each tree: no tree twice, and all the trees there are if they are fewer
        than k.

    Examples
    --------
    >>> from treewright.inference import Scores, Trees
    >>> arc = np.array([[0, 9, 8], [0, 0, 2], [0, 4, 0]], float)
    >>> def search(allowed):
    ...     try:
    ...         return Trees(single_root=False).argmax(Scores(arc=np.where(allowed, arc, -np.inf)))
    ...     except ValueError:
    ...         return None
    >>> [(parse.heads.tolist(), parse.score) for parse in k_best(search, 2, 5)]
    [([-1, 0, 0], 17.0), ([-1, 2, 0], 12.0), ([-1, 0, 1], 11.0)]
    """
    if k < 0:
        raise ValueError(f"k is {k}: there cannot be fewer than no trees")
    everything = np.ones((n + 1, n + 1), bool) if allowed is None else allowed.astype(bool)
    everything[:, 0] = False
    np.fill_diagonal(everything, False)
    best = search(everything.copy()) if k > 0 else None
    if best is None:
        return []
    # Of a subset, the heap keeps the best tree and how to make the mask again: a mask for each would fill memory.
    order = itertools.count()
    heap: list[tuple[float, int, P, Callable[[], Mask]]] = [(-best.score, next(order), best, lambda: everything)]
    trees: list[P] = []
    while heap:
        _, _, tree, mask = heapq.heappop(heap)
        trees.append(tree)
        if len(trees) == k:
            break
        whole = mask()
        for j, other in _split(search, whole, tree.heads):
            remake = _remake(whole, tree.heads, j)
            heapq.heappush(heap, (-other.score, next(order), other, remake))
    return trees


def _split(search: Callable[[Mask], P | None], whole: Mask, heads: npt.NDArray[np.int32]) -> list[tuple[int, P]]:
    """Find the best tree in each subset of those that differ from ``heads`` first in word j, with j."""
    mask = whole.copy()
    found = []
    for j in range(1, len(heads)):
        h = heads[j]
        mask[h, j] = False
        if mask[:, j].any():
            tree = search(mask)
            if tree is not None:
                found.append((j, tree))
        mask[:, j] = False
        mask[h, j] = True
    return found


def _remake(whole: Mask, heads: npt.NDArray[np.int32], j: int) -> Callable[[], Mask]:
    """Put off making the mask of the trees in ``whole`` that differ from ``heads`` first in word j."""

    def mask() -> Mask:
        subset = whole.copy()
        subset[:, 1:j] = False
        subset[heads[1:j], np.arange(1, j)] = True
        subset[heads[j], j] = False
        return subset

    return mask
