"""Scores of siblings and grand-siblings: where they lie, and kernels that carry them to a chart and back.

The chart of `treewright.torch.gpu.kernels.siblings` wants the scores of an arc h → m side by side, by s and then by the
slot k of the grandparent.  *Slots* number the possible heads of each word: with all arcs, slot k is word k; with
surviving ones, the k-th of them; and without grandparents there is one.  The root has a single slot, the first.
"""

from __future__ import annotations

import triton
import triton.language as tl

__all__ = ["TABLES", "fold", "score_of", "unfold", "unfold_grand", "unfold_rest"]

#: Square tables of a pruned sentence, by (head, modifier): numbers of arcs, their ranks, the slots of heads, and where
#: the grandchildren and grand-siblings of an arc begin.  Below them, the heads of each word by slot, and the pairs and
#: first arcs of each head and side.
TABLES = 5
_RANK, _SLOT = tl.constexpr(1), tl.constexpr(2)
_GRANDCHILDREN, _GRAND_SIBLINGS, _HEADS = tl.constexpr(3), tl.constexpr(4), tl.constexpr(5)


@triton.jit
def slot_of(tables, h, m, size, GRAND: tl.constexpr, PRUNED: tl.constexpr):
    """Find the slot of h among the heads of m; -1 if it is not one."""
    if not GRAND:
        return h * 0
    elif PRUNED:  # what follows a return would be compiled, too
        return tl.load(tables + (_SLOT * size + h) * size + m)
    else:
        return h


@triton.jit
def head_at(tables, m, k, slots, size, GRAND: tl.constexpr, PRUNED: tl.constexpr):
    """Find the head of m in slot k; -1 if there is none."""
    if PRUNED and GRAND:
        return tl.load(tables + _HEADS * size * size + m * slots + k, k < slots, other=-1)
    else:
        return m * 0 + k


@triton.jit
def is_outside(g, h, k, m, n, GRAND: tl.constexpr):
    """Decide whether g, the head of h in slot k, is neither between h and m nor one of them."""
    if not GRAND:
        return (h >= 0) & (k < 1)
    else:
        outside = (g >= 0) & (g <= n) & ((g < tl.minimum(h, m)) | (g > tl.maximum(h, m)))
        return tl.where(h == 0, k == 0, outside)


# Where scores lie; -1 for those of parts that have not survived.


@triton.jit
def _arc(tables, h, m, size, here, PRUNED: tl.constexpr):
    if PRUNED:
        return tl.load(tables + h * size + m, here, other=-1)
    else:
        return h * size + m


