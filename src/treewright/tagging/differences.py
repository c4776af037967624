"""The features of a sequence of tags, less those of another one: what a tagger learns from a mistake."""

from __future__ import annotations

import numpy as np

from treewright.arrays import Heads, Places, Singles
from treewright.features.weights import Table, decode
from treewright.kernels import inner_kernel, kernel
from treewright.tagging.sequence import HashedWords

__all__ = ["score_difference", "tag_features"]


@inner_kernel
def _has(x: HashedWords, tag: int, value: int) -> bool:
    """Return whether a tag has a value."""
    found = False
    for v in range(x.value_starts[tag], x.value_starts[tag + 1]):
        found |= x.values[v] == value
    return found


@kernel
def sequence_features(x: HashedWords, tags: Heads, other: Heads, mask: np.uint32, places: Heads) -> int:
    """List the places of the features that ``tags`` has and ``other`` does not; return how many there are."""
    end, count = 0, len(x.value_starts) - 1
    start_tag = len(x.seeds) - 1
    for i in range(len(tags)):
        tag, before, before_other = tags[i], start_tag, start_tag
        if i:
            before, before_other = tags[i - 1], other[i - 1]
        first, last = x.value_starts[tag], x.value_starts[tag + 1]
        if tag != other[i]:
            for t in range(x.emission.shape[1]):
                places[end] = (x.emission[i + 1, t] & mask) + tag
                end += 1
            for v in range(first, last):
                if not _has(x, other[i], x.values[v]):
                    for t in range(x.emission.shape[1]):
                        places[end] = (x.emission[i + 1, t] & mask) + count + x.values[v]
                        end += 1
        if tag != other[i] or before != before_other:
            for t in range(x.transition.shape[1]):
                places[end] = ((x.transition[i + 1, t] ^ x.seeds[before]) & mask) + tag
                end += 1
            for u in range(x.value_starts[before], x.value_starts[before + 1]) if i else range(0):
                for v in range(first, last):
                    if not (_has(x, before_other, x.values[u]) and _has(x, other[i], x.values[v])):
                        places[end] = (x.value_seeds[x.values[u]] & mask) + count + x.values[v]
                        end += 1
    return end


@kernel
def tag_features(x: HashedWords, gold: Heads, found: Heads, mask: np.uint32) -> tuple[Places, Singles]:
    """List the features of the correct sequence minus those of another one: places, and +1 or -1."""
    most = np.diff(x.value_starts).max()
    capacity = len(gold) * ((1 + most) * x.emission.shape[1] + x.transition.shape[1] + most * most)
    places = np.empty(2 * capacity, np.int32)
    right = sequence_features(x, gold, found, mask, places)
    wrong = sequence_features(x, found, gold, mask, places[right:])
    values = np.ones(right + wrong, np.float32)
    values[right:] = -1
    return places[: right + wrong], values


@kernel
def score_difference(places: Places, values: Singles, weights: Table) -> float:
    """Multiply features by weights: the margin of a mistake."""
    total = 0.0
    for i in range(len(places)):
        total += values[i] * decode(weights[places[i]])
    return total
