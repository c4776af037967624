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

import numpy as np

from treewright.arrays import Heads, Mask
from treewright.inference.parse import Parse

__all__ = ["k_best"]

#: Find the best tree all of whose arcs (head, modifier) are in a mask, None if there is none.  The mask is written to
#: after the search has returned.
Search = Callable[[Mask], Parse | None]


def k_best(search: Search, k: int, allowed: Mask) -> list[Parse]:
    """Find the k best trees with arcs in a mask, best first; all if they are fewer.

    The order does not depend on k: fewer trees are a prefix of more.  Among trees with the same score, the one that was
    found first comes first.
    """
    everything = allowed.copy()
    everything[:, 0] = False
    np.fill_diagonal(everything, False)
    best = search(everything.copy()) if k > 0 else None
    if best is None:
        return []
    # Of a subset, the heap keeps the best tree and how to make the mask again: a mask for each would fill memory.
    order = itertools.count()
    heap: list[tuple[float, int, Parse, Callable[[], Mask]]] = [(-best.score, next(order), best, lambda: everything)]
    trees: list[Parse] = []
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


def _split(search: Search, whole: Mask, heads: Heads) -> list[tuple[int, Parse]]:
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


def _remake(whole: Mask, heads: Heads, j: int) -> Callable[[], Mask]:
    """Put off making the mask of the trees in ``whole`` that differ from ``heads`` first in word j."""

    def mask() -> Mask:
        subset = whole.copy()
        subset[:, 1:j] = False
        subset[heads[1:j], np.arange(1, j)] = True
        subset[heads[j], j] = False
        return subset

    return mask