@triton.jit
def _sibling(tables, h, s, m, slots, size, here, PRUNED: tl.constexpr):
    if PRUNED:
        square, others = size * size, here & (s != h)
        arc, inner = tl.load(tables + h * size + m, here, other=-1), tl.load(tables + h * size + s, others, other=0)
        rank = tl.load(tables + _RANK * square + h * size + m, here, other=0)
        slot = tl.where(s == h, 0, tl.load(tables + _RANK * square + h * size + s, others, other=0) + 1)
        start = tl.load(tables + _HEADS * square + size * slots + 2 * h + (m > h), here, other=0)
        return tl.where((arc >= 0) & (inner >= 0), start + rank * (rank + 1) // 2 + slot, -1)
    else:
        return (h * size + s) * size + m


@triton.jit
def _grandchild(tables, g, h, m, slots, size, here, PRUNED: tl.constexpr):
    if PRUNED:
        arc = tl.load(tables + h * size + m, here, other=-1)
        start = tl.load(tables + _GRANDCHILDREN * size * size + g * size + h, here & (g >= 0), other=-1)
        first = tl.load(tables + _HEADS * size * size + size * slots + 2 * size + h)
        return tl.where((arc >= 0) & (start >= 0), start + arc - first, -1)
    else:
        return (g * size + h) * size + m


@triton.jit
def _grand_sibling(tables, g, h, s, m, slots, size, here, PRUNED: tl.constexpr):
    pair = _sibling(tables, h, s, m, slots, size, here, PRUNED)
    if PRUNED:
        start = tl.load(tables + _GRAND_SIBLINGS * size * size + g * size + h, here & (g >= 0), other=-1)
        first = tl.load(tables + _HEADS * size * size + size * slots + 2 * h)
        return tl.where((pair >= 0) & (start >= 0), start + pair - first, -1)
    else:
        return g * size * size * size + pair


@triton.jit
def _taken(scores, place, here, REAL: tl.constexpr):
    return tl.load(scores + place, here & (place >= 0), other=-float("inf")).to(REAL)


@triton.jit
def more_of(
    scores, tables, g, h, s, m, slots, size, here, KINDS: tl.constexpr, PRUNED: tl.constexpr, REAL: tl.constexpr
):
    """Add up the scores of siblings (1) and grand-siblings (4), which depend on s."""
    x = tl.zeros_like(h).to(REAL)
    if PRUNED:
        x = tl.where(_sibling(tables, h, s, m, slots, size, here, PRUNED) >= 0, 0.0, -float("inf")).to(REAL)
    if KINDS & 1:
        x += _taken(scores[1], _sibling(tables, h, s, m, slots, size, here, PRUNED), here, REAL)
    if KINDS & 4:
        x += _taken(scores[3], _grand_sibling(tables, g, h, s, m, slots, size, here, PRUNED), here, REAL)
    return x


@triton.jit
def score_of(
    scores, tables, g, h, s, m, slots, size, here, KINDS: tl.constexpr, SINGLE: tl.constexpr, PRUNED: tl.constexpr,
    REAL: tl.constexpr,
):  # fmt: skip
    """Add up the scores of parts; a root with a modifier further inside is forbidden if it is to have a single one."""
    x = _taken(scores[0], _arc(tables, h, m, size, here, PRUNED), here, REAL)
    if KINDS & 2:
        x += _taken(scores[2], _grandchild(tables, g, h, m, slots, size, here, PRUNED), here, REAL)
    if KINDS & 5:
        x += more_of(scores, tables, g, h, s, m, slots, size, here, KINDS, PRUNED, REAL)
    if SINGLE:
        x = tl.where((h == 0) & (s != h), -float("inf"), x)
    return tl.where(here, x, -float("inf"))


@triton.jit
def _is_inside(h, s, m):
    """Decide whether s is between h and m, or stands for none."""
    return ((h < s) & (s < m)) | ((m < s) & (s < h)) | (s == h)


@triton.jit
def _exists(g, h, k, s, m, n, slots, GRAND: tl.constexpr):
    """Decide which parts of a tile the chart has."""
    return (
        _is_inside(h, s, m) & (m >= 1) & (m <= n) & (m != h) & (h <= n) & (k < slots) & is_outside(g, h, k, m, n, GRAND)
    )


@triton.jit
def _is_arc(tables, h, s, size, PRUNED: tl.constexpr):
    """Decide whether s may be a modifier of h, or is h itself, which stands for none."""
    return (s == h) | (tl.load(tables + h * size + s) >= 0) if PRUNED else s >= 0


@triton.jit
def fold(
    arc, sibling, grandchild, grand, n0, n1, n2, n3, tables, width, lengths, weights, peaks, size, slots,
    KINDS: tl.constexpr, SINGLE: tl.constexpr, GRAND: tl.constexpr, PRUNED: tl.constexpr, X: tl.constexpr,
    M: tl.constexpr,
):  # fmt: skip
    """Lay out the scores of the parts of one head, and find the largest for each modifier."""
    sentence, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    scores = arc + sentence * n0, sibling + sentence * n1, grandchild + sentence * n2, grand + sentence * n3
    tables += sentence * width
    weights += sentence * size * size * size * slots
    n = tl.load(lengths + sentence).to(tl.int32)
    x, m = tl.program_id(2) * X + tl.arange(0, X)[:, None], tl.arange(0, M)[None, :]
    h = x * 0 + head
    REAL: tl.constexpr = weights.dtype.element_ty
    k = x if GRAND else x * 0
    g = head_at(tables, h, k, slots, size, GRAND, PRUNED)
    most = tl.full([X, M], -float("inf"), REAL)
    # What does not depend on s is loaded once.
    every = (m >= 1) & (m <= n) & (m != h) & (h <= n) & (k < slots) & is_outside(g, h, k, m, n, GRAND)
    base = score_of(scores, tables, g, h, h, m, slots, size, every, KINDS & 2, False, PRUNED, REAL)
    for s in range(n + 1 if GRAND else 1):
        if _is_arc(tables, head, s, size, PRUNED and GRAND):
            second = s if GRAND else x
            here = _exists(g, h, k, second, m, n, slots, GRAND)
            score = base + more_of(scores, tables, g, h, second, m, slots, size, here, KINDS & 5, PRUNED, REAL)
            if SINGLE:
                score = tl.where((h == 0) & (second != h), -float("inf"), score)
            score = tl.where(here, score, -float("inf"))
            tl.store(weights + (h * size + m) * size * slots + second * slots + k, score, here)
            most = tl.maximum(most, score)
    word = tl.arange(0, M)
    row = (sentence * size + head) * tl.num_programs(2) + tl.program_id(2)
    tl.store(peaks + row * size + word, tl.max(most, axis=0), word < size)


@triton.jit
def unfold(
    arc, sibling, n0, n1, tables, width, lengths, weights, log_z, size, KINDS: tl.constexpr, GRAND: tl.constexpr,
    PRUNED: tl.constexpr, X: tl.constexpr, M: tl.constexpr,
):  # fmt: skip
    """Write the marginals of siblings, and add up those of arcs, for one head; zero for all others, unless PRUNED."""
    sentence, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    arc, sibling, tables = arc + sentence * n0, sibling + sentence * n1, tables + sentence * width
    weights += sentence * size * size * size
    n = tl.where(tl.load(log_z + sentence) > -float("inf"), tl.load(lengths + sentence).to(tl.int32), 0)
    s, m = tl.arange(0, X)[:, None], tl.arange(0, M)[None, :]
    h, one = s * 0 + head, tl.zeros([1, 1], tl.int32) + head
    here = _exists(h, h, s * 0, s, m, n, 1, False)
    chance = tl.load(weights + (h * size + m) * size + s, here, other=0.0)
    if KINDS & 1:
        fits = here if PRUNED else (m < size) & (s < size)
        place = _sibling(tables, h, s, m, 1, size, fits, PRUNED)
        tl.store(sibling + place, chance, fits & (place >= 0))
    fits = (m >= 1) & (m <= n) if PRUNED else m < size
    place = _arc(tables, one, m, size, fits, PRUNED)
    tl.store(arc + place, tl.sum(chance, axis=0)[None, :], fits & (place >= 0))


@triton.jit
def unfold_grand(
    grand, n3, tables, width, lengths, weights, log_z, size, slots, KINDS: tl.constexpr, GRAND: tl.constexpr,
    PRUNED: tl.constexpr, X: tl.constexpr, M: tl.constexpr,
):  # fmt: skip
    """Write the marginals of the grand-siblings of one head, X slots at once; zero for all others, unless PRUNED."""
    sentence, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    grand, tables = grand + sentence * n3, tables + sentence * width
    weights += sentence * size * size * size * slots
    n = tl.where(tl.load(log_z + sentence) > -float("inf"), tl.load(lengths + sentence).to(tl.int32), 0)
    k, m = tl.program_id(2) * X + tl.arange(0, X)[:, None], tl.arange(0, M)[None, :]
    h = k * 0 + head
    g = head_at(tables, h, k, slots, size, True, PRUNED)
    for s in range(size):
        if _is_arc(tables, head, s, size, PRUNED):
            here = _exists(g, h, k, s, m, n, slots, True)
            chance = tl.load(weights + (h * size + m) * size * slots + s * slots + k, here, other=0.0)
            place = _grand_sibling(tables, g, h, s, m, slots, size, here, PRUNED)
            fits = here if PRUNED else (m < size) & (k < size)
            tl.store(grand + place, chance, fits & (place >= 0))


@triton.jit
def unfold_rest(
    arc, sibling, grandchild, n0, n1, n2, tables, width, lengths, weights, spans, sound, log_z, size, slots,
    KINDS: tl.constexpr, GRAND: tl.constexpr, PRUNED: tl.constexpr, X: tl.constexpr, M: tl.constexpr,
):  # fmt: skip
    """Write the marginals of arcs, siblings and grandchildren of one head where there are grandparents.

    Charts leave those of grandchildren and siblings in their memory, here ``spans``, but for siblings without an s.
    """
    sentence, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    arc, sibling, grandchild = arc + sentence * n0, sibling + sentence * n1, grandchild + sentence * n2
    plane = size * size * slots
    tables, weights = tables + sentence * width, weights + sentence * size * plane
    spans += sentence * (plane * 6 + size)
    n = tl.where(tl.load(log_z + sentence) > -float("inf"), tl.load(lengths + sentence).to(tl.int32), 0)
    REAL: tl.constexpr = weights.dtype.element_ty
    m, k = tl.arange(0, M)[:, None], tl.arange(0, X)[None, :]
    h = k * 0 + head
    g = head_at(tables, h, k, slots, size, True, PRUNED)
    here = _exists(g, h, k, h, m, n, slots, True)
    chance = tl.load(spans + 5 * plane + (h * size + m) * slots + k, here, other=0.0)
    alone = tl.load(weights + ((h * size + m) * size + h) * slots + k, here, other=0.0)
    within = (m >= 1) & (m <= n) if PRUNED else m < size
    if KINDS & 2:
        fits = within & (k < slots) & (g >= 0)
        place = _grandchild(tables, g, h, m, slots, size, fits, PRUNED)
        tl.store(grandchild + place, chance.to(REAL), fits & (place >= 0))
    one = tl.zeros([1, 1], tl.int32) + head
    place = _arc(tables, one, m, size, within, PRUNED)
    tl.store(arc + place, tl.sum(chance, axis=1)[:, None].to(REAL), within & (place >= 0))
    if KINDS & 1:
        place = _sibling(tables, one, one, m, slots, size, within, PRUNED)
        tl.store(sibling + place, tl.sum(alone, axis=1)[:, None], within & (place >= 0))
        m, s = tl.arange(0, M)[None, :], tl.arange(0, M)[:, None]
        fits = (m <= n) & (m >= 1) & _is_inside(one, s, m) & (s != one) & (s >= 1) & (head <= n + m * 0)
        slot = slot_of(tables, one, tl.where(fits, m, 0), size, True, PRUNED)
        at, fits_slot = spans + (m * size + s) * slots + slot, fits & (slot >= 0)
        span, adjoint = tl.load(at + 2 * plane, fits_slot, other=0.0), tl.load(at + 4 * plane, fits_slot, other=0.0)
        plain = tl.load(sound + sentence) != 0
        chance = tl.where(plain, span * adjoint, tl.exp(tl.where(plain, 0.0, span + adjoint)))
        chance = tl.where(fits_slot, chance, 0.0)
        fits = fits if PRUNED else (m < size) & (s < size) & (s != one)
        place = _sibling(tables, one, s, m, slots, size, fits, PRUNED)
        tl.store(sibling + place, chance.to(REAL), fits & (place >= 0))
