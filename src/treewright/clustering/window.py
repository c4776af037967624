"""The window of Brown et al. (1992): c + 1 clusters at a time, and the best merge among them.

The c most frequent words start as one cluster each.  Each further word, by rank, becomes one more cluster, and then the
two clusters whose merge has the least loss are merged (`treewright.clustering.losses`).  When no word is left, the c
clusters are merged in the same way until one is left.

A cluster is identified by its *rank*, that of its most frequent word.  Of merges with equal losses, the one with the
lowest lower rank comes first, and then the one with the lowest higher rank.  A slot stores its best partner of a lower
rank, so the best merge is the best of c + 1, not of all pairs.
"""

from __future__ import annotations

from typing import NamedTuple

from treewright.arrays import Heads, Ints
from treewright.clustering.losses import (
    FREE,
    Window,
    add_context,
    add_up,
    find_best,
    find_logs,
    find_own,
    is_better,
    join_contexts,
    share_contexts,
)
from treewright.kernels import inner_kernel, kernel

__all__ = ["Links", "Vocabulary", "advance"]


class Links(NamedTuple):
    """The neighbours of each word on one side: those of w are at ``starts[w]:starts[w + 1]``."""

    starts: Ints
    words: Heads
    counts: Ints


class Vocabulary(NamedTuple):
    """All words, by rank, and the cluster of each."""

    frequencies: Ints
    after: Links  # word → the words that follow it
    before: Links  # word → the words that it follows
    slot: Ints  # word → the slot of its cluster, or -1
    next: Ints  # word → another word of its cluster, or -1
    first: Ints  # slot → a word of its cluster
    last: Ints  # slot → the last word of its cluster
    merges: Ints  # merge → the ranks of the two clusters, the lower first, and the loss


@kernel
def advance(words: Vocabulary, window: Window, begin: int, end: int, free: int) -> int:
    """Carry out the steps from ``begin`` to ``end``: one for each word, then one for each remaining merge.

    ``free`` is the slot without a cluster; return the one that is free afterwards.
    """
    slots = len(window.rank)
    if begin == 0:
        for word in range(slots - 1):
            _place(words, window, word, word)
    for step in range(begin, end):
        if step < slots - 1:
            _weigh(window, step, step)
            continue
        if step < len(words.slot):
            _place(words, window, step, free)
            add_context(window, free, window.flipped)
            add_context(window, free, window.counts)
            _refresh(window, free)
            _weigh(window, free, slots)
        free = _merge_best(words, window, step - slots + 1)
    return free


@inner_kernel
def _place(words: Vocabulary, window: Window, word: int, s: int) -> None:
    """Put a word into a free slot, with its counts but without losses."""
    words.slot[word] = s
    words.first[s] = words.last[s] = window.rank[s] = word
    window.size[s] = words.frequencies[word]
    for i in range(words.after.starts[word], words.after.starts[word + 1]):
        t, count = words.slot[words.after.words[i]], words.after.counts[i]
        if t >= 0:
            window.counts[s, t] += count
            window.flipped[t, s] += count
            window.degree[s] += count
            window.degree[t] += count
    for i in range(words.before.starts[word], words.before.starts[word + 1]):
        t, count = words.slot[words.before.words[i]], words.before.counts[i]
        if t >= 0 and t != s:
            window.counts[t, s] += count
            window.flipped[s, t] += count
            window.degree[s] += count
            window.degree[t] += count
    find_logs(window, s)


@inner_kernel
def _weigh(window: Window, s: int, slots: int) -> None:
    """Compute the losses of merging slot s with each of the first ``slots`` slots."""
    shared, own = window.scratch[4], window.scratch[5]
    shared[:] = 0
    share_contexts(window, -1, s, slots, window.counts, window.flipped, shared)
    share_contexts(window, -1, s, slots, window.flipped, window.counts, shared)
    find_own(window, s, slots, own)
    for t in range(slots):
        window.losses[s, t] = window.losses[t, s] = own[t] - shared[t]
    find_best(window, s)


@inner_kernel
def _refresh(window: Window, w: int) -> None:
    """Update the best partners after the losses of the neighbours of w have changed."""
    rank, losses, best, least = window.rank, window.losses, window.best, window.least
    near, links = window.scratch[0], window.scratch[1]
    number = 0
    for s in range(len(rank)):
        links[s] = window.counts[w, s] + window.flipped[w, s]
        if s != w and links[s] > 0:
            near[number] = s
            number += 1
    for t in range(len(rank)):
        if t == w or best[t] < 0:
            continue
        if links[t] + links[best[t]] > 0:
            find_best(window, t)
            continue
        for i in range(number):
            s = near[i]
            if rank[s] < rank[t] and is_better(losses[t, s], rank[s], least[t], rank[best[t]]):
                best[t] = s
                least[t] = losses[t, s]


@inner_kernel
def _merge_best(words: Vocabulary, window: Window, number: int) -> int:
    """Merge the pair with the least loss, record it, and return the slot that becomes free."""
    best, least, rank, degree = window.best, window.least, window.rank, window.degree
    s = -1
    for t in range(len(rank)):
        if best[t] >= 0:
            ranks = (rank[best[t]], rank[t])
            if s < 0 or least[t] < least[s] or (least[t] == least[s] and ranks < (rank[best[s]], rank[s])):
                s = t
    a, b = best[s], s
    words.merges[number, 0] = rank[a]
    words.merges[number, 1] = rank[b]
    words.merges[number, 2] = least[s]
    if degree[a] < degree[b]:  # the fewer counts b has, the less work it is
        a, b = b, a
    _merge(window, a, b)
    word = words.first[b]
    words.next[words.last[a]] = word
    words.last[a] = words.last[b]
    while word >= 0:
        words.slot[word] = a
        word = words.next[word]
    return b


@inner_kernel
def _merge(window: Window, a: int, b: int) -> None:
    """Merge the cluster in slot b into that in slot a."""
    slots, rank, losses, best, least = len(window.rank), window.rank, window.losses, window.best, window.least
    counts, flipped, shared, own = window.counts, window.flipped, window.scratch[4], window.scratch[5]
    find_own(window, a, slots, own)
    for t in range(slots):
        shared[t] = own[t] - losses[a, t]
    share_contexts(window, a, b, slots, counts, flipped, shared)
    share_contexts(window, a, b, slots, flipped, counts, shared)
    join_contexts(window, a, b, flipped, shared)
    join_contexts(window, a, b, counts, shared)
    add_up(window, a, b)
    find_logs(window, a)
    rank[a] = min(rank[a], rank[b])
    rank[b] = FREE
    best[b] = -1
    find_own(window, a, slots, own)
    for t in range(slots):
        losses[a, t] = losses[t, a] = own[t] - shared[t]
    find_best(window, a)
    for t in range(slots):
        if t != a and best[t] >= 0:
            if best[t] == a or best[t] == b:
                find_best(window, t)
            elif rank[a] < rank[t] and is_better(losses[t, a], rank[a], least[t], rank[best[t]]):
                best[t] = a
                least[t] = losses[t, a]
