"""The kernel that follows a table: one block works through the levels of one sentence.

Values of items are float64, whatever the type of the scores, in one of three *domains*:

- `SUM`: total weights, where scores have been shifted so that no weight of an arc exceeds one;
- `LOG`: their logarithms, for sentences whose total leaves the range of the first;
- `MAXIMUM`: best scores.

Going back, an item has its *probability* instead of an adjoint. A row passes to each of its alternatives the share
value[a + k] · value[b + k] · part[p + k] / value[t] of the probability of t, which is then a probability too: nothing
can overflow, and what a part receives is its marginal. For tangents, items also have the derivatives of the logarithm
of their values and of their probabilities along a direction. With δ(k) the sum of the derivatives of log value[a +
k], log value[b + k] and log part[p + k], and v and π those of t,

    dlog v = Σ_k share(k) · δ(k)                     (forward)
    dπ(k)  = share(k) · (dπ + π · (δ(k) - dlog v))   (backward)
"""

from __future__ import annotations

import triton
import triton.language as tl

from treewright.torch.gpu.tables import FIELDS

__all__ = ["LARGEST", "LOG", "MAXIMUM", "SUM", "UNSHIFTED", "solve"]

SUM, LOG, MAXIMUM = tl.constexpr(0), tl.constexpr(1), tl.constexpr(2)

#: A total above the smallest that a caller names and below this is exact to rounding.
LARGEST = tl.constexpr(1e280)
#: Parts that not every tree has cannot be shifted; if one of them scores more than this, logarithms are used.
UNSHIFTED = tl.constexpr(30.0)

_NAMES = "n", "items", "goal", "segment_count", "one_count", "segments", "ones"
_N, _ITEMS, _GOAL, _SEGMENT_COUNT, _ONE_COUNT, _SEGMENTS, _ONES = (tl.constexpr(FIELDS[name]) for name in _NAMES)
_ROWS = "t", "copy", "length", "a", "b", "p", "groups"
_T, _COPY, _LENGTH, _A, _B, _P, _GROUPS = (tl.constexpr(FIELDS[name]) for name in _ROWS)


@triton.jit
def _alternatives(value, part, a, b, p, k, inside, DOMAIN: tl.constexpr):
    """Multiply, or add up, the items and parts of alternatives k."""
    x = tl.load(value + a + k, inside, other=0.0)
    if DOMAIN == 0:
        x = x * tl.load(value + b + k, inside & (b >= 0), other=1.0)
        return x * tl.load(part + p + k, inside & (p >= 0), other=1.0).to(tl.float64)
    x = x + tl.load(value + b + k, inside & (b >= 0), other=0.0)
    x = x + tl.load(part + p + k, inside & (p >= 0), other=0.0).to(tl.float64)
    return tl.where(inside, x, -float("inf"))


@triton.jit
def _shares(x, total, inside, DOMAIN: tl.constexpr):
    """Divide alternatives by the total of their item."""
    if DOMAIN == 0:
        sound = inside & (total > 1e-300)
        return tl.where(sound, x * (1.0 / tl.where(total > 1e-300, total, 1.0)), 0.0)
    sound = inside & (total > -float("inf"))
    return tl.where(sound, tl.exp(x - tl.where(total > -float("inf"), total, 0.0)), 0.0)


@triton.jit
def _changes(dot, part_dot, a, b, p, k, inside):
    """Add up the derivatives of the logarithms of alternatives k."""
    x = tl.load(dot + a + k, inside, other=0.0) + tl.load(dot + b + k, inside & (b >= 0), other=0.0)
    return x + tl.load(part_dot + p + k, inside & (p >= 0), other=0.0).to(tl.float64)


@triton.jit
def _prepare(numbers, field, value, DOMAIN: tl.constexpr, BLOCK: tl.constexpr):
    """Set all items to zero, but the empty ones to one."""
    lanes = tl.arange(0, BLOCK)
    items, ones = tl.load(field + _ITEMS), tl.load(field + _ONE_COUNT)
    zero = 0.0 if DOMAIN == 0 else -float("inf")
    for start in range(0, items, BLOCK):
        tl.store(value + start + lanes, tl.full([BLOCK], zero, tl.float64), start + lanes < items)
    tl.debug_barrier()
    for start in range(0, ones, BLOCK):
        inside = start + lanes < ones
        item = tl.load(numbers + tl.load(field + _ONES) + start + lanes, inside, other=0)
        tl.store(value + item, tl.full([BLOCK], 1.0 if DOMAIN == 0 else 0.0, tl.float64), inside)
    tl.debug_barrier()


