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
    scores, direction, lengths, log_z, sound, out, size, S: tl.constexpr, SINGLE: tl.constexpr, LOG: tl.constexpr,
    BACK: tl.constexpr, TANGENT: tl.constexpr,
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
    sums, order = tl.full([1, S], 1.0, tl.float64), tl.zeros([1, S], tl.int32)
    dsums = tl.zeros([1, S], tl.float64)
    kept = 1
    for step in range(steps):
        e = n - step
        if SINGLE:
            if e > 1:  # keep the likelier root for last
                mine, other = _picked(w, m == e, 0, LOG), _picked(w, m == kept, 0, LOG)
                inner = alive_h & (h > 0)
                sum_mine = _only(_total(tl.where(inner & (h != e), mine, zero), 1, LOG))
                sum_other = _only(_total(tl.where(inner & (h != kept), other, zero), 1, LOG))
                root_mine, root_other = _only(_picked(mine, h == 0, 1, LOG)), _only(_picked(other, h == 0, 1, LOG))
                likelier = times(root_mine, sum_other, LOG) > times(root_other, sum_mine, LOG)
                swapped = tl.where(likelier, kept, e)
                kept = tl.where(likelier, e, kept)
                e = swapped
            else:
                e = kept
        beyond = alive_h & (h != e)
        row = _picked(w, m == e, 0, LOG)
        counted = beyond & ((h >= first_head) | (step == n - 1))
        s = _only(_total(tl.where(counted, row, zero), 1, LOG))
        share = tl.where(beyond, _over(row, s, LOG), zero)
        inside = alive_m & (m != e)
        column = tl.where(inside, _picked(w, h == e, 1, LOG), zero)
        added = times(column, share, LOG)
        new = plus(w, added, LOG)
        if TANGENT:
            drow, dcolumn = _picked(dw, m == e, 0, False), _picked(dw, h == e, 1, False)
            ds = _only(tl.sum(tl.where(counted, _ratio(row, s, LOG) * drow, 0.0), axis=1, keep_dims=True))
            changed = _ratio(w, new, LOG) * dw + _ratio(added, new, LOG) * (dcolumn + drow - ds)
            dw = tl.where(inside & beyond, changed, dw)
            dsums = tl.where(h == e, ds, dsums)
        w = tl.where(inside & beyond, new, w)
        if LOG:
            total += s
        else:
            log_s = tl.log(s)
            total += log_s
            was = _only(tl.sum(tl.where(m == e, before, 0.0), axis=0, keep_dims=True))
            left += log_s - (tl.where(step == n - 1, 0.0, tl.log(was)) if SINGLE else tl.log(was))
        sums, order = tl.where(h == e, s, sums), tl.where(h == step, e, order)
        alive_m, alive_h = inside, beyond
    if LOG:
        found = possible & (total > -float("inf"))
        tl.store(log_z + sentence, tl.where(found, total + constant, -float("inf")), work)
    else:
        found = possible & (left > SMALLEST) & (total > -float("inf"))
        tl.store(sound + sentence, (found | ~possible).to(tl.int32))
        tl.store(log_z + sentence, tl.where(found, total + constant, -float("inf")))
    if BACK:
        d, dd = tl.full([S, S], zero, tl.float64), tl.zeros([S, S], tl.float64)
        alive_m, alive_h = m < 0, h == 0
        for step in range(tl.where(found, steps, 0)):
            e = _only(tl.sum(tl.where(h == n - 1 - step, order, 0), axis=1, keep_dims=True))
            s = _only(_picked(sums, h == e, 1, LOG))
            row, column = _picked(w, m == e, 0, LOG), _picked(w, h == e, 1, LOG)
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
