"""The way back through the chart of siblings: see `treewright.torch.gpu.kernels.siblings`."""

from __future__ import annotations

import triton
import triton.language as tl

from treewright.torch.gpu.kernels.arithmetic import add, plus, times
from treewright.torch.gpu.kernels.scored import head_at, is_outside, slot_of
from treewright.torch.gpu.kernels.sibling_items import (
    DC,
    DI,
    DS,
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

__all__ = ["outside"]


@triton.jit
def _push(target, y, k, inside, LOG: tl.constexpr):
    """Add sums over slots to what nothing else is added to at the same time; the first lane does it."""
    total = (
        all_of(y, tl.where(y > -float("inf"), 1.0, 0.0).to(tl.float64), 1, LOG)
        if LOG
        else tl.sum(y, axis=1, keep_dims=True)
    )
    here = inside & (k == 0)
    before = tl.load(target + k, here, other=-float("inf") if LOG else 0.0)
    tl.store(target + k, plus(before, total, LOG), here)


@triton.jit
def _mark(place, chance, inside, LOG: tl.constexpr):
    """Store marginals."""
    tl.store(place, (tl.exp(chance) if LOG else chance).to(place.dtype.element_ty), inside)


@triton.jit
def outside(
    w, c, tops, n, plane, KINDS: tl.constexpr, SINGLE: tl.constexpr, GRAND: tl.constexpr, PRUNED: tl.constexpr,
    P: tl.constexpr, KL: tl.constexpr, RL: tl.constexpr, U: tl.constexpr, LOG: tl.constexpr,
):  # fmt: skip
    """Find the adjoints of items and, in place of weights, the marginals of parts."""
    weights, _, tables, size, slots = c
    zero = -float("inf") if LOG else 0.0
    k, r = tl.arange(0, KL)[None, :, None], tl.arange(0, RL)[None, None, :]
    for others in range(n):
        d = n - others
        for start in range(0, 2 * (n - d) + 1, P):
            a, b, sign, row = rows(start, d, n, P)
            g = head_at(tables, a, k, slots, size, GRAND, PRUNED)
            here = row & is_outside(g, a, k, b, n, GRAND) & (k < slots)
            first, count = tl.where(sign > 0, b + 1, 1), tl.where(sign > 0, n - b, b - 1)
            away = (a - g) * sign > 0
            most, total = nothing(P, KL, RL, LOG)
            for t0 in range(0, others, RL * U):
                for u in tl.static_range(U):
                    fits = row & (a > 0) & (t0 + u * RL + r < count)
                    x = first + (t0 + u * RL + r)
                    slot = slot_if(tables, tl.maximum(g, 0), x, size, fits, GRAND, PRUNED)
                    inside = here & fits & (slot >= 0)
                    if GRAND:
                        inside = inside & (away | ((g - x) * sign > 0))
                        if PRUNED:
                            of = tl.where(away, (x * size + a) * slots + slot, (a * size + x) * slots + k)
                        else:
                            of = tl.where(away, (x * size + a) * slots, (a * size + x) * slots) + k
                        one = tl.load(w + DS * plane + of, inside, other=zero)
                    else:
                        one = tl.load(w + DS * plane + a * size + x, inside, other=zero)
                        one = plus(one, tl.load(w + DS * plane + x * size + a, inside, other=zero), LOG)
                    two = tl.load(w + by_end(C, x, b + sign, slot, size, slots, plane, GRAND), inside, other=zero)
                    most, total = add(most, total, times(one, two, LOG), LOG)
            pushed = tl.load(w + by_end(DC, a, b, k, size, slots, plane, GRAND), here, other=zero)
            total = plus(pushed, all_of(most, total, 2, LOG), LOG)
            tl.store(w + DC * plane + (a * size + b) * slots + k, total, here)
        tl.debug_barrier()
        for start in range(0, 2 * (n - d) + 1, P):
            a, b, sign, row = rows(start, d, n, P)
            g = head_at(tables, a, k, slots, size, GRAND, PRUNED)
            slot = slot_of(tables, a, b, size, GRAND, PRUNED)
            here = row & is_outside(g, a, k, b, n, GRAND) & (k < slots)
            first, count = tl.where(sign > 0, b + 1, 1), tl.where(sign > 0, n - b, b - 1)
            of_a = w + a * size * slots + k
            own = tl.load(of_a + DC * plane + b * slots, here, other=zero)
            pushed = tl.load(of_a + DI * plane + b * slots, here, other=zero)
            most, total = nothing(P, KL, RL, LOG)
            for t0 in range(0, others, RL * U):
                for u in tl.static_range(U):
                    fits = row & (slot >= 0) & (t0 + u * RL + r < count)
                    x = first + (t0 + u * RL + r)
                    one = tl.load(of_a + DC * plane + x * slots, here & fits, other=zero)
                    two = tl.load(w + C * plane + (b * size + x) * slots + slot, fits, other=zero)
                    most, total = add(most, total, times(one, two, LOG), LOG)
            total = plus(plus(own, pushed, LOG), all_of(most, total, 2, LOG), LOG)
            tl.store(of_a + DI * plane + b * slots, total, here)
            first = tl.where(sign > 0, a + 1, b + 1)
            for t0 in range(0, d - 1, RL * U):
                for u in tl.static_range(U):
                    fits = row & (t0 + u * RL + r < d - 1)
                    x = first + (t0 + u * RL + r)
                    slot = slot_if(tables, a, x, size, fits, GRAND, PRUNED)
                    y = times(tl.load(of_a + I * plane + x * slots, here & fits, other=zero), own, LOG)
                    target = w + by_end(DC, x, b, slot, size, slots, plane, GRAND)
                    _push(target, y, k, fits & (slot >= 0), LOG)
        tl.debug_barrier()
        for start in range(0, 2 * (n - d) + 1, P):
            a, b, sign, row = rows(start, d, n, P)
            g = head_at(tables, a, k, slots, size, GRAND, PRUNED)
            slot, top = slot_of(tables, a, b, size, GRAND, PRUNED), tl.load(tops + b)
            row = row & (slot >= 0)
            here = row & is_outside(g, a, k, b, n, GRAND) & (k < slots)
            of_a, of_b = w + a * size * slots + k, w + b * size * slots
            own = tl.load(of_a + DI * plane + b * slots, here, other=zero)
            place = weights + (a * size + b) * size * slots + k
            alone = tl.load(of_b + C * plane + (a + sign) * slots + slot, row, other=zero)
            last = times(own, weights_of(c, a, b, a, k, g, top, here, KINDS, SINGLE, PRUNED, LOG), LOG)
            _mark(place + a * slots, times(last, alone, LOG), here, LOG)
            _push(w + by_end(DC, b, a + sign, slot, size, slots, plane, GRAND), last, k, row, LOG)
            first = tl.where(sign > 0, a + 1, b + 1)
            for t0 in range(0, d - 1, RL * U):
                for u in tl.static_range(U):
                    x, fits = first + (t0 + u * RL + r), row & (t0 + u * RL + r < d - 1)
                    fits = fits & (slot_if(tables, a, x, size, fits, GRAND, PRUNED) >= 0)
                    inside = here & fits
                    one = tl.load(of_a + I * plane + x * slots, inside, other=zero)
                    two = tl.load(of_b + S * plane + x * slots + slot, fits, other=zero)
                    three = weights_of(c, a, b, x, k, g, top, inside, KINDS, SINGLE, PRUNED, LOG)
                    before = tl.load(of_a + DI * plane + x * slots, inside, other=zero)
                    y = times(own, three, LOG)
                    tl.store(of_a + DI * plane + x * slots, plus(before, times(y, two, LOG), LOG), inside)
                    y = times(y, one, LOG)
                    _mark(place + x * slots, times(y, two, LOG), inside, LOG)
                    _push(of_b + DS * plane + x * slots + slot, y, k, fits, LOG)
            if GRAND:  # the adjoint is not needed any more
                whole = tl.load(of_a + I * plane + b * slots, here, other=zero)
                _mark(of_a + DI * plane + b * slots, times(own, whole, LOG), here, LOG)
        tl.debug_barrier()