@triton.jit
def _table(numbers, field):
    """Find where a table has its segments and groups, and t, copy, a, b, p and length of rows."""
    segments, groups = numbers + tl.load(field + _SEGMENTS), numbers + tl.load(field + _GROUPS)
    t, copy = numbers + tl.load(field + _T), numbers + tl.load(field + _COPY)
    a, b = numbers + tl.load(field + _A), numbers + tl.load(field + _B)
    return segments, groups, t, copy, a, b, numbers + tl.load(field + _P), numbers + tl.load(field + _LENGTH)


@triton.jit
def _row(table, row, inside):
    """Load where the alternatives of rows lie."""
    a, b = tl.load(table[4] + row, inside, other=0), tl.load(table[5] + row, inside, other=0)
    return a, b, tl.load(table[6] + row, inside, other=0), tl.load(table[7] + row, inside, other=0)


@triton.jit
def _total(value, part, a, b, p, length, start, longest, R: tl.constexpr, K: tl.constexpr, DOMAIN: tl.constexpr):
    """Add up the alternatives of R rows, on top of what their items have already."""
    most, total = start, start
    if DOMAIN == 1:
        total = tl.where(start > -float("inf"), 1.0, 0.0).to(tl.float64)
    for k0 in range(0, longest, K):
        k = k0 + tl.arange(0, K)[None, :]
        inside = k < length[:, None]
        x = _alternatives(value, part, a[:, None], b[:, None], p[:, None], k, inside, DOMAIN)
        if DOMAIN == 0:
            total += tl.sum(x, axis=1)
        elif DOMAIN == 2:
            total = tl.maximum(total, tl.max(x, axis=1))
        else:
            above = tl.maximum(most, tl.max(x, axis=1))
            below = tl.where(above > -float("inf"), above, 0.0)
            total = total * tl.exp(most - below) + tl.sum(tl.exp(x - below[:, None]), axis=1)
            most = above
    if DOMAIN == 1:
        total = tl.where(most > -float("inf"), most + tl.log(tl.maximum(total, 1e-300)), most)
    return total


@triton.jit
def _fill(
    table, count, value, part, dot, part_dot, R: tl.constexpr, K: tl.constexpr, DOMAIN: tl.constexpr,
    TANGENT: tl.constexpr,
):  # fmt: skip
    """Walk forward: find the values of items or, with TANGENT, the derivatives of their logarithms."""
    for s in range(count):
        segment = table[0] + 8 * s
        end, longest = tl.load(segment + 1), tl.load(segment + 4)
        for first in range(tl.load(segment), end, R):
            row = first + tl.arange(0, R)
            here = row < end
            a, b, p, length = _row(table, row, here)
            t = tl.load(table[2] + row, here, other=0)
            copy = tl.load(table[3] + row, here, other=0)
            if TANGENT:
                v, change = tl.load(value + t, here, other=1.0), tl.load(dot + t, here, other=0.0)
                for k0 in range(0, longest, K):
                    k = k0 + tl.arange(0, K)[None, :]
                    inside = k < length[:, None]
                    x = _alternatives(value, part, a[:, None], b[:, None], p[:, None], k, inside, DOMAIN)
                    delta = _changes(dot, part_dot, a[:, None], b[:, None], p[:, None], k, inside)
                    change += tl.sum(_shares(x, v[:, None], inside, DOMAIN) * delta, axis=1)
                tl.store(dot + t, change, here)
                tl.store(dot + copy, change, here)
            else:
                start = tl.load(value + t, here, other=0.0)
                total = _total(value, part, a, b, p, length, start, longest, R, K, DOMAIN)
                tl.store(value + t, total, here)
                tl.store(value + copy, total, here)
        if (tl.load(segment + 7) & 2) > 0:
            tl.debug_barrier()


