"""The best sequence of tags, by Viterbi's algorithm over candidate tags, and the features of a sequence.

A tag is scored by the words around it (*emission*), and by the previous tag together with the word (*transition*).  All
weights are in one hashed table: the weights of one template for all tags are adjacent, starting at its hash.  The
candidates of word *i* are ``candidates[starts[i]:starts[i + 1]]``.  A candidate of -1 is a given tag that was never
seen: it scores 0, and so does every transition to or from it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Hashes, Heads, Places, Singles
from treewright.features.weights import Table, decode
from treewright.kernels import inner_kernel, kernel

__all__ = ["HashedWords", "best_tags", "score_difference", "tag_features"]


class HashedWords(NamedTuple):
    """The words of a sentence as a tagger sees them."""

    emission: Hashes  # (n + 1, templates): hashed templates; row 0, for the root, is not used
    transition: Hashes
    seeds: Hashes  # (tags + 1,): mixed into the hash of a transition for each previous tag; the last is for the start
    candidates: Heads  # the tags that each word may have, as described above
    starts: Heads


@inner_kernel
def transition_score(x: HashedWords, i: int, before: int, tag: int, weights: Table, mask: np.uint32) -> np.float32:
    """Score tag ``tag`` of word *i* (from 0) after tag ``before``."""
    total = np.float32(0)
    if tag < 0 or before < 0:
        return total
    for t in range(x.transition.shape[1]):
        place = (x.transition[i + 1, t] ^ x.seeds[before]) & mask
        total += decode(weights[np.uintp(place + tag)])
    return total


@kernel
def emission_scores(x: HashedWords, weights: Table, mask: np.uint32) -> Singles:
    """Compute the emission score of every candidate of every word."""
    scores = np.zeros(len(x.candidates), np.float32)
    for i in range(len(x.starts) - 1):
        for t in range(x.emission.shape[1]):
            place = x.emission[i + 1, t] & mask
            for c in range(x.starts[i], x.starts[i + 1]):
                if x.candidates[c] >= 0:
                    scores[c] += decode(weights[np.uintp(place + x.candidates[c])])
    return scores


@kernel
def best_tags(x: HashedWords, weights: Table, mask: np.uint32, gold: Heads, cost: float) -> Heads:
    """Find the best sequence of candidate tags.

    ``mask`` has the bits of a hash that are a place in the table.  From the scores of the correct tags, ``gold``,
    ``cost`` is subtracted (cost-augmented search); they are not read if it is 0.
    """
    n = len(x.starts) - 1
    start_tag = len(x.seeds) - 1
    score = emission_scores(x, weights, mask)
    back = np.zeros(len(x.candidates), np.int32)
    for i in range(n):
        for c in range(x.starts[i], x.starts[i + 1]):
            tag = x.candidates[c]
            if cost != 0 and tag == gold[i]:
                score[c] -= np.float32(cost)
            if i == 0:
                score[c] += transition_score(x, i, start_tag, tag, weights, mask)
                continue
            best = np.float32(-np.inf)
            for b in range(x.starts[i - 1], x.starts[i]):
                value = score[b] + transition_score(x, i, x.candidates[b], tag, weights, mask)
                if value > best:
                    best = value
                    back[c] = b
            score[c] += best
    tags = np.empty(n, np.int32)
    last = x.starts[n - 1]
    for c in range(x.starts[n - 1], x.starts[n]):
        if score[c] > score[last]:
            last = c
    for i in range(n - 1, -1, -1):
        tags[i] = x.candidates[last]
        last = back[last]
    return tags


@kernel
def sequence_features(x: HashedWords, tags: Heads, other: Heads, mask: np.uint32, places: Heads) -> int:
    """List the places of the features that ``tags`` has and ``other`` does not; return how many there are."""
    end = 0
    start_tag = len(x.seeds) - 1
    for i in range(len(tags)):
        before = tags[i - 1] if i else start_tag
        before_other = other[i - 1] if i else start_tag
        if tags[i] != other[i]:
            for t in range(x.emission.shape[1]):
                places[end] = (x.emission[i + 1, t] & mask) + tags[i]
                end += 1
        if tags[i] != other[i] or before != before_other:
            for t in range(x.transition.shape[1]):
                places[end] = ((x.transition[i + 1, t] ^ x.seeds[before]) & mask) + tags[i]
                end += 1
    return end


@kernel
def tag_features(x: HashedWords, gold: Heads, found: Heads, mask: np.uint32) -> tuple[Places, Singles]:
    """List the features of the correct sequence minus those of another one: places, and +1 or -1."""
    capacity = len(gold) * (x.emission.shape[1] + x.transition.shape[1])
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
