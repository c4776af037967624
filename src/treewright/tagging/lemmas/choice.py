"""The choice of an edit script for each word, by itself, among its candidates.

A candidate is scored by the word and its tags (*emission*, as in `treewright.tagging.sequence`), and by what it would
make of the word (*outcome*).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Hashes, Heads, Places, Singles
from treewright.features.weights import Table, decode
from treewright.kernels import inner_kernel, kernel

__all__ = ["Choices", "best_candidates", "choice_features"]


class Choices(NamedTuple):
    """Some words, and the candidates ``starts[i]`` to ``starts[i + 1]`` of word *i*."""

    emission: Hashes  # (words + 1, templates): hashed templates; row 0 is not used
    outcome: Hashes  # (candidates, templates)
    candidates: Heads  # the numbers of scripts
    starts: Heads


@inner_kernel
def _features(x: Choices, i: int, c: int, mask: np.uint32, places: Places) -> None:
    """List the places of the weights of candidate c of word i."""
    words = x.emission.shape[1]
    for t in range(words):
        places[t] = (x.emission[i + 1, t] & mask) + x.candidates[c]
    for t in range(x.outcome.shape[1]):
        places[words + t] = x.outcome[c, t] & mask


@kernel
def best_candidates(x: Choices, weights: Table, mask: np.uint32, gold: Heads, cost: float) -> Heads:
    """Find the best candidate of each word, as an index of ``candidates``; all but ``gold`` score ``cost`` more."""
    found = np.empty(len(x.starts) - 1, np.int32)
    places = np.empty(x.emission.shape[1] + x.outcome.shape[1], np.int32)
    for i in range(len(found)):
        best = np.float32(-np.inf)
        for c in range(x.starts[i], x.starts[i + 1]):
            score = np.float32(0)
            if cost != 0 and c != gold[i]:
                score += np.float32(cost)
            _features(x, i, c, mask, places)
            for place in places:
                score += decode(weights[np.uintp(place)])
            if score > best:
                best, found[i] = score, c
    return found


@kernel
def choice_features(x: Choices, gold: Heads, found: Heads, mask: np.uint32) -> tuple[Places, Singles]:
    """List the features of the right candidates less those of the ones found."""
    size, end = x.emission.shape[1] + x.outcome.shape[1], 0
    places, values = np.empty(2 * size * len(gold), np.int32), np.empty(2 * size * len(gold), np.float32)
    for i in range(len(gold)):
        if gold[i] != found[i]:
            _features(x, i, gold[i], mask, places[end : end + size])
            _features(x, i, found[i], mask, places[end + size : end + 2 * size])
            values[end : end + size], values[end + size : end + 2 * size] = 1, -1
            end += 2 * size
    return places[:end], values[:end]