@triton.jit
def _add(target, place, x, inside):
    """Add to what no other group of the level adds to."""
    tl.store(target + place, tl.load(target + place, inside, other=0.0) + x.to(target.dtype.element_ty), inside)


@triton.jit
def _group(
    table, segment, q0, k0, value, part, chance, marginal, dot, part_dot, chance_dot,
    Q: tl.constexpr, G: tl.constexpr, K: tl.constexpr, DOMAIN: tl.constexpr, TANGENT: tl.constexpr,
):  # fmt: skip
    """Pass on the probabilities of Q groups to K of their alternatives."""
    end, most, flags = tl.load(segment + 3), tl.load(segment + 5), tl.load(segment + 6)
    q = q0 + tl.arange(0, Q)
    first, last = tl.load(table[1] + q, q < end, other=0), tl.load(table[1] + q + 1, q < end, other=0)
    k = k0 + tl.arange(0, K)[None, None, :]
    of_a, of_b, of_p = tl.zeros([Q, K], tl.float64), tl.zeros([Q, K], tl.float64), tl.zeros([Q, K], tl.float64)
    dot_a, dot_b = tl.zeros([Q, K], tl.float64), tl.zeros([Q, K], tl.float64)
    for g0 in range(0, most, G):
        row = first[:, None] + g0 + tl.arange(0, G)[None, :]
        here = row < last[:, None]
        a, b, p, length = _row(table, row, here)
        t, copy = tl.load(table[2] + row, here, other=0), tl.load(table[3] + row, here, other=0)
        twice = here & (t != copy)
        v = tl.load(value + t, here, other=0.0)[:, :, None]
        pi = tl.load(chance + t, here, other=0.0) + tl.load(chance + copy, twice, other=0.0)
        # What each row has to itself is loaded before it is needed: loads are what takes time.
        inside = here[:, :, None] & (k < length[:, :, None])
        own_a = inside & (k < tl.where((flags & 4) > 0, 0, length)[:, :, None])
        own_b = inside & (k < tl.where(((flags & 8) > 0) | (b < 0), 0, length)[:, :, None])
        own_p = inside & (k < tl.where(((flags & 16) > 0) | (p < 0), 0, length)[:, :, None])
        a, b, p = a[:, :, None], b[:, :, None], p[:, :, None]
        before_a, before_b = tl.load(chance + a + k, own_a, other=0.0), tl.load(chance + b + k, own_b, other=0.0)
        again = own_p & (k < tl.where((flags & 32) > 0, 0, length)[:, :, None])
        before_p = tl.load(marginal + p + k, again, other=0.0)
        share = _shares(_alternatives(value, part, a, b, p, k, inside, DOMAIN), v, inside, DOMAIN)
        x = share * pi[:, :, None]
        tl.store(chance + a + k, before_a + x, own_a)
        tl.store(chance + b + k, before_b + x, own_b)
        if G > 1:
            of_a += tl.sum(x, axis=1)
            of_b += tl.sum(x, axis=1)
        if TANGENT:
            before_a = tl.load(chance_dot + a + k, own_a, other=0.0)
            before_b = tl.load(chance_dot + b + k, own_b, other=0.0)
            delta = _changes(dot, part_dot, a, b, p, k, inside)
            pi_dot = tl.load(chance_dot + t, here, other=0.0) + tl.load(chance_dot + copy, twice, other=0.0)
            delta -= tl.load(dot + t, here, other=0.0)[:, :, None]
            x = share * pi_dot[:, :, None] + x * delta
            tl.store(chance_dot + a + k, before_a + x, own_a)
            tl.store(chance_dot + b + k, before_b + x, own_b)
            if G > 1:
                dot_a += tl.sum(x, axis=1)
                dot_b += tl.sum(x, axis=1)
        tl.store(marginal + p + k, before_p + x.to(marginal.dtype.element_ty), own_p)
        if G > 1:
            of_p += tl.sum(x, axis=1)
    if G > 1:  # noqa: SIM102 - what is known when compiling, and what is not
        if flags & 28:
            first_a, first_b, first_p, longest = _row(table, first, q < end)
            along = k0 + tl.arange(0, K)[None, :]
            within = (q < end)[:, None] & (along < longest[:, None])
            if flags & 4:
                _add(chance, first_a[:, None] + along, of_a, within)
                if TANGENT:
                    _add(chance_dot, first_a[:, None] + along, dot_a, within)
            if flags & 8:
                _add(chance, first_b[:, None] + along, of_b, within)
                if TANGENT:
                    _add(chance_dot, first_b[:, None] + along, dot_b, within)
            if flags & 16:
                _add(marginal, first_p[:, None] + along, of_p, within)


