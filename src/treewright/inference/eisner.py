"""The best projective tree under arc scores: Eisner's algorithm, O(n³) time and O(n²) space.

Items and rules are those of Eisner (1996, 2000), drawn as in Figure 2 of Koo & Collins (2010)::

    complete[h, e]    h and its descendants as far as e on one side   C(h, e)
    incomplete[h, m]  the arc h → m and all that lies between         I(h, m)

    I(h, m) = arc(h, m) + max over r of  C(h, r) + C(m, r + 1)        (r from h to m - 1, or mirrored)
    C(h, e) =             max over m of  I(h, m) + C(m, e)            (m from h, exclusive, to e)

An item is indexed by its head and then by its other end, left or right, so a single square array holds both
directions.  The sums over r run along two rows of ``complete``; the sums over m along a row of
``incomplete`` and one of ``reaching``, the transposed copy of ``complete``.  No back-pointers are kept: the
maximum is found again for those 2n items that are on the best tree.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from treewright.inference.semiring import MAX_PLUS, Semiring
from treewright.kernels import kernel

__all__ = ["eisner"]

Floats = npt.NDArray[np.floating]
Chart = npt.NDArray[np.float64]
Heads = npt.NDArray[np.int32]
Items = npt.NDArray[np.int64]


def _rules(semiring: Semiring) -> tuple[Callable[..., None], Callable[..., None]]:
    """Specialise the rules: the items over words alone, and those of the root."""
    one, times, contract = semiring.one, semiring.times, semiring.contract

    def over_words(arc: Floats, complete: Chart, reaching: Chart, incomplete: Chart) -> None:
        n = arc.shape[0] - 1
        for h in range(n + 1):
            complete[h, h] = reaching[h, h] = one
        for i in range(n - 1, 0, -1):  # every span within (i, j) comes before it, and rows of i stay at hand
            for j in range(i + 1, n + 1):
                width = j - i
                between = contract(complete[i], i, complete[j], i + 1, width)
                incomplete[i, j] = times(between, arc[i, j])
                incomplete[j, i] = times(between, arc[j, i])
                complete[i, j] = contract(incomplete[i], i + 1, reaching[j], i + 1, width)
                complete[j, i] = contract(incomplete[j], i, reaching[i], i, width)
                reaching[j, i] = complete[i, j]
                reaching[i, j] = complete[j, i]

    def over_root(arc: Floats, complete: Chart, reaching: Chart, incomplete: Chart) -> None:
        # The root stands to the left of all words, and nothing is its head.
        for m in range(1, arc.shape[0]):
            incomplete[0, m] = times(contract(complete[0], 0, complete[m], 1, m), arc[0, m])
            complete[0, m] = contract(incomplete[0], 1, reaching[m], 1, m)

    return kernel(over_words), kernel(over_root)


_best_over_words, _best_over_root = _rules(MAX_PLUS)


@kernel
def _best_top(arc: Floats, complete: Chart) -> int:
    """Find the one word to attach to the root, or 0 if none will do."""
    n = arc.shape[0] - 1
    top, best = 0, -np.inf
    for k in range(1, n + 1):
        score = complete[k, 1] + arc[0, k] + complete[k, n]
        if score > best:
            top, best = k, score
    return top


@kernel
def _where_best(left: Chart, i: int, right: Chart, j: int, length: int) -> int:
    """Find the first split point where a contraction takes its maximum."""
    where = 0
    for k in range(1, length):
        if left[i + k] + right[j + k] > left[i + where] + right[j + where]:
            where = k
    return where


@kernel
def _walk(items: Items, count: int, complete: Chart, reaching: Chart, incomplete: Chart, heads: Heads) -> None:
    """Write down the heads within the first ``count`` of ``items``: complete spans (h, e) on the best tree.

    Each span that is not empty attaches a word and leaves two spans more than before, so there are never
    more than 2n + 2.
    """
    while count > 0:
        count -= 1
        h, e = items[count, 0], items[count, 1]
        if h == e:
            continue
        first = min(h + 1, e)  # of the candidates for the outermost modifier
        m = first + _where_best(incomplete[h], first, reaching[e], first, abs(h - e))
        heads[m] = h
        i, j = min(h, m), max(h, m)
        r = i + _where_best(complete[i], i, complete[j], i + 1, j - i)
        items[count, 0], items[count, 1] = m, e
        items[count + 1, 0], items[count + 1, 1] = i, r
        items[count + 2, 0], items[count + 2, 1] = j, r + 1
        count += 3


@kernel
def eisner(arc: Floats, single_root: bool) -> Heads:
    """Find the best projective tree; nothing is checked.

    This is the kernel below ``Trees(projective=True).argmax``, for callers in a hurry.

    Parameters
    ----------
    arc : float32 or float64 array, shape (n+1, n+1), C-contiguous
        The score of each arc (head, modifier); the root is 0.  Minus infinity forbids.  There must be no NaN
        or plus infinity but on the diagonal and in column 0, which are not read.
    single_root : bool
        Whether exactly one word is attached to the root.

    Returns
    -------
    int32 array, shape (n+1,)
        The head of each word, and -1 for the root; all -1 where there is no tree.

    Examples
    --------
    >>> eisner(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 3.0, 0.0]]), True)
    array([-1,  2,  0], dtype=int32)
    """
    n = arc.shape[0] - 1
    heads = np.full(n + 1, -1, np.int32)
    items = np.empty((2 * n + 2, 2), np.int64)
    complete = np.empty((n + 1, n + 1))
    reaching = np.empty((n + 1, n + 1))
    incomplete = np.empty((n + 1, n + 1))
    _best_over_words(arc, complete, reaching, incomplete)
    if single_root:
        top = _best_top(arc, complete)
        if top == 0:
            return heads
        heads[top] = 0
        items[0, 0], items[0, 1] = top, 1
        items[1, 0], items[1, 1] = top, n
        count = 2
    else:
        _best_over_root(arc, complete, reaching, incomplete)
        if complete[0, n] == -np.inf:
            return heads
        items[0, 0], items[0, 1] = 0, n
        count = 1
    _walk(items, count, complete, reaching, incomplete, heads)
    return heads
