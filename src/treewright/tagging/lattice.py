"""Exact questions about all sequences of candidate tags: their probabilities, and the k best.

The scores are those of `treewright.tagging.sequence`, multiplied by a factor before they are exponentiated.
Probabilities come from the forward-backward algorithm (Rabiner 1989), the k best from Viterbi's algorithm with k
entries for each candidate.
"""

from __future__ import annotations

import numpy as np

from treewright.arrays import Floats, Heads, Singles
from treewright.features.weights import Table
from treewright.kernels import inner_kernel, kernel
from treewright.tagging.sequence import HashedWords, link_scores, transition_scores

__all__ = ["k_best_tags", "tag_marginals"]


@kernel
def _log_sum(values: Floats) -> float:
    """Compute the logarithm of the sum of exponentials."""
    most = values.max()
    total: float = most + np.log(np.exp(values - most).sum())
    return total


@kernel
def tag_marginals(
    x: HashedWords, scores: Singles, weights: Table, mask: np.uint32, factor: float
) -> tuple[float, Floats]:
    """Compute the logarithm of the sum over all sequences, and the probability of every candidate of every word.

    ``scores`` are the emission scores of the candidates.
    """
    n = len(x.starts) - 1
    emission = factor * scores.astype(np.float64)
    links = link_scores(x, weights, mask)
    forward, backward = emission.copy(), np.zeros(len(emission))
    for i in range(n):
        steps = factor * transition_scores(x, i, links, weights, mask).astype(np.float64)
        for c in range(steps.shape[1]):
            before = forward[x.starts[i - 1] : x.starts[i]] if i else np.zeros(1)
            forward[x.starts[i] + c] += _log_sum(before + steps[:, c])
    for i in range(n - 1, 0, -1):
        steps = factor * transition_scores(x, i, links, weights, mask).astype(np.float64)
        here = slice(x.starts[i], x.starts[i + 1])
        for b in range(steps.shape[0]):
            backward[x.starts[i - 1] + b] = _log_sum(steps[b] + emission[here] + backward[here])
    log_total = _log_sum(forward[x.starts[n - 1] :])
    return log_total, np.exp(forward + backward - log_total)


@inner_kernel
def _insert(values: Floats, origins: Heads, value: float, origin: int) -> bool:
    """Insert a value into a list that is sorted from the best; return whether it is among the best."""
    place = len(values) - 1
    if not value > values[place]:
        return False
    while place > 0 and value > values[place - 1]:
        values[place], origins[place] = values[place - 1], origins[place - 1]
        place -= 1
    values[place], origins[place] = value, origin
    return True


@kernel
def k_best_tags(
    x: HashedWords, scores: Singles, weights: Table, mask: np.uint32, factor: float, k: int
) -> tuple[Heads, Floats]:
    """Find the k best sequences of candidates, all if they are fewer: a row of tags for each, and their scores.

    An entry of the table is the r-th best sequence that ends in candidate c; its origin is the entry before, numbered
    ``c * k + r``.
    """
    n, size = len(x.starts) - 1, len(x.candidates)
    emission = factor * scores.astype(np.float64)
    links = link_scores(x, weights, mask)
    score, origin = np.full((size + 1, k), -np.inf), np.zeros((size + 1, k), np.int32)
    for i in range(n):
        steps = factor * transition_scores(x, i, links, weights, mask).astype(np.float64)
        for c in range(x.starts[i], x.starts[i + 1]):
            if i == 0:
                score[c, 0] = steps[0, c]
            else:
                _extend(score, origin, x.starts[i - 1], c, steps[:, c - x.starts[i]])
            score[c] += emission[c]
    _extend(score, origin, x.starts[n - 1], size, np.zeros(size - x.starts[n - 1]))
    count = np.count_nonzero(score[size] > -np.inf)
    tags = np.empty((count, n), np.int32)
    for r in range(count):
        entry = origin[size, r]
        for i in range(n - 1, -1, -1):
            tags[r, i] = x.candidates[entry // k]
            entry = origin[entry // k, entry % k]
    return tags, score[size, :count]


@inner_kernel
def _extend(score: Floats, origin: Heads, first: int, c: int, steps: Floats) -> None:
    """Find the k best sequences that end in entry c, from those that end in the entries from ``first`` on."""
    k = score.shape[1]
    for b in range(len(steps)):
        for r in range(k):
            if not _insert(score[c], origin[c], score[first + b, r] + steps[b], (first + b) * k + r):
                break  # the rest of the list is no better
