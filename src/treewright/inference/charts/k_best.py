"""The k best derivations of a forest, found lazily: algorithm 3 of Huang and Chiang (2005).

The derivations of an item are ranked.  A candidate is an alternative with a derivation for each of its tails; the next
best derivation is the best candidate, and taking it makes one new candidate for each tail, with the next derivation
there.  The derivations of a tail are found only when a candidate asks for them.  Of candidates with the same score, the
one that was made first comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.kernels import copy, exact_inner_kernel, exact_kernel, subroutine

__all__ = ["CHILD", "SIBLING", "Derivations", "Forest", "best_first", "meld", "rank", "without_best"]


class Forest(NamedTuple):
    """The alternatives of a set of items; item 0 is the goal.

    Attributes
    ----------
    starts : int64 array, shape (items + 1,)
        Where the alternatives of each item begin, and where the last ends.
    tails : int64 array, shape (alternatives, 2)
        The items that an alternative is made of, -1 for none.  No item is made of itself, or is in a derivation twice.
    weights, scores : float64 arrays
        What an alternative scores by itself, and with the best derivations of its tails.
    adds : int64 array
        What an alternative adds to a derivation, -1 for nothing.
    """

    starts: Ints
    tails: Ints
    weights: Floats
    scores: Floats
    adds: Ints


class Derivations(NamedTuple):
    """Derivations, best first: their scores, and what their alternatives add, in preorder.

    What derivation r is made of is ``added[starts[r]:starts[r + 1]]``.
    """

    scores: Floats
    starts: Ints
    added: Ints


#: Columns of a candidate: its alternative, a derivation for each tail (-1: the best), the next derivation of the item,
#: and its place in the heap of the item, a pairing heap (Fredman et al. 1986): the first child, and the next sibling.
ALTERNATIVE, LEFT, RIGHT, NEXT, CHILD, SIBLING = range(6)


_inlined = subroutine(forceinline=True)


@_inlined
def meld(candidates: Ints, scores: Floats, x: int, y: int) -> int:
    """Make one heap of two; -1 is the empty one."""
    if x < 0 or y < 0:
        return max(x, y)
    if scores[y] > scores[x] or (scores[y] == scores[x] and y < x):
        x, y = y, x
    candidates[y, SIBLING] = candidates[x, CHILD]
    candidates[x, CHILD] = y
    return x


@_inlined
def without_best(candidates: Ints, scores: Floats, root: int) -> int:
    """Take the best candidate off a heap: meld its children in pairs, and then the pairs from the last to the first."""
    pairs, x = -1, candidates[root, CHILD]
    while x >= 0:
        y = candidates[x, SIBLING]
        following = candidates[y, SIBLING] if y >= 0 else -1
        pair = meld(candidates, scores, x, y)
        candidates[pair, SIBLING] = pairs
        pairs, x = pair, following
    heap = -1
    while pairs >= 0:
        following = candidates[pairs, SIBLING]
        heap = meld(candidates, scores, heap, pairs)
        pairs = following
    return heap


@exact_inner_kernel
def _grown(array: Any, size: int) -> Any:
    """Return an array with space for more rows than that."""
    if size < len(array):
        return array
    grown = np.empty((2 * size + 2, *array.shape[1:]), array.dtype)
    copy(array.reshape(-1), grown.reshape(-1))
    return grown


@exact_inner_kernel
def _opened(
    forest: Forest, item: int, heap: Ints, first: Ints, candidates: Ints, scores: Floats, count: int
) -> tuple[Ints, Floats, int]:
    """Make the candidates of an item and take the best, its first derivation."""
    begin, end = forest.starts[item], forest.starts[item + 1]
    candidates, scores = _grown(candidates, count + end - begin), _grown(scores, count + end - begin)
    best = -1
    for alternative in range(begin, end):
        for column in range(LEFT, SIBLING + 1):
            candidates[count, column] = -1
        candidates[count, ALTERNATIVE] = alternative
        scores[count] = forest.scores[alternative]
        best = meld(candidates, scores, best, count)
        count += 1
    heap[item], first[item] = without_best(candidates, scores, best), best
    return candidates, scores, count


@_inlined
def _place_of(seen: Ints, candidates: Ints, number: int) -> Any:
    """Find where in a hash table a candidate is, or would be."""
    alternative, left, right = candidates[number, ALTERNATIVE], candidates[number, LEFT], candidates[number, RIGHT]
    key = (alternative * 1000003 + left) * 1000003 + right
    place = (key ^ (key >> 31)) & (len(seen) - 1)
    while seen[place] >= 0:
        other = seen[place]
        same = candidates[other, LEFT] == left and candidates[other, RIGHT] == right
        if same and candidates[other, ALTERNATIVE] == alternative:
            break
        place = (place + 1) & (len(seen) - 1)
    return place


@exact_inner_kernel
def _rehashed(seen: Ints, candidates: Ints) -> Ints:
    """Return a hash table of twice the size."""
    larger = np.full(2 * len(seen), -1, np.int64)
    for number in seen:
        if number >= 0:
            larger[_place_of(larger, candidates, number)] = number
    return larger


@exact_kernel
def rank(forest: Forest, k: int) -> Derivations:
    """Find the k best derivations; all there are, where they are fewer."""
    items = len(forest.starts) - 1
    heap, first, last = np.full(items, -1, np.int64), np.full(items, -1, np.int64), np.full(items, -1, np.int64)
    finished = np.zeros(items, np.bool_)  # all derivations have been found
    candidates, scores = np.empty((1024, SIBLING + 1), np.int64), np.empty(1024)
    seen, pushed = np.full(1024, -1, np.int64), 0
    calls = np.empty((items + 1, 2), np.int64)
    candidates, scores, count = _opened(forest, 0, heap, first, candidates, scores, 0)
    found = 1 if k > 0 else 0
    while found < k and not finished[0]:
        depth = 0  # calls for the next derivation of an item are as deep as the tree
        calls[0, 0] = calls[0, 1] = 0
        while depth >= 0:
            item, side = calls[depth, 0], calls[depth, 1]
            if last[item] < 0:
                last[item] = first[item]
            own = last[item]
            if side == 2:  # every candidate that follows the last derivation is there
                best = heap[item]
                finished[item] = best < 0
                if best >= 0:
                    heap[item] = without_best(candidates, scores, best)
                    candidates[own, NEXT] = last[item] = best
                depth -= 1
                continue
            alternative = candidates[own, ALTERNATIVE]
            for each in range(2):
                tail = forest.tails[alternative, each]
                if tail >= 0 > candidates[own, LEFT + each]:
                    if first[tail] < 0:
                        candidates, scores, count = _opened(forest, tail, heap, first, candidates, scores, count)
                    candidates[own, LEFT + each] = first[tail]
            tail = forest.tails[alternative, side]
            following = candidates[candidates[own, LEFT + side], NEXT] if tail >= 0 else -1
            if tail >= 0 and following < 0 and not finished[tail]:
                depth += 1
                calls[depth, 0], calls[depth, 1] = tail, 0
                continue
            calls[depth, 1] += 1
            if following >= 0:
                if count == len(scores):
                    candidates, scores = _grown(candidates, count), _grown(scores, count)
                for column in range(NEXT):
                    candidates[count, column] = candidates[own, column]
                    candidates[count, NEXT + column] = -1
                candidates[count, LEFT + side] = following
                place = _place_of(seen, candidates, count)
                if seen[place] < 0:
                    scores[count] = forest.weights[alternative]
                    for column in (LEFT, RIGHT):
                        if candidates[count, column] >= 0:
                            scores[count] += scores[candidates[count, column]]
                    heap[item] = meld(candidates, scores, heap[item], count)
                    seen[place] = count
                    count += 1
                    pushed += 1
                    if 2 * pushed > len(seen):
                        seen = _rehashed(seen, candidates)
        found += not finished[0]
    return _listed(forest, found, first[0], candidates, scores)


@exact_kernel
def _listed(forest: Forest, found: int, first: int, candidates: Ints, scores: Floats) -> Derivations:
    """Walk down each derivation of the goal from the first, and list what it adds."""
    totals, starts = np.empty(found), np.zeros(found + 1, np.int64)
    best = _best_alternatives(forest)
    added, size = np.empty(1024, np.int64), 0
    todo, goal = np.empty(len(forest.starts) + 1, np.int64), first
    for number in range(found):
        totals[number] = scores[goal]
        added = _grown(added, size + len(forest.starts))
        depth, todo[0] = 0, goal
        while depth >= 0:
            own = todo[depth]  # a candidate, or -1 - item for the best derivation of an item
            depth -= 1
            alternative = candidates[own, ALTERNATIVE] if own >= 0 else best[-1 - own]
            if forest.adds[alternative] >= 0:
                added[size] = forest.adds[alternative]
                size += 1
            for side in (1, 0):
                tail = forest.tails[alternative, side]
                if tail >= 0:
                    derivation = candidates[own, LEFT + side] if own >= 0 else -1
                    depth += 1
                    todo[depth] = derivation if derivation >= 0 else -1 - tail
        starts[number + 1] = size
        goal = candidates[goal, NEXT]
    return Derivations(totals, starts, added[:size])


@_inlined
def _best_alternatives(forest: Forest) -> Ints:
    """Find the best alternative of each item."""
    best = np.empty(len(forest.starts) - 1, np.int64)
    for item in range(len(best)):
        begin, end = forest.starts[item], forest.starts[item + 1]
        best[item] = begin + np.argmax(forest.scores[begin:end])
    return best


def best_first(list_forest: Callable[[int], Forest | None], k: int) -> Iterator[tuple[float, Ints]]:
    """Yield all derivations, the best first: the score of each, and what it adds.

    Parameters
    ----------
    list_forest : function of an int
        Return a forest of at least that many of the best derivations, or of all if they are fewer; None if there are
        none.
    k : int
        How many derivations are probably enough.  When more are wanted, twice as many are ranked.
    """
    begin, end = 0, max(1, k)
    while (forest := list_forest(end)) is not None:
        scores, starts, added = rank(forest, end)
        for number in range(begin, len(scores)):
            yield float(scores[number]), added[starts[number] : starts[number + 1]]
        if len(scores) < end:
            return
        begin, end = end, 2 * end
