"""The best tree of any shape under arc scores: a maximum spanning arborescence, O(n²) time and space.

The algorithm of Chu & Liu (1965) and Edmonds (1967) for dense graphs, as arranged by Tarjan (1977) and
Gabow, Galil, Spencer & Tarjan (1986): a path grows backwards along best incoming arcs.  When it meets the
root, or a vertex of an earlier path, all its vertices are finished.  When it meets itself, the cycle is
contracted at once into a new vertex at the end of the path: the row of arcs into the new vertex is the
maximum of the members' rows, each less the score of the member's own best arc.  In the end contractions are
undone, newest first: the arc into a contracted vertex replaces the best arc of that member whose row gave
the maximum.  The rows of members are kept, so which one that was is found again and need not be recorded.

**A single root, exactly.** Let the weight of an arc be the pair (-1 if it leaves the root, else 0; score),
added componentwise and compared lexicographically.  Pairs are an ordered group, which is all that the
algorithm asks of weights, so it finds the best among the trees with the fewest root arcs; if that number is
one, it is the best single-root tree, and otherwise there is none.  A best arc that leaves the root ends its
path and is never part of a cycle, so the first component of what is subtracted is always 0, and the
comparison comes down to this: a vertex takes its arc from the root only when no other arc into it is left.
No large constant is added to any score.  See Gabow & Tarjan (1984) for the constrained problem, Zmigrod,
Vieira & Cotterell (2020) for why parsers need it, and Stanojević & Cohen (2021) for weights in this form.

A forbidden arc scores minus infinity, is never a best arc and hence never subtracted: no NaN can arise.
"""

from __future__ import annotations

import numpy as np

from treewright.arrays import Floats, Heads, Real
from treewright.inference.maximum import larger
from treewright.kernels import inner_kernel, kernel

__all__ = ["arborescence"]

#: Where a word stands, when it is not on the path.
UNSEEN, FINISHED = -1, -2


@kernel
def _rows(arc: Real) -> Floats:
    """Lay out the arcs into each word as a row, with space for the rows of contracted vertices."""
    size = arc.shape[0]
    into = np.empty((2 * size, size))
    for m in range(1, size):
        for h in range(size):
            into[m, h] = arc[h, m]
        into[m, m] = -np.inf
    return into


@inner_kernel
def _best_source(row: Floats, avoid_root: bool) -> int:
    """Find where the best arc of a row comes from, or -1 if all are forbidden."""
    first = 1 if avoid_root else 0
    best = -np.inf
    for k in range(row.size - first):
        best = larger(best, row[np.uintp(k + first)])
    if best > -np.inf:
        for h in range(first, row.size):
            if row[h] == best:
                return h
    return 0 if row[0] > -np.inf else -1


@kernel
def _contract(into: Floats, cycle: Heads, score: Floats, vertex: int) -> None:
    """Fill the row of a new vertex from those of a cycle."""
    row = into[vertex]
    for h in range(row.size):
        row[h] = -np.inf
    for member in cycle:
        best = score[member]
        own = into[member]
        for h in range(row.size):
            row[h] = larger(row[h], own[h] - best)


@inner_kernel
def _enclose(place: Heads, begin: int, row: Floats) -> None:
    """Move all words that stand at ``begin`` or after it into one vertex there, and forbid arcs within it."""
    for h in range(row.size):  # without a branch, so that it vectorises
        within = place[h] >= begin
        row[h] = -np.inf if within else row[h]
        place[h] = begin if within else place[h]


@inner_kernel
def _expand(into: Floats, source: Heads, score: Floats, members: Heads, bounds: Heads, vertices: int) -> None:
    """Undo contractions, newest first: the arc into a vertex becomes the arc into one of its members."""
    for vertex in range(vertices - 1, into.shape[1] - 1, -1):
        h = source[vertex]
        entered = members[bounds[vertex]]
        for k in range(bounds[vertex] + 1, bounds[vertex + 1]):
            member = members[k]
            if into[member, h] - score[member] > into[entered, h] - score[entered]:
                entered = member
        source[entered] = h


@kernel
def _search(into: Floats, avoid_root: bool, heads: Heads) -> int:
    """Write the best heads and return how many are the root; 0 when there is no tree."""
    size = into.shape[1]
    source, score = np.empty(2 * size, np.int32), np.empty(2 * size)
    place = np.full(size, UNSEEN, np.int32)  # on the path, of the vertex that each word is contracted into
    path = np.empty(size, np.int32)
    members, bounds = np.empty(2 * size, np.int32), np.zeros(2 * size + 1, np.int32)
    vertices, grouped = size, 0
    place[0] = FINISHED
    for start in range(1, size):
        word, length = start, 0
        while place[word] != FINISHED:
            if place[word] == UNSEEN:
                path[length], place[word] = word, length
                length += 1
            else:  # a cycle: from where `word` stands to the end of the path
                begin = place[word]
                cycle = path[begin:length]
                _contract(into, cycle, score, vertices)
                _enclose(place, begin, into[vertices])
                bounds[vertices] = grouped
                for member in cycle:
                    members[grouped] = member
                    grouped += 1
                bounds[vertices + 1] = grouped
                path[begin] = vertices
                length = begin + 1
                vertices += 1
            last = path[length - 1]
            word = _best_source(into[last], avoid_root)
            if word < 0:
                return 0
            source[last], score[last] = word, into[last, word]
        for h in range(size if length else 0):
            place[h] = FINISHED if place[h] >= 0 else place[h]
    _expand(into, source, score, members, bounds, vertices)
    roots = 0
    for m in range(1, size):
        heads[m] = source[m]
        roots += source[m] == 0
    return roots


@kernel
def arborescence(arc: Real, single_root: bool) -> Heads:
    """Find the heads of the best tree, projective or not, -1 for the root; all are -1 where there is no tree.

    This is ``Trees(projective=False).argmax`` without its checks: scores, a C-contiguous array of shape (n+1, n+1), may
    be NaN or plus infinity only on the diagonal and in column 0, which do not count.

    Examples
    --------
    >>> arborescence(np.array([[0.0, 9.0, 9.0], [0.0, 0.0, 2.0], [0.0, 3.0, 0.0]]), True)
    array([-1,  2,  0], dtype=int32)
    """
    heads = np.full(arc.shape[0], -1, np.int32)
    into = _rows(arc)
    roots = _search(into, False, heads)
    # The best of all trees is the best single-root tree if it has one root, as it has on easy scores.
    if single_root and roots > 1:
        roots = _search(into, True, heads)
    if roots == 0 or (single_root and roots > 1):
        heads.fill(-1)
    return heads