@triton.jit
def _walk_back(
    table, count, value, part, chance, marginal, dot, part_dot, chance_dot,
    Q: tl.constexpr, G: tl.constexpr, K: tl.constexpr, DOMAIN: tl.constexpr, TANGENT: tl.constexpr,
):  # fmt: skip
    for s in range(count):
        segment = table[0] + 8 * (count - 1 - s)
        end, longest = tl.load(segment + 3), tl.load(segment + 4)
        for q0 in range(tl.load(segment + 2), end, Q):
            for k0 in range(0, longest, K):
                _group(
                    table, segment, q0, k0, value, part, chance, marginal, dot, part_dot, chance_dot,
                    Q, G, K, DOMAIN, TANGENT,
                )  # fmt: skip
        if (tl.load(segment + 7) & 1) > 0:
            tl.debug_barrier()


@triton.jit
def solve(
    numbers, fields, top, value, part, log_z, sound, chance, marginal, dot, part_dot, chance_dot,
    items, parts, words, smallest, WIDTH: tl.constexpr, R: tl.constexpr, Q: tl.constexpr, G: tl.constexpr,
    K: tl.constexpr, DOMAIN: tl.constexpr, BACK: tl.constexpr, TANGENT: tl.constexpr, ONLY_UNSOUND: tl.constexpr,
):  # fmt: skip
    """Solve one sentence: fill in its values and log Z and, with BACK, marginals or, with TANGENT, their derivatives.

    The domain `SUM` also says whether its answer is ``sound``; with ONLY_UNSOUND, all others are left alone.
    """
    sentence = tl.program_id(0).to(tl.int64)
    field = fields + sentence * WIDTH
    value, part = value + sentence * items, part + sentence * parts
    count = tl.load(field + _SEGMENT_COUNT).to(tl.int32)
    if ONLY_UNSOUND:
        count = tl.where(tl.load(sound + sentence) != 0, 0, count)
    table = _table(numbers, field)
    if count > 0:
        _prepare(numbers, field, value, DOMAIN, 1024)
    _fill(table, count, value, part, dot, part_dot, R, K, DOMAIN, False)
    goal = tl.load(field + _GOAL)
    if count > 0:
        total = tl.load(value + goal)
        lanes = tl.arange(0, 32)
        shift = tl.full([], 0.0, tl.float64)
        exists = total > (0.0 if DOMAIN == 0 else -float("inf"))
        if DOMAIN < 2:
            n = tl.load(field + _N)
            for w0 in range(1, n + 1, 32):
                shift += tl.sum(tl.load(top + sentence * words + w0 + lanes, w0 + lanes <= n, other=0.0), axis=0)
        if DOMAIN == 0:
            fits = (total > smallest) & (total < LARGEST) & (tl.load(top + sentence * words) < UNSHIFTED)
            tl.store(sound + sentence, fits.to(tl.int32))
            count = tl.where(fits, count, 0)
            tl.store(log_z + sentence, shift + tl.log(tl.where(fits, total, 1.0)))
        else:
            count = tl.where(exists, count, 0)
            tl.store(log_z + sentence, tl.where(exists, total + shift, -float("inf")))
    if BACK:
        chance += sentence * items
        marginal += sentence * parts
        if TANGENT:
            dot += sentence * items
            part_dot += sentence * parts
            chance_dot += sentence * items
            _fill(table, count, value, part, dot, part_dot, R, K, DOMAIN, True)
        tl.store(chance + goal, 1.0, count > 0)
        tl.debug_barrier()
        _walk_back(table, count, value, part, chance, marginal, dot, part_dot, chance_dot, Q, G, K, DOMAIN, TANGENT)
