"""Siblings and grand-siblings of projective trees: one block a sentence, indices computed instead of loaded.

The tables of these programs (`treewright.torch.gpu.hypergraphs`) answer every question, too, but looking up where their
rows lie takes most of the time.  Hence this second text, for sums alone.  The items are those of
`treewright.inference.charts.sibling` and `grand_sibling`, for heads a, ends or modifiers b at a distance d to either
side of a, and slots k (`treewright.torch.gpu.kernels.scored`) of the head g of a; without grandparents, k is always 0.
With x running from a towards b::

    S(a, b, k) = Σ_x  C(a, x, k) · C(b, x + 1, ·)           a and b are neighbouring modifiers of g, b the inner one
    I(a, b, k) = Σ_x  I(a, x, k) · S(b, x, ·) · w(a, b, x, k)   b is a modifier of a, and x the next one inside, or a
    C(a, b, k) = Σ_x  I(a, x, k) · C(x, b, ·)               x is the last modifier of a

where a dot is the slot of the head in question, S(b, a, ·) stands for C(b, a + 1, ·), and I(a, a, k) and C(a, a, k) are
one.  Lanes run over slots or, if there is only one, over x, in which everything lies side by side for that purpose.

Going back by distance, adjoints of C(a, b, ·) are finished first, and those of I(a, b, ·) next, by adding up over what
is further out; then both are *pushed* to what is inside, as sums over k.  In each of these steps nothing is pushed to
twice, so that results do not depend on any order.
"""

from __future__ import annotations

import triton
import triton.language as tl

from treewright.torch.gpu.kernels.arithmetic import add, plus, times
from treewright.torch.gpu.kernels.scored import head_at, is_outside, slot_of
from treewright.torch.gpu.kernels.sibling_adjoints import outside
from treewright.torch.gpu.kernels.sibling_items import (
    DC,
    C,
    I,
    S,
    all_of,
    by_end,
    nothing,
    rows,
    slot_if,
    weights_of,
)

__all__ = ["inside_outside"]

#: Scores are rounded to float32 if their largest for each word is below this.
_ROUNDED = tl.constexpr(64.0)


@triton.jit
def _inside(
    w, c, tops, n, plane, KINDS: tl.constexpr, SINGLE: tl.constexpr, GRAND: tl.constexpr, PRUNED: tl.constexpr,
    P: tl.constexpr, KL: tl.constexpr, RL: tl.constexpr, U: tl.constexpr, LOG: tl.constexpr,
):  # fmt: skip
    """Fill in the items, by distance."""
    _, _, tables, size, slots = c
    zero = -float("inf") if LOG else 0.0
    k, r = tl.arange(0, KL)[None, :, None], tl.arange(0, RL)[None, None, :]
    for d in range(1, n + 1):
        for start in range(0, 2 * (n - d) + 1, P):
            a, b, sign, row = rows(start, d, n, P)
            first = tl.where(sign > 0, a, b + 1)
            of_a, of_b, at = w + a * size * slots + k, w + b * size * slots, (a * size + b) * slots + k
            slot, g = slot_of(tables, a, b, size, GRAND, PRUNED), head_at(tables, a, k, slots, size, GRAND, PRUNED)
            here = row & is_outside(g, a, k, b, n, GRAND) & (k < slots)
            row = row & (slot >= 0)
            scored, top = here & row, tl.load(tops + b)
            alone = tl.load(of_b + C * plane + (a + sign) * slots + slot, row, other=zero)
            alone = times(alone, weights_of(c, a, b, a, k, g, top, scored, KINDS, SINGLE, PRUNED, LOG), LOG)
            most, total = nothing(P, KL, RL, LOG)
            between = tl.where(sign > 0, a + 1, b + 1)
            for t0 in range(0, d - 1, RL * U):
                for u in tl.static_range(U):
                    x, fits = between + (t0 + u * RL + r), row & (t0 + u * RL + r < d - 1)
                    fits = fits & (slot_if(tables, a, x, size, fits, GRAND, PRUNED) >= 0)
                    one = tl.load(of_a + I * plane + x * slots, scored & fits, other=zero)
                    two = tl.load(of_b + S * plane + x * slots + slot, fits, other=zero)
                    three = weights_of(c, a, b, x, k, g, top, scored & fits, KINDS, SINGLE, PRUNED, LOG)
                    most, total = add(most, total, times(times(one, two, LOG), three, LOG), LOG)
            tl.store(w + I * plane + at, plus(alone, all_of(most, total, 2, LOG), LOG), scored)
            # The span between modifiers a and b of g, where b is the inner one
            of_g = slot_of(tables, tl.maximum(g, 0), b, size, GRAND, PRUNED)
            shared = here & (of_g >= 0) & (a > 0)
            if GRAND:
                shared = shared & ((g - b) * sign > 0)
            most, total = nothing(P, KL, RL, LOG)
            for t0 in range(0, d, RL * U):
                for u in tl.static_range(U):
                    x = first + (t0 + u * RL + r)
                    inside = shared & (t0 + u * RL + r < d)
                    one = tl.load(of_a + C * plane + x * slots, inside, other=zero)
                    two = tl.load(of_b + C * plane + (x + sign) * slots + of_g, inside, other=zero)
                    most, total = add(most, total, times(one, two, LOG), LOG)
            tl.store(w + S * plane + at, all_of(most, total, 2, LOG), shared)
        tl.debug_barrier()
        for start in range(0, 2 * (n - d) + 1, P):
            a, b, sign, row = rows(start, d, n, P)
            first = tl.where(sign > 0, a + 1, b)
            g = head_at(tables, a, k, slots, size, GRAND, PRUNED)
            here = row & is_outside(g, a, k, b, n, GRAND) & (k < slots)
            most, total = nothing(P, KL, RL, LOG)
            for t0 in range(0, d, RL * U):
                for u in tl.static_range(U):
                    fits = row & (t0 + u * RL + r < d)
                    x = first + (t0 + u * RL + r)
                    slot = slot_if(tables, a, x, size, fits, GRAND, PRUNED)
                    one = tl.load(w + I * plane + a * size * slots + k + x * slots, here & fits, other=zero)
                    two = w + by_end(C, x, b, slot, size, slots, plane, GRAND)
                    two = tl.load(two, fits & (slot >= 0), other=zero)
                    most, total = add(most, total, times(one, two, LOG), LOG)
            total = all_of(most, total, 2, LOG)
            tl.store(w + C * plane + (a * size + b) * slots + k, total, here)
            if not GRAND:
                tl.store(w + by_end(C, a, b, k, size, slots, plane, GRAND), total, here)
        tl.debug_barrier()


