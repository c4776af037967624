"""The best sequence of tags, by Viterbi's algorithm over candidate tags, and the features of a sequence.

A tag is scored by the words around it (*emission*), and by the previous tag together with the word (*transition*).
Where tags are many, what they consist of is scored by the same words, so that tags share what they have in common
(Müller, Schmid and Schütze 2013): the *values* of a tag such as ``Case=Gen|Number=Plur``.  All weights are in one
hashed table: the weights of one template for all tags, and then for all values, are adjacent, starting at its hash.
The candidates of word *i* are ``candidates[starts[i]:starts[i + 1]]``.  A candidate of -1 is a given tag that was
never seen: it scores 0, and so does every transition to or from it.

Search is exact over the candidates that are left when those with the least emission scores are out (`promising`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Hashes, Heads, Mask, Places, Singles
from treewright.features.weights import Table, decode
from treewright.kernels import inner_kernel, kernel

__all__ = [
    "HashedWords",
    "best_tags",
    "emission_scores",
    "link_scores",
    "promising",
    "score_difference",
    "tag_features",
    "transition_scores",
]


class HashedWords(NamedTuple):
    """The words of a sentence as a tagger sees them."""

    emission: Hashes  # (n + 1, templates): hashed templates; row 0, for the root, is not used
    transition: Hashes
    seeds: Hashes  # (tags + 1,): mixed into the hash of a transition for each previous tag; the last is for the start
    candidates: Heads  # the tags that each word may have, as described above
    starts: Heads
    values: Heads  # of tag t: values[value_starts[t]:value_starts[t + 1]]
    value_starts: Heads
    value_seeds: Hashes  # where the weights of what follows each value are


@inner_kernel
def transition_score(x: HashedWords, i: int, before: int, tag: int, weights: Table, mask: np.uint32) -> np.float32:
    """Score tag ``tag`` of word *i* (from 0) after tag ``before``, but for their values."""
    total = np.float32(0)
    if tag < 0 or before < 0:
        return total
    for t in range(x.transition.shape[1]):
        place = (x.transition[i + 1, t] ^ x.seeds[before]) & mask
        total += decode(weights[np.uintp(place + tag)])
    return total


@kernel
def link_scores(x: HashedWords, weights: Table, mask: np.uint32) -> Singles:
    """Score each value of a tag (a column each) after each value of the tag before (a row each)."""
    tags, count = len(x.value_starts) - 1, len(x.value_seeds)
    scores = np.empty((count, count), np.float32)
    for u in range(count):
        place = (x.value_seeds[u] & mask) + tags
        for v in range(count):
            scores[u, v] = decode(weights[np.uintp(place + v)])
    return scores


@kernel
def transition_scores(x: HashedWords, i: int, links: Singles, weights: Table, mask: np.uint32) -> Singles:
    """Score each candidate of word *i* (a column each) after each candidate of the word before (a row each)."""
    first, here = x.starts[i - 1] if i else 0, x.starts[i]
    scores = np.empty((here - first if i else 1, x.starts[i + 1] - here), np.float32)
    after = np.zeros(len(links), np.float32)
    for b in range(scores.shape[0]):
        before = x.candidates[first + b] if i else len(x.seeds) - 1
        linked = 0 <= before < len(x.value_starts) - 1 and len(links) > 0
        if linked:
            after[:] = 0
            for u in range(x.value_starts[before], x.value_starts[before + 1]):
                for v in range(len(links)):
                    after[v] += links[x.values[u], v]
        for c in range(scores.shape[1]):
            tag = x.candidates[here + c]
            scores[b, c] = transition_score(x, i, before, tag, weights, mask)
            if linked and tag >= 0:
                for v in range(x.value_starts[tag], x.value_starts[tag + 1]):
                    scores[b, c] += after[x.values[v]]
    return scores


@kernel
def emission_scores(x: HashedWords, weights: Table, mask: np.uint32) -> Singles:
    """Compute the emission score of every candidate of every word."""
    scores = np.zeros(len(x.candidates), np.float32)
    tags, of_values = len(x.value_starts) - 1, np.empty(len(x.value_seeds), np.float32)
    for i in range(len(x.starts) - 1):
        of_values[:] = 0
        for t in range(x.emission.shape[1]):
            place = x.emission[i + 1, t] & mask
            for c in range(x.starts[i], x.starts[i + 1]):
                if x.candidates[c] >= 0:
                    scores[c] += decode(weights[np.uintp(place + x.candidates[c])])
            for v in range(len(of_values)):
                of_values[v] += decode(weights[np.uintp(place + tags + v)])
        for c in range(x.starts[i], x.starts[i + 1]):
            tag = x.candidates[c]
            if tag >= 0:
                for v in range(x.value_starts[tag], x.value_starts[tag + 1]):
                    scores[c] += of_values[x.values[v]]
    return scores


def promising(x: HashedWords, emission: Singles, most: int, kept: Heads) -> tuple[HashedWords, Singles]:
    """Leave so many candidates to each word, those with the greatest emission scores, and the tag that is ``kept``.

    Returns
    -------
    tuple
        The words with these candidates, and their emission scores.  Nothing is kept if ``kept`` is empty.
    """
    if np.diff(x.starts).max(initial=0) <= most:
        return x, emission
    left, starts = _promising(x.candidates, x.starts, emission, most, kept)
    return x._replace(candidates=x.candidates[left], starts=starts), emission[left]


@kernel
def _promising(candidates: Heads, starts: Heads, emission: Singles, most: int, kept: Heads) -> tuple[Mask, Heads]:
    """Mark the candidates that are left, and count them."""
    left, ends = np.ones(len(candidates), np.bool_), np.zeros_like(starts)
    for i in range(len(starts) - 1):
        first, last = starts[i], starts[i + 1]
        count = last - first
        if count > most:
            least, room, count = np.sort(emission[first:last])[-most], most, 0
            for c in range(first, last):
                left[c] = emission[c] >= least and room > 0
                room -= left[c]
                left[c] |= len(kept) > 0 and candidates[c] == kept[i]
                count += left[c]
        ends[i + 1] = ends[i] + count
    return left, ends


@kernel
def best_tags(x: HashedWords, emission: Singles, weights: Table, mask: np.uint32, gold: Heads, cost: float) -> Heads:
    """Find the best sequence of candidate tags, given their emission scores.

    ``mask`` has the bits of a hash that are a place in the table.  From the scores of the correct tags, ``gold``,
    ``cost`` is subtracted (cost-augmented search); they are not read if it is 0.
    """
    n = len(x.starts) - 1
    score, links = emission.copy(), link_scores(x, weights, mask)
    back = np.zeros(len(x.candidates), np.int32)
    for i in range(n):
        steps = transition_scores(x, i, links, weights, mask)
        for c in range(x.starts[i], x.starts[i + 1]):
            if cost != 0 and x.candidates[c] == gold[i]:
                score[c] -= np.float32(cost)
            if i == 0:
                score[c] += steps[0, c]
                continue
            best = np.float32(-np.inf)
            for b in range(x.starts[i - 1], x.starts[i]):
                value = score[b] + steps[b - x.starts[i - 1], c - x.starts[i]]
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
