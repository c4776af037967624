"""Log Z and marginals of all trees, projective or not: elimination without subtraction, one block for each sentence.

This is the algorithm of `treewright.inference.spanning.matrix_tree`, where the equations are explained.  It is a text
of its own because all rows are updated at once here, in registers, and because nothing changes places: the order of
elimination is kept instead.  Numbers are nonnegative float64, written as they are or, with LOG, as logarithms.

For tangents, each number has the derivative of its logarithm along a direction beside it; the derivative of a sum is
the mean of those of its terms, weighted by their ratio to the sum, which no cancellation can spoil.
"""

from __future__ import annotations

import triton
import triton.language as tl

from treewright.torch.gpu.kernels.arithmetic import plus, times

__all__ = ["eliminate"]

#: The least share of the total that plain numbers can be trusted with.
SMALLEST = tl.constexpr(-644.0)


@triton.jit
def _over(x, y, LOG: tl.constexpr):
    if LOG:
        return tl.where(x > -float("inf"), x - y, -float("inf"))
    return x / tl.where(y > 0.0, y, 1.0)


@triton.jit
def _ratio(x, total, LOG: tl.constexpr):
    """Divide a term by the sum that it is part of, which gives an ordinary number."""
    if LOG:
        return tl.where(x > -float("inf"), tl.exp(x - tl.where(total > -float("inf"), total, 0.0)), 0.0)
    return x / tl.where(total > 0.0, total, 1.0)


@triton.jit
def _total(x, axis: tl.constexpr, LOG: tl.constexpr):
    """Add up along an axis, which stays."""
    if not LOG:
        return tl.sum(x, axis=axis, keep_dims=True)
    most = tl.max(x, axis=axis, keep_dims=True)
    safe = tl.where(most > -float("inf"), most, 0.0)
    total = tl.sum(tl.exp(x - safe), axis=axis, keep_dims=True)
    return tl.where(most > -float("inf"), safe + tl.log(tl.maximum(total, 1e-300)), most)


@triton.jit
def _picked(x, here, axis: tl.constexpr, LOG: tl.constexpr):
    """Take the one entry of each row or column that is here."""
    if LOG:
        return tl.max(tl.where(here, x, -float("inf")), axis=axis, keep_dims=True)
    return tl.sum(tl.where(here, x, 0.0), axis=axis, keep_dims=True)


@triton.jit
def _only(x):
    """Make a number of a 1 × 1 tensor."""
    return tl.sum(tl.sum(x, axis=1), axis=0)


