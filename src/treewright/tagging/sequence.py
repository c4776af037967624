"""The best sequence of tags, by Viterbi's algorithm over candidate tags.

A tag is scored by the words around it (*emission*), and by the previous tag together with the word (*transition*).
Where tags are many, what they consist of is scored by the same words, so that tags share what they have in common
(Müller, Schmid and Schütze 2013): the *values* of a tag such as ``Case=Gen|Number=Plur``.  All weights are in one
hashed table: the weights of one template for all tags, and then for all values, are adjacent, starting at its hash
(`treewright.tagging.rows`).  The candidates of word *i* are ``candidates[starts[i]:starts[i + 1]]``.  A candidate of -1
is a given tag that was never seen: it scores 0, and so does every transition to or from it.

Search is exact over the candidates that are left when those with the least emission scores are out (`promising`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Hashes, Heads, Mask, Singles
from treewright.features.weights import Table
from treewright.kernels import inner_kernel, kernel
from treewright.tagging.rows import LANES, add_vector, are_first, sum_rows, take_better, whole_lanes

__all__ = [
    "HashedWords",
    "best_tags",
    "emission_scores",
    "link_scores",
    "promising",
    "search",
    "transition_scores",
]


#: No candidate; no seed; and no choice of tags.
NO_TAG, NO_SEED, ALL = -2, np.uint32(0), np.empty(0, np.int32)


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


@kernel
def link_scores(x: HashedWords, weights: Table, mask: np.uint32) -> Singles:
    """Score each value of a tag (a column each) after each value of the tag before (a row each).

    Columns after the last value are there to make up whole lanes.
    """
    tags, count = len(x.value_starts) - 1, len(x.value_seeds)
    scores = np.empty((count, whole_lanes(count)), np.float32)
    for u in range(count):
        sum_rows(x.value_seeds[u : u + 1], NO_SEED, mask, tags, weights, count, ALL, scores[u])
    return scores


@inner_kernel
def word_emission(
    x: HashedWords, i: int, tags: Heads, weights: Table, mask: np.uint32, of_values: Singles, row: Singles
) -> None:
    """Set ``row`` to the emission scores of some tags of word *i* (from 0)."""
    first_value, values, hashes = len(x.value_starts) - 1, len(x.value_seeds), x.emission[i + 1]
    sum_rows(hashes, NO_SEED, mask, 0, weights, len(tags), tags[:0] if are_first(tags) else tags, row)
    if values:
        sum_rows(hashes, NO_SEED, mask, first_value, weights, values, tags[:0], of_values)
        for c in range(len(tags)):
            tag = tags[c]
            if tag >= 0:
                for v in range(x.value_starts[tag], x.value_starts[tag + 1]):
                    row[c] += of_values[x.values[v]]


@inner_kernel
def add_links(x: HashedWords, before: int, tags: Heads, links: Singles, after: Singles, row: Singles) -> None:
    """Add to ``row`` the scores of the values of each tag after those of the tag ``before``."""
    if before == len(x.value_starts) - 1:
        return
    after[:] = 0
    for u in range(x.value_starts[before], x.value_starts[before + 1]):
        for start in range(0, links.shape[1], LANES):
            add_vector(links[x.values[u]], np.uintp(start), after, np.uintp(start))
    for c in range(len(tags)):
        tag = tags[c]
        if tag >= 0:
            for v in range(x.value_starts[tag], x.value_starts[tag + 1]):
                row[c] += after[x.values[v]]


@kernel
def transition_scores(x: HashedWords, i: int, links: Singles, weights: Table, mask: np.uint32) -> Singles:
    """Score each candidate of word *i* (a column each) after each candidate of the word before (a row each)."""
    first, here = x.starts[i - 1] if i else 0, x.starts[i]
    tags = x.candidates[here : x.starts[i + 1]]
    scores = np.empty((here - first if i else 1, len(tags)), np.float32)
    row, after = np.empty(whole_lanes(len(tags)), np.float32), np.empty(links.shape[1], np.float32)
    some = tags[:0] if are_first(tags) else tags
    for b in range(scores.shape[0]):
        before = x.candidates[first + b] if i else len(x.seeds) - 1
        scores[b] = 0
        if before >= 0:
            sum_rows(x.transition[i + 1], x.seeds[before], mask, 0, weights, len(tags), some, row)
            if len(links) > 0:
                add_links(x, before, tags, links, after, row)
            scores[b] = row[: len(tags)]
    return scores


@kernel
def emission_scores(x: HashedWords, weights: Table, mask: np.uint32) -> Singles:
    """Compute the emission score of every candidate of every word."""
    scores = np.empty(len(x.candidates), np.float32)
    most = whole_lanes(np.diff(x.starts).max())
    row, of_values = np.empty(most, np.float32), np.empty(whole_lanes(len(x.value_seeds)), np.float32)
    for i in range(len(x.starts) - 1):
        first, last = x.starts[i], x.starts[i + 1]
        word_emission(x, i, x.candidates[first:last], weights, mask, of_values, row)
        scores[first:last] = row[: last - first]
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


@inner_kernel
def _leave(tags: Heads, emission: Singles, most: int, kept: int, left: Mask) -> int:
    """Mark which candidates of a word are left, that which is ``kept`` included; return how many there are."""
    count = len(tags)
    left[:count] = True
    if count <= most:
        return count
    least, room, count = np.sort(emission)[-most], most, 0
    for c in range(len(tags)):
        left[c] = emission[c] >= least and room > 0
        room -= left[c]
        left[c] |= tags[c] == kept
        count += left[c]
    return count


@kernel
def _promising(candidates: Heads, starts: Heads, emission: Singles, most: int, kept: Heads) -> tuple[Mask, Heads]:
    """Mark the candidates that are left, and count them."""
    left, ends = np.empty(len(candidates), np.bool_), np.zeros_like(starts)
    for i in range(len(starts) - 1):
        first, last = starts[i], starts[i + 1]
        own = kept[i] if len(kept) else NO_TAG
        ends[i + 1] = ends[i] + _leave(candidates[first:last], emission[first:last], most, own, left[first:last])
    return left, ends


@kernel
def best_tags(x: HashedWords, weights: Table, mask: np.uint32, most: int, gold: Heads, cost: float) -> Heads:
    """Find the best sequence of candidate tags, of the ``most`` promising ones of each word.

    ``mask`` has the bits of a hash that are a place in the table.  The correct tags, ``gold``, are always among the
    candidates, and from their scores ``cost`` is subtracted (cost-augmented search); if it is empty, there are none.
    """
    return search(x, weights, mask, most, gold, cost)


@inner_kernel
def search(x: HashedWords, weights: Table, mask: np.uint32, most: int, gold: Heads, cost: float) -> Heads:
    """Do what `best_tags` does: a word after the other, each scored, thinned out, and linked to the one before."""
    n, widest = len(x.starts) - 1, whole_lanes(np.diff(x.starts).max())
    links = link_scores(x, weights, mask)
    after, of_values = np.empty(links.shape[1], np.float32), np.empty(links.shape[1], np.float32)
    row, best, left = np.empty(widest, np.float32), np.empty(widest, np.float32), np.empty(widest, np.bool_)
    origin = np.empty(widest, np.int32)
    tags, score = np.empty(len(x.candidates), np.int32), np.empty(len(x.candidates), np.float32)
    back, starts = np.zeros(len(x.candidates), np.int32), np.zeros(n + 1, np.int32)
    for i in range(n):
        candidates, first = x.candidates[x.starts[i] : x.starts[i + 1]], starts[i]
        word_emission(x, i, candidates, weights, mask, of_values, row)
        own = gold[i] if len(gold) else NO_TAG
        last = first + _leave(candidates, row[: len(candidates)], most, own, left)
        starts[i + 1], end = last, first
        for c in range(len(candidates)):
            if left[c]:
                tags[end], score[end] = candidates[c], row[c]
                if candidates[c] == own:
                    score[end] -= np.float32(cost)
                end += 1
        here = tags[first:last]
        some = here[:0] if are_first(here) else here
        width, hashes = whole_lanes(last - first), x.transition[i + 1]
        for c in range(width):
            best[c] = -np.inf
        for b in range(starts[i - 1] if i else -1, first if i else 0):
            before, so_far = len(x.seeds) - 1, np.float32(0)
            if i:
                before, so_far = tags[b], score[b]
            if before >= 0:
                sum_rows(hashes, x.seeds[before], mask, 0, weights, last - first, some, row)
                if len(links) > 0:
                    add_links(x, before, here, links, after, row)
            else:
                row[:width] = 0
            for start in range(0, width, LANES):
                take_better(row, np.uintp(start), so_far, np.int32(b), best, origin)
        for c in range(first, last):
            score[c] += best[c - first]
            back[c] = origin[c - first]
    return _followed_back(tags, score, back, starts)


@inner_kernel
def _followed_back(tags: Heads, score: Singles, back: Heads, starts: Heads) -> Heads:
    """Follow the best sequence back from the best last tag."""
    n = len(starts) - 1
    found, last = np.empty(n, np.int32), starts[n - 1]
    for c in range(starts[n - 1], starts[n]):
        if score[c] > score[last]:
            last = c
    for i in range(n - 1, -1, -1):
        found[i] = tags[last]
        last = back[last]
    return found
