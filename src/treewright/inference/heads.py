"""A tree given by its heads: whether it is one, and which parts it has."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.arrays import Heads, Ints
from treewright.inference.scores import Scores

__all__ = ["checked_heads", "checked_labels", "parts_of_tree"]


def checked_heads(heads: Any, n: int) -> Heads:
    """Refuse what is not the heads of a tree over n words; entry 0 is not looked at."""
    tree = np.asarray(heads)
    if tree.shape != (n + 1,) or tree.dtype.kind not in "iu":
        raise ValueError(f"heads has shape {tree.shape} and holds {tree.dtype}: it must be {n + 1} whole numbers")
    tree = tree.astype(np.int32)
    tree[0] = -1
    if ((tree[1:] < 0) | (tree[1:] > n)).any():
        word = 1 + int(((tree[1:] < 0) | (tree[1:] > n)).argmax())
        raise ValueError(f"heads[{word}] is {tree[word]}: a head is another word, or 0 for the root")
    above = np.maximum(tree, 0)
    for _ in range(n.bit_length()):  # each step doubles how far up one looks
        above = above[above]
    if above.any():
        raise ValueError(f"heads is not a tree: word {int(above.argmax())} is on a cycle or below one")
    return tree


def checked_labels(labels: Any, scores: Scores) -> Heads:
    """Refuse labels that are not scored."""
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
    parts: dict[str, list[tuple[int, ...]]] = {
        "sibling": [],
        "last": [],
        "grandchild": [],
        "grand_sibling": [],
        "tri_sibling": [],
    }
    modifiers: list[list[int]] = [[] for _ in heads]
    for m in range(1, len(heads)):
        modifiers[heads[m]].append(m)
    outermost_only = factorization in ("carreras", "tri-sibling")
    has_ends = factorization in ("sibling", "grand-sibling")
    for h in range(len(heads)):
        g = max(int(heads[h]), 0)
        left, right = [m for m in modifiers[h][::-1] if m < h], [m for m in modifiers[h] if m > h]
        for right_side, side in enumerate((left, right)):
            if has_ends and (h > 0 or side):
                parts["last"].append((h, side[-1] if side else h, right_side))
            for j, m in enumerate(side):
                s = side[j - 1] if j else h
                t = side[j - 2] if j > 1 else h
                parts["sibling"].append((h, s, m))
                parts["tri_sibling"].append((h, t, s, m))
                if not outermost_only or m == side[-1]:
                    parts["grandchild"].append((g, h, m))
                    parts["grand_sibling"].append((g, h, s, m))
                    if factorization == "tri-sibling" and j:
                        parts["grandchild"].append((g, h, s))
    return {name: np.array(rows, np.int64).reshape(len(rows), -1) for name, rows in parts.items() if rows}
