"""The losses of merging two clusters, updated while clusters are added and merged.

Let N(u, v) be the number of times that cluster v follows cluster u, n(u) how often the words of u occur, and T the
number of words.  Liang's (2005) form of the mutual information of adjacent clusters, times the number of pairs, is

    sum_{u,v} N(u, v) log [N(u, v) T / (n(u) n(v))].

Let f(x) = x log x, and d(u) = N(u, .) + N(., u).  Up to a constant, that is the sum of all f(N(u, v)) minus the sum of
all d(u) log n(u).  Let h(x, y) = f(x + y) - f(x) - f(y), which is zero if x or y is.  The loss of merging s and t is

    L(s, t) =   d(s) log [(n(s) + n(t)) / n(s)] + d(t) log [(n(s) + n(t)) / n(t)]
              - sum_u [h(N(s, u), N(t, u)) + h(N(u, s), N(u, t))],

except for the *contexts* u = s and u = t, which are also merged.  Only contexts that s and t share contribute, so
counts of zero are skipped.  When a and b are merged, every other loss changes only through the contexts a and b: it
falls by

    h(N(s, a) + N(t, a), N(s, b) + N(t, b)) - h(N(s, a), N(s, b)) - h(N(t, a), N(t, b))

on either side, which is zero unless s or t is adjacent to b.  When a word is added, only the losses of clusters
adjacent to it change.

**Integers.**  f and log are rounded to multiples of 2⁻²⁸ and stored as integers (`UNIT`).  So sums do not depend on the
order of their terms, updated losses equal losses computed from scratch, bit for bit, and ties are exact.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints
from treewright.kernels import inner_kernel

__all__ = [
    "FREE",
    "MOST_WORDS",
    "UNIT",
    "Window",
    "add_context",
    "add_up",
    "find_best",
    "find_logs",
    "find_own",
    "is_better",
    "join_contexts",
    "make_window",
    "share_contexts",
]

#: How many units of loss make one nat.
UNIT = float(1 << 28)

#: With at most this many words, nothing here overflows.
MOST_WORDS = 1 << 30

#: The rank of a slot without a cluster, above all others.
FREE = np.iinfo(np.int64).max

#: f is looked up below this number, and computed above it.
_TABLE = 1 << 18

_MOST = np.iinfo(np.int64).max


class Window(NamedTuple):
    """Clusters in slots."""

    f: Ints  # the table of f
    rank: Ints  # slot → the rank of its most frequent word, or `FREE`
    size: Ints  # slot s → n(s)
    degree: Ints  # slot s → d(s)
    counts: Ints  # slots s, t → N(s, t)
    flipped: Ints  # slots t, s → N(s, t)
    logs: Ints  # slots s, t → log [n(s) + n(t)], and on the diagonal log n(s)
    losses: Ints  # slots s, t → L(s, t)
    best: Ints  # slot → the best partner of a lower rank, or -1
    least: Ints  # slot → the loss of merging with it
    scratch: Ints  # rows to work in


def make_window(slots: int, words: int) -> Window:
    """Make a window of free slots, for a text with a number of words."""
    x = np.arange(1, min(words, _TABLE) + 1, dtype=np.float64)
    logs = np.fromiter(map(log, x), np.float64, len(x))  # NumPy's may differ in the last bit

    def square() -> Ints:
        return np.zeros((slots, slots), np.int64)

    return Window(
        f=np.concatenate([[0.0], np.rint(x * logs * UNIT)]).astype(np.int64),
        rank=np.full(slots, FREE),
        size=np.zeros(slots, np.int64),
        degree=np.zeros(slots, np.int64),
        counts=square(),
        flipped=square(),
        logs=square(),
        losses=square(),
        best=np.full(slots, -1),
        least=np.zeros(slots, np.int64),
        scratch=np.zeros((6, slots), np.int64),
    )


@inner_kernel
def _f(table: Ints, x: int) -> np.int64:
    units: np.int64 = table[x] if x < len(table) else np.int64(np.rint(x * log(x) * UNIT))
    return units


@inner_kernel
def _h(f: Ints, x: int, y: int) -> np.int64:
    return _f(f, x + y) - _f(f, x) - _f(f, y)


@inner_kernel
def find_logs(window: Window, s: int) -> None:
    """Fill the row of a slot in the table of logarithms."""
    for t in range(len(window.rank)):
        if window.size[s] + window.size[t] > 0:
            size = window.size[s] + window.size[t] if s != t else window.size[s]
            window.logs[s, t] = window.logs[t, s] = np.int64(np.rint(log(size) * UNIT))


@inner_kernel
def find_own(window: Window, s: int, slots: int, own: Ints) -> None:
    """Compute L(s, t) without the sum over all contexts, including s and t, for the first ``slots`` slots t."""
    f, n, logs, degree = window.f, window.counts, window.logs, window.degree
    ss = n[s, s]
    for t in range(slots):
        own[t] = degree[s] * (logs[s, t] - logs[s, s]) + degree[t] * (logs[s, t] - logs[t, t])
        st, ts, tt = n[s, t], window.flipped[s, t], n[t, t]
        if ss + st + ts + tt > 0:
            own[t] += _h(f, ss, ts) + _h(f, st, tt) + _h(f, ss, st) + _h(f, ts, tt)
            own[t] += _f(f, ss) + _f(f, st) + _f(f, ts) + _f(f, tt) - _f(f, ss + st + ts + tt)


@inner_kernel
def share_contexts(window: Window, a: int, b: int, slots: int, counts: Ints, flipped: Ints, shared: Ints) -> None:
    """Add to ``shared[t]`` what b contributes to the contexts that a shares with t, on one side; a may be -1, for none.

    That is the sum over u of h(N(a, u) + N(b, u), N(t, u)) - h(N(a, u), N(t, u)), without u = a and u = b if there is
    an a.
    """
    f = window.f
    for u in range(len(window.rank)):
        y = counts[b, u]
        if y == 0 or (a >= 0 and u in (a, b)):
            continue
        x = counts[a, u] if a >= 0 else 0
        constant = _f(f, x) - _f(f, x + y)
        for t in range(slots):
            z = flipped[u, t]
            if z > 0:
                shared[t] += _f(f, x + y + z) - _f(f, x + z) + constant


@inner_kernel
def is_better(loss: int, rank: int, least: int, least_rank: int) -> bool:
    """Check whether a partner is better than another: by its loss, then by its rank.

    The arguments are numbers, because a window is passed as a hundred arguments, too many for the innermost loops.
    """
    return loss < least or (loss == least and rank < least_rank)


@inner_kernel
def join_contexts(window: Window, a: int, b: int, flipped: Ints, shared: Ints) -> None:
    """Merge the contexts a and b, on one side, in the losses of all pairs of other clusters, and of a with others."""
    f, rank, losses, best, least = window.f, window.rank, window.losses, window.best, window.least
    near, x, y, alone = window.scratch[0], window.scratch[1], window.scratch[2], window.scratch[3]
    aa, ab, whole = flipped[a, a], flipped[b, a], flipped[a, a] + flipped[b, a] + flipped[a, b] + flipped[b, b]
    number = 0
    for t in range(len(rank)):
        if t != a and t != b and flipped[a, t] + flipped[b, t] > 0:
            near[number] = t
            x[t] = flipped[a, t]
            y[t] = flipped[b, t]
            alone[t] = _h(f, x[t], y[t])
            shared[t] += _h(f, whole, x[t] + y[t]) - _h(f, aa, x[t]) - _h(f, ab, y[t])
            number += 1
    for i in range(number):
        s = near[i]
        if y[s] == 0:
            continue
        for j in range(number):
            t = near[j]
            if t == s or (y[t] > 0 and j < i):
                continue
            change = _h(f, x[s] + x[t], y[s] + y[t]) - alone[s] - alone[t]
            if change == 0:
                continue
            loss = losses[s, t] - change
            losses[s, t] = losses[t, s] = loss
            high, low = (s, t) if rank[s] > rank[t] else (t, s)
            if best[high] == low:
                least[high] = loss
                if change < 0:  # by rounding: there may be a better one now, and a marks that it must be found
                    best[high] = a
                    least[high] = -_MOST
            elif is_better(loss, rank[low], least[high], rank[best[high]]):
                best[high] = low
                least[high] = loss


@inner_kernel
def add_context(window: Window, w: int, flipped: Ints) -> None:
    """Update the losses of all other pairs for the new context w, on one side."""
    f, losses, logs, near = window.f, window.losses, window.logs, window.scratch[0]
    slots = len(window.rank)
    number = 0
    for s in range(slots):
        if s != w and flipped[w, s] > 0:
            near[number] = s
            number += 1
    for i in range(number):
        s = near[i]
        count = flipped[w, s]
        for t in range(slots):
            losses[s, t] += count * (logs[s, t] - logs[s, s])
        for t in range(slots):
            losses[t, s] += count * (logs[s, t] - logs[s, s])
        for j in range(i):
            t = near[j]
            gain = _h(f, count, flipped[w, t])
            losses[s, t] -= gain
            losses[t, s] -= gain


@inner_kernel
def find_best(window: Window, s: int) -> None:
    """Find the best partner of a lower rank."""
    rank, losses = window.rank, window.losses
    least = _MOST
    for t in range(len(rank)):
        least = min(least, losses[s, t] if rank[t] < rank[s] else _MOST)
    best = -1
    for t in range(len(rank)):
        if losses[s, t] == least and rank[t] < rank[s] and (best < 0 or rank[t] < rank[best]):
            best = t
    window.best[s] = best
    window.least[s] = least


@inner_kernel
def add_up(window: Window, a: int, b: int) -> None:
    """Add the counts of slot b to those of slot a, and free slot b."""
    for counts in (window.counts, window.flipped):
        counts[a] += counts[b]
        counts[:, a] += counts[:, b]
        counts[b] = 0
        counts[:, b] = 0
    for number in (window.size, window.degree):
        number[a] += number[b]
        number[b] = 0
