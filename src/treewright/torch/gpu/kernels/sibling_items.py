"""The items of `treewright.torch.gpu.kernels.siblings`: where they lie, and what they are made of."""

from __future__ import annotations

import triton
import triton.language as tl

from treewright.torch.gpu.kernels.scored import score_of, slot_of

__all__ = [
    "ARRAYS",
    "DC",
    "DI",
    "DS",
    "GRAND_ARRAYS",
    "C",
    "I",
    "S",
    "all_of",
    "by_end",
    "nothing",
    "rows",
    "slot_if",
    "weights_of",
]

#: Arrays of working memory, of one number for each a, b and k.  Without grandparents, there are two more, for C and its
#: adjoint by b first.
GRAND_ARRAYS, ARRAYS = 6, 8
C, I, S, DC, DS, DI = (tl.constexpr(k) for k in range(6))


@triton.jit
def rows(start, d, n, P: tl.constexpr):
    """List pairs of words a and b at distance d, b not the root: to the right first."""
    q = start + tl.arange(0, P)[:, None, None]
    right = q <= n - d
    a, b = tl.where(right, q, q - n + 2 * d), tl.where(right, q + d, q - n + d)
    here = q < 2 * (n - d) + 1
    return tl.where(here, a, 0), tl.where(here, b, 0), tl.where(right, 1, -1), here


@triton.jit
def by_end(array, a, b, k, size, slots, plane, GRAND: tl.constexpr):
    """Find where an item C(a, b, k), or its adjoint, is kept for those that go over a."""
    if GRAND:
        return array * plane + (a * size + b) * slots + k
    else:
        return (6 if array == 0 else 7) * plane + b * size + a


@triton.jit
def _exp(x):
    """Compute the exponential of nonpositive numbers as float64; for float32 in two steps, because of the range."""
    if x.dtype == tl.float64:
        return tl.exp(x)
    else:
        y = tl.maximum(x, -700.0) * 1.4426950408889634
        whole = tl.floor(y)
        power = ((whole.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)
        return tl.where(x > -700.0, tl.exp2(y - whole).to(tl.float64) * power, 0.0)


@triton.jit
def weights_of(c, a, b, x, k, g, top, inside, KINDS: tl.constexpr, SINGLE: tl.constexpr, PRUNED: tl.constexpr,
             LOG: tl.constexpr):  # fmt: skip
    """Load the weights w(a, b, x, k), relative to the largest of b."""
    weights, scores, tables, size, slots = c
    if LOG:
        return score_of(scores, tables, g, a, x, b, slots, size, inside, KINDS, SINGLE, PRUNED, tl.float64) - top
    else:
        place = (a * size + b) * size * slots + k + x * slots
        x = tl.load(weights + place, inside, other=-float("inf"))
        return _exp(x - top.to(x.dtype))


@triton.jit
def all_of(most, total, axis: tl.constexpr, LOG: tl.constexpr):
    """Add up what threads have along an axis, which stays."""
    if LOG:
        above = tl.max(most, axis=axis, keep_dims=True)
        base = tl.where(above > -float("inf"), above, 0.0)
        return base + tl.log(tl.sum(total * tl.exp(most - base), axis=axis, keep_dims=True))
    return tl.sum(total, axis=axis, keep_dims=True)


@triton.jit
def nothing(P: tl.constexpr, KL: tl.constexpr, RL: tl.constexpr, LOG: tl.constexpr):
    """Return what to begin sums with."""
    return tl.full([P, KL, RL], -float("inf") if LOG else 0.0, tl.float64), tl.zeros([P, KL, RL], tl.float64)


@triton.jit
def slot_if(tables, h, m, size, here, GRAND: tl.constexpr, PRUNED: tl.constexpr):
    """Find the slot of h among the heads of m, where it may be asked for."""
    return (
        slot_of(tables, h, tl.where(here, m, 0), size, GRAND, PRUNED)
        if PRUNED
        else slot_of(tables, h, m, size, GRAND, PRUNED)
    )
