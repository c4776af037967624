"""Kernels that walk down a finished chart: the best tree, or random ones, one block for each.

The items of a tree wait in a queue, the goal first.  Each chooses one alternative of its rows, the best or one drawn by
its share of the item, whose items join the queue, and whose part may be an arc.  Items and parts are logarithms here.
"""

from __future__ import annotations

import triton
import triton.language as tl

from treewright.torch.gpu.tables import FIELDS

__all__ = ["descend"]

_GOAL, _ROWS_OF = tl.constexpr(FIELDS["goal"]), tl.constexpr(FIELDS["rows_of"])
_A, _B, _P = tl.constexpr(FIELDS["a"]), tl.constexpr(FIELDS["b"]), tl.constexpr(FIELDS["p"])
_LENGTH, _HEAD, _MODIFIER = (
    tl.constexpr(FIELDS["length"]),
    tl.constexpr(FIELDS["head"]),
    tl.constexpr(FIELDS["modifier"]),
)


@triton.jit
def _along(numbers, field, which, one, other, first, k):
    """Find where alternatives lie: those of one row, and then of the other; -1 where they have no such item or part."""
    start = numbers + tl.load(field + which)
    mine, next = tl.load(start + one), tl.load(start + tl.maximum(other, 0))
    return tl.where(k < first, tl.where(mine >= 0, mine + k, -1), tl.where(next >= 0, next + k - first, -1))


@triton.jit
def _chosen(x, value, k, inside, u, SAMPLE: tl.constexpr, K: tl.constexpr):
    """Choose the first of the best alternatives, or one whose running share exceeds u."""
    if SAMPLE:
        share = tl.where(inside, tl.exp(x - value), 0.0)
        running = tl.cumsum(share, axis=0)
        above = inside & (running > u) & (share > 0.0)
        last = tl.max(tl.where(share > 0.0, k, 0), axis=0)  # takes what rounding leaves
        found = tl.min(tl.where(above, k, K), axis=0)
        return tl.minimum(found, last)
    return tl.min(tl.where(inside & (x == tl.max(x, axis=0)), k, K), axis=0)


@triton.jit
def descend(
    numbers, fields, value, part, log_z, queue, heads, items, parts, words, capacity, batch, seed,
    WIDTH: tl.constexpr, K: tl.constexpr, SAMPLE: tl.constexpr,
):  # fmt: skip
    """Write down the heads of one tree; they stay as they are where there is none."""
    sentence, sample = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    field = fields + sentence * WIDTH
    value += sentence * items
    part += sentence * parts
    heads += (sample * batch + sentence) * words
    queue += (sample * batch + sentence) * capacity
    k = tl.arange(0, K)
    tl.store(queue, tl.load(field + _GOAL).to(tl.int32))
    tl.debug_barrier()
    done, end = 0, tl.where(tl.load(log_z + sentence) > -float("inf"), 1, 0)
    while done < end:
        item = tl.load(queue + done)
        rows = numbers + tl.load(field + _ROWS_OF) + 2 * item
        one, other = tl.load(rows), tl.load(rows + 1)
        length = numbers + tl.load(field + _LENGTH)
        first = tl.load(length + one)
        both = first + tl.where(other >= 0, tl.load(length + tl.maximum(other, 0)), 0)
        inside = k < both
        a = _along(numbers, field, _A, one, other, first, k)
        b = _along(numbers, field, _B, one, other, first, k)
        p = _along(numbers, field, _P, one, other, first, k)
        x = tl.load(value + a, inside, other=0.0) + tl.load(value + b, inside & (b >= 0), other=0.0)
        x = x + tl.load(part + p, inside & (p >= 0), other=0.0)
        x = tl.where(inside, x, -float("inf"))
        u = 0.0
        if SAMPLE:
            u = tl.rand(seed, ((sample * batch + sentence) * capacity + done).to(tl.int32))
        choice = _chosen(x, tl.load(value + item), k, inside, u, SAMPLE, K)
        here = k == choice
        a, b, p = tl.sum(tl.where(here, a, 0)), tl.sum(tl.where(here, b, 0)), tl.sum(tl.where(here, p, 0))
        head = tl.load(numbers + tl.load(field + _HEAD) + p, p >= 0, other=-1)
        word = tl.load(numbers + tl.load(field + _MODIFIER) + p, p >= 0, other=0)
        tl.store(heads + word, head.to(tl.int64), head >= 0)
        starts = numbers + tl.load(field + _ROWS_OF)
        more = tl.load(starts + 2 * a) >= 0
        tl.store(queue + end, a, more)
        end += more.to(tl.int32)
        more = tl.load(starts + 2 * b, b >= 0, other=-1) >= 0
        tl.store(queue + end, b, more)
        end += more.to(tl.int32)
        done += 1
        tl.debug_barrier()
