"""Projective trees: recognising them, and finding the one nearest to a tree that is not projective.

An arc is projective if its head dominates every word strictly between head and modifier, and a tree is projective if
all its arcs are.  This holds exactly if the words of every subtree are contiguous.  The nearest projective tree is
found as in Koo, Globerson, Carreras and Collins (2007), footnote 4: by the projective parser, with a score of +1 for
each arc of the tree and -1 for all others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewright.arrays import Heads

__all__ = ["is_projective", "projectivize"]


def is_projective(heads: npt.ArrayLike) -> bool:
    """Check whether no two arcs of a tree cross, including those of the root.

    It takes the head of each word, 0 for the root, such as the ``heads`` of a `Sentence`.  A `ValueError` is raised if
    they do not form a tree.

    Examples
    --------
    >>> is_projective([2, 0, 2])
    True
    >>> is_projective([3, 0, 2, 1])
    False
    """
    parents = [0, *_check(heads).tolist()]
    n = len(parents) - 1
    waiting = [0] * (n + 1)  # modifiers not seen yet
    for head in parents[1:]:
        waiting[head] += 1
    first, last, size = list(range(n + 1)), list(range(n + 1)), [1] * (n + 1)
    ready = [word for word in range(1, n + 1) if not waiting[word]]
    contiguous = True
    for word in ready:  # it grows: every word comes after its modifiers
        contiguous = contiguous and last[word] - first[word] + 1 == size[word]
        head = parents[word]
        first[head] = min(first[head], first[word])
        last[head] = max(last[head], last[word])
        size[head] += size[word]
        waiting[head] -= 1
        if head and not waiting[head]:
            ready.append(head)
    if len(ready) != n:
        raise ValueError("the heads form a cycle")
    return contiguous


def projectivize(heads: npt.ArrayLike) -> Heads:
    """Find the projective tree that keeps the most arcs of a tree.

    It takes heads as `is_projective` does, and returns heads.  A tree with a single root keeps a single root.  Ties are
    always broken in the same way.

    Examples
    --------
    >>> projectivize([2, 0, 2]).tolist()
    [2, 0, 2]
    """
    given = _check(heads)
    if is_projective(given):
        return given.copy()
    from treewright.inference import Scores, Trees

    n = len(given)
    arc = np.full((n + 1, n + 1), -1.0)
    arc[given, np.arange(1, n + 1)] = 1.0
    trees = Trees(projective=True, single_root=bool(np.count_nonzero(given == 0) == 1))
    best = trees.argmax(Scores(arc=arc)).heads
    return np.asarray(best[1:], np.int32)


def _check(heads: npt.ArrayLike) -> Heads:
    array = np.asarray(heads)
    if array.size == 0:
        array = array.astype(np.int32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"heads must be a vector of integers, not {array.dtype} of shape {array.shape}")
    if array.size and (array.min() < 0 or array.max() > array.size):
        raise ValueError(f"heads must lie between 0 and {array.size}, the number of words")
    return array.astype(np.int32)
