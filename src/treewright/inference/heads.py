"""Trees given by their heads: check them, and list their parts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewright.arrays import Heads, Ints
from treewright.inference.kinds import FACTORIZATIONS, PartKind
from treewright.inference.scores import Scores
from treewright.kernels import kernel

__all__ = ["are_heads_of_tree", "checked_heads", "checked_labels", "parts_of_arcs", "parts_of_tree"]


def checked_heads(heads: npt.ArrayLike, n: int) -> Heads:
    """Return the heads of a tree over n words, or refuse them; entry 0 is ignored."""
    tree = np.asarray(heads)
    if tree.shape != (n + 1,) or tree.dtype.kind not in "iu":
        raise ValueError(f"heads has shape {tree.shape} and holds {tree.dtype}: it must be {n + 1} whole numbers")
    tree = tree.astype(np.int32)
    tree[0] = -1
    if ((tree[1:] < 0) | (tree[1:] > n)).any():
        word = 1 + int(((tree[1:] < 0) | (tree[1:] > n)).argmax())
        raise ValueError(f"heads[{word}] is {tree[word]}: a head is another word, or 0 for the root")
    above = np.maximum(tree, 0)
    for _ in range(n.bit_length()):  # each step doubles the distance to the ancestor
        above = above[above]
    if above.any():
        raise ValueError(f"heads is not a tree: word {int(above.argmax())} is on a cycle or below one")
    return tree


def checked_labels(labels: npt.ArrayLike, scores: Scores) -> Heads:
    """Return the labels of a tree, or refuse those that are not scored."""
    given = np.asarray(labels)
    if scores.label is None:
        raise ValueError("labels are given, but there are no label scores")
    if given.shape != (scores.n + 1,) or given.dtype.kind not in "iu":
        raise ValueError(
            f"labels has shape {given.shape} and holds {given.dtype}: it must be {scores.n + 1} whole numbers"
        )
    wrong = (given[1:] < 0) | (given[1:] >= scores.label.shape[-1])
    if wrong.any():
        word = 1 + int(wrong.argmax())
        raise ValueError(f"labels[{word}] is {given[word]}: there are {scores.label.shape[-1]} labels, from 0")
    return given.astype(np.int32)


def parts_of_tree(heads: Heads, factorization: str) -> dict[str, Ints]:
    """List the parts of a tree beyond its arcs, by kind; an index that does not exist repeats h."""
    above = np.maximum(heads, 0).astype(np.int64)
    return parts_of_arcs(*_arcs_of_tree(above), above, factorization)


def parts_of_arcs(h: Ints, m: Ints, above: Ints, factorization: str) -> dict[str, Ints]:
    """List the parts of some arcs (h, m) that a factorization scores beyond the arcs, by kind.

    Arcs are ordered by head, side and distance; ``above`` is the head of each word, 0 for the root.
    """
    model, (words, ends, outermost) = FACTORIZATIONS[factorization], _words(h, m, above)
    parts = {}
    for kind in model.kinds[1:]:
        if kind is PartKind.LAST:
            parts[str(kind)] = ends
            continue
        rows = words[outermost] if model.outermost and kind.can_cross else words
        parts[str(kind)] = rows[:, [_LETTERS.index(index) for index in kind.indices]]
        if model.inner and kind is PartKind.GRANDCHILD:  # (g, h, m), and then (g, h, s) if there is an s
            both = rows[:, [_LETTERS.index(index) for index in "ghmghs"]].reshape(-1, 3)
            parts[str(kind)] = both[both[:, 1] != both[:, 2]]
    return parts


#: The columns of the table of words that parts are made of.
_LETTERS = "ghtsm"


@kernel
def _arcs_of_tree(above: Ints) -> tuple[Ints, Ints]:
    """List the arcs of a tree by head, side and distance."""
    size = len(above)
    h, m, count = np.empty(size - 1, np.int64), np.empty(size - 1, np.int64), 0
    for head in range(size):
        for k in range(1, size):
            word = head - k if k < head else k  # outwards to the left, then to the right
            if k != head and above[word] == head:
                h[count], m[count] = head, word
                count += 1
    return h, m


@kernel
def _words(h: Ints, m: Ints, above: Ints) -> tuple[Ints, Ints, Ints]:
    """Return (g, h, t, s, m) for each arc; the rows of last modifiers, of all sides; and the outermost arcs."""
    words, sides = np.empty((len(h), 5), np.int64), 2 * len(above)
    ends, last = np.empty((sides, 3), np.int64), np.full(sides, -1, np.int64)
    for k in range(len(h)):
        side = 2 * h[k] + (m[k] > h[k])
        inside = last[side]
        words[k, 0], words[k, 1], words[k, 4] = above[h[k]], h[k], m[k]
        words[k, 2], words[k, 3] = (words[inside, 3], m[inside]) if inside >= 0 else (h[k], h[k])
        last[side] = k
    for side in range(sides):
        ends[side, 0], ends[side, 2] = side // 2, side % 2
        ends[side, 1] = m[last[side]] if last[side] >= 0 else side // 2
    return words, ends[1:], last[last >= 0]  # the root has no left side


@kernel
def are_heads_of_tree(heads: Heads, projective: bool, single_root: bool) -> bool:
    """Return whether the heads of words 1…n, other words or 0, make up a tree of this kind."""
    roots = 0
    for m in range(1, len(heads)):
        roots += heads[m] == 0
        above, steps = heads[m], 0
        while above > 0 and steps < len(heads):
            above, steps = heads[above], steps + 1
        if above > 0:
            return False  # there is a cycle
        if projective:  # what stands between h and m is below h, so that its head is not beyond h or m
            first, last = min(heads[m], m), max(heads[m], m)
            for between in range(first + 1, last):
                if heads[between] < first or heads[between] > last:
                    return False
    return roots == 1 or (roots > 1 and not single_root)