@triton.jit
def eliminate(
    scores, direction, lengths, log_z, sound, out, memory, size, S: tl.constexpr, SINGLE: tl.constexpr,
    LOG: tl.constexpr, BACK: tl.constexpr, TANGENT: tl.constexpr,
):  # fmt: skip
    """Compute log Z of one sentence and, with BACK, marginals or, with TANGENT, their derivatives.

    Without LOG it also writes whether the answer is sound; with it, sentences that are sound already are left alone.
    """
    sentence = tl.program_id(0).to(tl.int64)
    n = tl.load(lengths + sentence).to(tl.int32)
    m, h = tl.arange(0, S)[:, None], tl.arange(0, S)[None, :]
    zero, first_head = -float("inf") if LOG else 0.0, 1 if SINGLE else 0  # the root's arcs do not count in sums
    place = sentence * size * size + h * size + m
    exists = (m > 0) & (m <= n) & (h <= n) & (h != m)
    arc = tl.load(scores + place, exists, other=-float("inf")).to(tl.float64)
    work = n > 0
    if LOG:
        work = tl.load(sound + sentence) == 0
    # The largest weight of each word, and for a single root that of the root's arcs, is one.
    most = tl.max(arc, axis=1, keep_dims=True)
    constant = _only(tl.sum(tl.where((m > 0) & (m <= n), most, 0.0), axis=0, keep_dims=True))
    w = arc - tl.where(most > -float("inf"), most, 0.0)
    top = tl.max(tl.max(tl.where(h == 0, w, -float("inf")), axis=1), axis=0)
    if SINGLE:
        w = tl.where(h == 0, w - tl.where(top > -float("inf"), top, 0.0), w)
        constant += top
    possible = (constant > -float("inf")) & (top > -float("inf"))
    steps = tl.where(possible & work, n, 0)
    if not LOG:
        w = tl.exp(w)
    dw = tl.zeros([S, S], tl.float64)
    if TANGENT:
        dw = tl.where(arc > -float("inf"), tl.load(direction + place, exists, other=0.0).to(tl.float64), 0.0)
    before = _total(tl.where(h >= first_head, w, zero), 1, LOG)  # each word's sum over its heads
    total, left = tl.full([], 0.0, tl.float64), tl.full([], 0.0, tl.float64)
    if not LOG:
        left = tl.log(tl.minimum(tl.min(tl.min(tl.where((before > 0.0) & (m > 0), before, 1.0), axis=1), axis=0), 1.0))
    alive_m, alive_h = (m > 0) & (m <= n), h <= n
    dsums = tl.zeros([1, S], tl.float64)
    # What is eliminated waits in memory for the way back: a row, a column, the sum of the row, and which it was.
    stack = memory + sentence * size * (2 * S + 2)
    kept, other = tl.full([], 1, tl.int32), _picked(w, m == 1, 0, LOG)  # the row of the word that is kept
    for step in range(steps):
        e = n - step
        row = _picked(w, m == e, 0, LOG)
        if SINGLE:
            if e > 1:  # keep the likelier root for last
                mine = row
                inner = alive_h & (h > 0)
                sum_mine = _only(_total(tl.where(inner & (h != e), mine, zero), 1, LOG))
                sum_other = _only(_total(tl.where(inner & (h != kept), other, zero), 1, LOG))
                root_mine, root_other = _only(_picked(mine, h == 0, 1, LOG)), _only(_picked(other, h == 0, 1, LOG))
                likelier = times(root_mine, sum_other, LOG) > times(root_other, sum_mine, LOG)
                row, other = tl.where(likelier, other, mine), tl.where(likelier, mine, other)
                swapped = tl.where(likelier, kept, e)
                kept = tl.where(likelier, e, kept)
                e = swapped
            else:
                e, row = kept, other
        beyond = alive_h & (h != e)
        counted = beyond & ((h >= first_head) | (step == n - 1))
        s = _only(_total(tl.where(counted, row, zero), 1, LOG))
        share = tl.where(beyond, _over(row, s, LOG), zero)
        inside = alive_m & (m != e)
        column = _picked(w, h == e, 1, LOG)
        if BACK:
            tl.store(stack + step * (2 * S + 2) + h, row)
            tl.store(stack + step * (2 * S + 2) + S + m, column)
            tl.store(stack + step * (2 * S + 2) + 2 * S, s)
            tl.store(stack + step * (2 * S + 2) + 2 * S + 1, e.to(tl.float64))
        column = tl.where(inside, column, zero)
        if SINGLE:
            grown = times(_only(_picked(other, h == e, 1, LOG)), share, LOG)
            other = tl.where(beyond, plus(other, grown, LOG), other)
        added = times(column, share, LOG)
        new = plus(w, added, LOG)
        if TANGENT:
            drow, dcolumn = _picked(dw, m == e, 0, False), _picked(dw, h == e, 1, False)
            ds = _only(tl.sum(tl.where(counted, _ratio(row, s, LOG) * drow, 0.0), axis=1, keep_dims=True))
            changed = _ratio(w, new, LOG) * dw + _ratio(added, new, LOG) * (dcolumn + drow - ds)
            dw = tl.where(inside & beyond, changed, dw)
            dsums = tl.where(h == e, ds, dsums)
        w = tl.where(inside & beyond, new, w)
        total += s if LOG else tl.log(s)
        alive_m, alive_h = inside, beyond
    if LOG:
        found = possible & (total > -float("inf"))
        tl.store(log_z + sentence, tl.where(found, total + constant, -float("inf")), work)
    else:
        was = (m > 0) & (m <= n) & ((m != kept) | (first_head == 0))
        left += total - _only(tl.sum(tl.where(was, tl.log(before), 0.0), axis=0, keep_dims=True))
        found = possible & (left > SMALLEST) & (total > -float("inf"))
        tl.store(sound + sentence, (found | ~possible).to(tl.int32))
        tl.store(log_z + sentence, tl.where(found, total + constant, -float("inf")))
    if BACK:
        d, dd = tl.full([S, S], zero, tl.float64), tl.zeros([S, S], tl.float64)
        alive_m, alive_h = m < 0, h == 0
        tl.debug_barrier()
        for step in range(tl.where(found, steps, 0)):
            saved = stack + (n - 1 - step) * (2 * S + 2)
            row, column = tl.load(saved + h), tl.load(saved + S + m)
            s, e = tl.load(saved + 2 * S), tl.load(saved + 2 * S + 1).to(tl.int32)
            share = tl.where(alive_h, _over(row, s, LOG), zero)
            column = tl.where(alive_m, column, zero)
            of_share, of_column = times(d, share, LOG), times(d, column, LOG)
            new_column, scaled = _total(of_share, 1, LOG), _total(of_column, 0, LOG)  # scaled by s
            heads_of = times(column, new_column, LOG)
            chances = tl.exp(heads_of) if LOG else heads_of
            leaf = 1.0 - _only(tl.sum(chances, axis=0, keep_dims=True))
            counted = alive_h & ((h >= first_head) | (step == 0))
            unit = tl.maximum(scaled, 0.0) if LOG else tl.zeros([1, S], tl.float64)  # so that nothing overflows
            already = tl.exp(scaled - unit) if LOG else scaled
            own = tl.where(counted, tl.exp(-unit), 0.0)
            new_row = tl.maximum(already + own * leaf, 0.0)
            if TANGENT:
                ds = _only(_picked(dsums, h == e, 1, False))
                drow, dcolumn = _picked(dw, m == e, 0, False), _picked(dw, h == e, 1, False)
                dnew_column = tl.sum(_ratio(of_share, new_column, LOG) * (dd + drow - ds), axis=1, keep_dims=True)
                dscaled = tl.sum(_ratio(of_column, scaled, LOG) * (dd + dcolumn), axis=0, keep_dims=True)
                dleaf = -_only(tl.sum(chances * (dcolumn + dnew_column), axis=0, keep_dims=True))
                dnew_row = already * dscaled + own * dleaf
                dnew_row = tl.where(new_row > 0.0, dnew_row / tl.where(new_row > 0.0, new_row, 1.0), 0.0) - ds
                dd = tl.where((m == e) & alive_h, dnew_row, tl.where((h == e) & alive_m, dnew_column, dd))
            if LOG:
                new_row = unit + tl.log(new_row)
            new_row = _over(new_row, s, LOG)
            d = tl.where((m == e) & alive_h, new_row, tl.where((h == e) & alive_m, new_column, d))
            alive_m, alive_h = alive_m | (m == e), alive_h | (h == e)
        arc = tl.load(scores + place, exists, other=-float("inf")).to(tl.float64)  # again, which frees registers
        w = arc - tl.where(most > -float("inf"), most, 0.0)
        if SINGLE:
            w = tl.where(h == 0, w - tl.where(top > -float("inf"), top, 0.0), w)
        chance = times(w if LOG else tl.exp(w), d, LOG)
        chance = tl.minimum(tl.exp(chance) if LOG else chance, 1.0)
        if TANGENT:
            given = tl.load(direction + place, exists & (arc > -float("inf")), other=0.0).to(tl.float64)
            chance = chance * (dd + given)
        chance = tl.where(exists & (arc > -float("inf")) & (m < tl.where(found, size, 0)), chance, 0.0)
        tl.store(out + place, chance.to(out.dtype.element_ty), (m < tl.where(work, size, 0)) & (h < size))
