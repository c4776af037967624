"""Exact, independent samples of trees, projective or not: random walks, and conditioning where walks are long.

**Walks.**  Wilson (1996): from each word in turn, walk from a word to one of its heads, drawn in proportion to the
weights, until the walk meets the tree so far, and add to the tree the last way taken out of each word.  The
result has the probability of its weight among all trees.  Trees with a single root first draw the word below
the root by its marginal; the walks then run among the words and end there.  A step is a binary search among
running sums.

**Conditioning.**  A walk among words that are sure of each other, but not of the root, hardly ever ends.  What a
walk takes back is independent of the tree that it leaves (cycle popping: Propp & Wilson 1998), so the
number of steps tells nothing of the tree, and a sample may be given up after any number of them without bias. It is
then drawn word by word from the marginals (:mod:`treewright.inference.spanning.matrix_tree`) given the heads of the
words before.  They need be computed again only after a choice that was not certain, and where walks are long few are
not.
"""

from __future__ import annotations

import math

import numpy as np

from treewright.arrays import Floats, Heads
from treewright.inference.generator import State, choose, start
from treewright.inference.magnitudes import spreads
from treewright.inference.spanning.matrix_tree import matrix_tree
from treewright.kernels import inner_kernel, kernel

__all__ = ["sample_arborescences"]


#: Steps for each word before a sample is given up.  Trees of ordinary scores take a few.
PATIENCE = 1000
#: A probability that differs from one by no more than what rounding may leave.
CERTAIN = 1.0 - 1e-12
#: What rounding leaves of a probability that should be zero, for each word, and relative to how far scores are apart;
#: and at most, since scores that are further apart than that stands for are masks.
NOISE, MOST_NOISE = 1e-15, 1e-6


@kernel
def _running_sums(arc: Floats, first: int) -> Floats:
    """Add up the weights of the arcs into each word, from the head ``first`` on; one row for each word."""
    size = arc.shape[0]
    sums = np.zeros((size, size))
    for m in range(1, size):
        largest = -np.inf
        for h in range(first, size):
            if h != m:
                largest = max(largest, arc[h, m])
        total = 0.0
        for h in range(first, size):
            if h != m and arc[h, m] > -np.inf:
                total += math.exp(arc[h, m] - largest)
            sums[m, h] = total
    return sums


@kernel
def _walk(sums: Floats, top: int, heads: Heads, state: State) -> bool:
    """Sample the heads of a tree that hangs from ``top``; return whether patience was enough."""
    size = sums.shape[0]
    inside = np.zeros(size, np.bool_)
    inside[0] = inside[top] = True
    steps = PATIENCE * size
    for word in range(1, size):
        m = word
        while not inside[m]:
            if steps == 0:
                return False
            heads[m] = choose(sums[m], state)
            m = heads[m]
            steps -= 1
        m = word
        while not inside[m]:
            inside[m] = True
            m = heads[m]
    return True


@inner_kernel
def _fix(arc: Floats, h: int, m: int) -> None:
    """Forbid all arcs into m but the one from h."""
    score = arc[h, m]
    arc[:, m] = -np.inf
    arc[h, m] = score


@inner_kernel
def _probabilities(arc: Floats, single_root: bool, noise: float, marginals: Floats) -> bool:
    """Compute marginals without those that may be rounding alone; return whether there is a tree."""
    if matrix_tree(arc, single_root, marginals) == -np.inf:
        return False
    for h in range(len(marginals)):
        for m in range(len(marginals)):
            if marginals[h, m] < noise:
                marginals[h, m] = 0.0
    return True


@kernel
def _condition(
    arc: Floats, single_root: bool, noise: float, prior: Floats, top: int, heads: Heads, state: State
) -> bool:
    """Sample heads word by word, below ``top`` unless it is 0; False if rounding led to where there is no tree."""
    arc, marginals = arc.copy(), prior.copy()
    size = arc.shape[0]
    sums = np.empty(size)
    for word in range(size):
        m = top if word == 0 else word
        if m == 0 or (m == top and word > 0):
            continue
        h = 0
        if m != top:
            total = 0.0
            for k in range(size):
                total += marginals[k, m]
                sums[k] = total
            h = choose(sums, state)
        heads[m] = h
        _fix(arc, h, m)
        if marginals[h, m] < CERTAIN and not _probabilities(arc, single_root, noise, marginals):
            return False
    return True


@kernel
def sample_arborescences(arc: Floats, single_root: bool, size: int, seed: int) -> Heads:
    """Sample trees, projective or not, each with its probability: a row of heads for each, all -1 if there is no tree.

    The same seed, at least 0, draws the same samples, and fewer samples are a prefix of more.  This is
    ``Trees(projective=False).sample`` without its checks; see `treewright.inference.spanning.matrix_tree.matrix_tree`.

    Examples
    --------
    >>> sample_arborescences(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 50.0], [0.0, 0.0, 0.0]]), True, 2, 0)
    array([[-1,  0,  1],
           [-1,  0,  1]], dtype=int32)
    """
    samples = np.full((size, arc.shape[0]), -1, np.int32)
    marginals = np.empty(arc.shape)
    noise = min(NOISE * len(arc) * spreads(arc.reshape((1, *arc.shape)))[0], MOST_NOISE)
    if not _probabilities(arc, single_root, noise, marginals):
        return samples
    state = start(seed)
    sums = _running_sums(arc, 1 if single_root else 0)
    tops = np.cumsum(marginals[0])
    for heads in samples:
        top = 0
        if single_root:
            top = choose(tops, state)
            heads[top] = 0
        if not _walk(sums, top, heads, state):
            while not _condition(arc, single_root, noise, marginals, top, heads, state):
                pass
    return samples