@triton.jit
def _fill(w, first, last, size, slots, one, zero):
    """Make items zero, but the empty ones of C and I one."""
    plane = size * size * slots
    for start in range(first * plane, last * plane, 1024):
        place = start + tl.arange(0, 1024)
        array = place // plane
        empty = (place % plane // slots % (size + 1) == 0) & ((array <= 1) | (array == 6))
        tl.store(w + place, tl.where(empty, one, zero).to(tl.float64), place < last * plane)


@triton.jit
def inside_outside(
    arc, sibling, grandchild, grand, n0, n1, n2, n3, tables, width, lengths, weights, peaks, memory, log_z, sound,
    size, slots, per_head, KINDS: tl.constexpr, SINGLE: tl.constexpr, GRAND: tl.constexpr, PRUNED: tl.constexpr,
    M: tl.constexpr, P: tl.constexpr, KL: tl.constexpr, RL: tl.constexpr, U: tl.constexpr, BACK: tl.constexpr,
    LOG: tl.constexpr,
):  # fmt: skip
    """Compute log Z and, with BACK, the marginals of parts, in place of their weights.

    Weights say whether their answer is ``sound``; logarithms are then computed for sentences where it is not.
    """
    sentence = tl.program_id(0).to(tl.int64)
    scores = arc + sentence * n0, sibling + sentence * n1, grandchild + sentence * n2, grand + sentence * n3
    plane = size * size * slots
    arrays: tl.constexpr = 6 if GRAND else 8
    w = memory + sentence * (plane * arrays + size)
    tables += sentence * width
    weights += sentence * size * plane
    tops = w + arrays * plane
    n = tl.load(lengths + sentence).to(tl.int32)
    if LOG:
        n = tl.where(tl.load(sound + sentence) != 0, 0, n)
    one, zero = 0.0 if LOG else 1.0, -float("inf") if LOG else 0.0

    # The largest part of each word
    word = tl.arange(0, M)
    top = tl.full([M], -float("inf"), tl.float64)
    peaks += sentence * size * per_head * size
    for row in range(tl.where(n > 0, (n + 1) * per_head, 0)):
        top = tl.maximum(top, tl.load(peaks + row * size + word, word < size, other=0.0).to(tl.float64))
    counted = (word >= 1) & (word <= n)
    top = tl.where((top > -float("inf")) & counted, top, 0.0)
    tl.store(tops + word, top, word < size)
    shift = tl.sum(top, axis=0)
    if n > 0:
        _fill(w, 0, 6 if BACK else 3, size, slots, one, zero)
        if not GRAND:
            _fill(w, 6, 8, size, slots, one, zero)
    tl.debug_barrier()

    c = weights, scores, tables, size, slots
    _inside(w, c, tops, n, plane, KINDS, SINGLE, GRAND, PRUNED, P, KL, RL, U, LOG)
    goal = w + n * slots
    total = tl.load(goal)
    if LOG:
        found = total > -float("inf")
        tl.store(log_z + sentence, tl.where(found, total + shift, -float("inf")), n > 0)
        scale = tl.where(found, -total, 0.0)
    else:
        found = (total > 1e-280) & (total < 1e280)
        if weights.dtype.element_ty == tl.float32:
            found = found & (tl.max(tl.abs(top), axis=0) < _ROUNDED)
        tl.store(sound + sentence, found.to(tl.int32))
        tl.store(log_z + sentence, shift + tl.log(tl.where(found, total, 1.0)))
        scale = 1.0 / tl.where(found, total, 1.0)
    if BACK:
        n = tl.where(found, n, 0)
        tl.store(w + by_end(DC, 0, n, 0, size, slots, plane, GRAND), scale)
        tl.debug_barrier()
        outside(w, c, tops, n, plane, KINDS, SINGLE, GRAND, PRUNED, P, KL, RL, U, LOG)
