"""The truth: all trees over a few words, by brute force."""

import functools
import itertools

import numpy as np


def is_tree(heads) -> bool:
    """Whether every word reaches the root (heads[0] stands for the root and is not looked at)."""
    for word in range(1, len(heads)):
        seen = set()
        while word != 0:
            if word in seen or not 0 <= heads[word] < len(heads):
                return False
            seen.add(word)
            word = heads[word]
    return True


def is_projective(heads) -> bool:
    """Whether no two arcs cross, those of the root included."""
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(heads) if m > 0]
    return not any(a < c < b < d for (a, b), (c, d) in itertools.product(arcs, arcs))


def is_single_root(heads) -> bool:
    return list(heads[1:]).count(0) == 1


@functools.cache
def all_trees(n: int, projective: bool, single_root: bool) -> np.ndarray:
    """The heads of all trees of a kind, one a row, shape (trees, n+1)."""
    candidates = itertools.product(*([h for h in range(n + 1) if h != m] for m in range(1, n + 1)))
    rows = [(-1, *heads) for heads in candidates]
    rows = [heads for heads in rows if is_tree(heads)]
    if projective:
        rows = [heads for heads in rows if is_projective(heads)]
    if single_root:
        rows = [heads for heads in rows if is_single_root(heads)]
    return np.array(rows, np.int32)


def all_scores(arc: np.ndarray, label: np.ndarray | None, trees: np.ndarray) -> np.ndarray:
    """The score of each tree with its best labels, part by part in float64."""
    words = np.arange(1, trees.shape[1])
    heads = trees[:, 1:]
    totals = arc.astype(np.float64)[heads, words].sum(axis=1)
    if label is not None:
        totals += label.astype(np.float64)[heads, words].max(axis=2).sum(axis=1)
    return totals


def random_tree(rng: np.random.Generator, n: int, projective: bool, single_root: bool) -> np.ndarray:
    """Some tree of a kind; every such tree has a chance."""
    heads = np.full(n + 1, -1, np.int32)
    if not projective:
        order = rng.permutation(n) + 1
        heads[order[0]] = 0
        for k in range(1, n):
            heads[order[k]] = rng.choice(order[:k]) if single_root else rng.choice(np.append(order[:k], 0))
        return heads
    pending = [(0, 1, n, single_root)]  # words from i to j become descendants of h, all on one side of it
    while pending:
        h, i, j, together = pending.pop()
        while i <= j:
            end = j if together else int(rng.integers(i, j + 1))
            m = int(rng.integers(i, end + 1))
            heads[m] = h
            pending += [(m, i, m - 1, False), (m, m + 1, end, False)]
            i = end + 1
    return heads
