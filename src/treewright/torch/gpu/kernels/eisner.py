"""Arcs of projective trees, by Eisner's algorithm: one block a sentence, indices computed instead of loaded.

The table of this program (`treewright.torch.gpu.hypergraphs`) answers every question, too; but its levels are short, so
that looking up where their rows lie takes most of the time.  Hence this second text, for sums alone.  The items are
those of `treewright.inference.charts.eisner`, for spans i…j of width d, in two steps for each width::

    S(i, j)  = Σ_r  R(i, r) · L(r + 1, j)        I(i, j) = S(i, j) · w(i, j)     J(i, j) = S(i, j) · w(j, i)
    R(i, j)  = Σ_r  I(i, r) · R(r, j)            L(i, j) = Σ_r  L(i, r) · J(r, j)

R is headed by i and L by j, complete; I and J are the same, incomplete.  Going back, their adjoints are *pulled*: each
is a sum over the larger spans that use it, those that begin before i and those that end after j::

    dR(i, j) = Σ_p  dR(p, j) · I(p, i)  +  Σ_q  dS(i, q) · L(j + 1, q)
    dL(i, j) = Σ_p  dS(p, j) · R(p, i - 1)  +  Σ_q  dL(i, q) · J(j, q)
    dI(i, j) = Σ_q  dR(i, q) · R(j, q)           dJ(i, j) = Σ_p  dL(p, j) · L(p, i)
    dS(i, j) = dI(i, j) · w(i, j) + dJ(i, j) · w(j, i)

All of these are contractions of two rows, because every item is kept twice, by its first word and by its last; and p
and q together are one row of n - d numbers.  With a single root, Z = Σ_r L(1, r) · w(0, r) · R(r, n); otherwise
Z = R(0, n).
"""

from __future__ import annotations

import triton
import triton.language as tl

from treewright.torch.gpu.kernels.arithmetic import add, plus, times

__all__ = ["ARRAYS", "inside_outside"]

#: Square arrays of working memory for each sentence.
ARRAYS = 9

# Which of them is what; those with ``_END`` are kept by the last word, all others by the first.  Above the diagonal of
# an array, where the first word is the row, and below it, where the last is, there are different items.
_R, _L_END, _L, _R_END = tl.constexpr(1), tl.constexpr(1), tl.constexpr(2), tl.constexpr(2)
_I, _J_END, _J, _I_END = tl.constexpr(3), tl.constexpr(3), tl.constexpr(4), tl.constexpr(4)
_S, _DS, _DS_END = tl.constexpr(5), tl.constexpr(6), tl.constexpr(6)
_DR, _DL_END, _DL, _DR_END = tl.constexpr(7), tl.constexpr(7), tl.constexpr(8), tl.constexpr(8)

#: Neighbouring threads that share a span.  Each adds up what it can alone, because adding across threads is slow.
_K = tl.constexpr(8)


@triton.jit
def _all(most, total, LOG: tl.constexpr):
    """Add up what the threads of each span have."""
    if LOG:
        above = tl.max(most, axis=1)
        base = tl.where(above > -float("inf"), above, 0.0)
        return base + tl.log(tl.sum(total * tl.exp(most - base[:, None]), axis=1))
    return tl.sum(total, axis=1)


@triton.jit
def _nothing(SPANS: tl.constexpr, REAL: tl.constexpr, LOG: tl.constexpr):
    """Return what to begin with."""
    return tl.full([SPANS, _K], -float("inf") if LOG else 0.0, REAL), tl.zeros([SPANS, _K], REAL)


@triton.jit
def _contract(w, x, y, first, last, longest, SPANS: tl.constexpr, U: tl.constexpr, LOG: tl.constexpr):
    """Compute Σ_k w[x + k] · w[y + k] for first ≤ k < last, of which there are at most ``longest``."""
    zero = -float("inf") if LOG else 0.0
    most, total = _nothing(SPANS, w.dtype.element_ty, LOG)
    for start in range(0, longest, _K * U):
        for u in tl.static_range(U):
            k = first[:, None] + start + u * _K + tl.arange(0, _K)[None, :]
            inside = k < last[:, None]
            one = tl.load(w + x[:, None] + k, inside, other=zero)
            most, total = add(most, total, times(one, tl.load(w + y[:, None] + k, inside, other=zero), LOG), LOG)
    return _all(most, total, LOG)


@triton.jit
def _pairs(w, is_before, x_before, x_after, y_before, y_after, p, inside, LOG: tl.constexpr):
    """Load numbers of two rows: some of the spans that begin before, others of those that end after."""
    zero = -float("inf") if LOG else 0.0
    x = tl.where(is_before, x_before[:, None], x_after[:, None]) + p
    y = tl.where(is_before, y_before[:, None], y_after[:, None]) + p
    return tl.load(w + x, inside, other=zero), tl.load(w + y, inside, other=zero)


@triton.jit
def _store(w, square, FIRST: tl.constexpr, LAST: tl.constexpr, i, j, size, x, here):
    """Store items, by their first word and by their last."""
    tl.store(w + square * FIRST + i * size + j, x, here)
    tl.store(w + square * LAST + j * size + i, x, here)


@triton.jit
def _inside(w, square, size, n, low, first, last, SPANS: tl.constexpr, U: tl.constexpr, LOG: tl.constexpr):
    """Fill in the spans of some widths, SPANS of them and U · _K of their alternatives at once."""
    zero = -float("inf") if LOG else 0.0
    for d in range(first, tl.minimum(last, n - low) + 1):
        for start in range(low, n - d + 1, SPANS):
            i = start + tl.arange(0, SPANS)
            j, here = i + d, i + d <= n
            at_i, at_j, end = i * size, j * size, tl.where(here, j, i)
            right = tl.load(w + at_i + j, here, other=zero)
            left = tl.load(w + at_j + i, here, other=zero)
            s = _contract(w, square * _R + at_i, square * _L_END + 1 + at_j, i, end, d, SPANS, U, LOG)
            tl.store(w + square * _S + at_i + j, s, here)
            _store(w, square, _I, _I_END, i, j, size, times(s, right, LOG), here)
            _store(w, square, _J, _J_END, i, j, size, times(s, left, LOG), here)
        tl.debug_barrier()
        for start in range(low, n - d + 1, SPANS):
            i = start + tl.arange(0, SPANS)
            j, here = i + d, i + d <= n
            at_i, at_j, end = i * size, j * size, tl.where(here, j, i)
            r = _contract(w, square * _I + at_i, square * _R_END + at_j, i + 1, end + 1, d, SPANS, U, LOG)
            l = _contract(w, square * _L + at_i, square * _J_END + at_j, i, end, d, SPANS, U, LOG)
            _store(w, square, _R, _R_END, i, j, size, r, here)
            _store(w, square, _L, _L_END, i, j, size, l, here)
        tl.debug_barrier()


@triton.jit
def _outside(
    w, square, size, n, low, first, last, scale, marginal, SPANS: tl.constexpr, U: tl.constexpr, SINGLE: tl.constexpr,
    LOG: tl.constexpr,
):  # fmt: skip
    """Find the adjoints of spans and the marginals of arcs, where ``first`` to ``last`` words are outside."""
    zero = -float("inf") if LOG else 0.0
    for others in range(first, tl.minimum(last, n - low - 1) + 1):
        d = n - low - others
        for start in range(low, n - d + 1, SPANS):
            i = start + tl.arange(0, SPANS)
            j, here = i + d, i + d <= n
            at_i, at_j = i * size, j * size
            r_most, r = _nothing(SPANS, w.dtype.element_ty, LOG)
            l_most, l = _nothing(SPANS, w.dtype.element_ty, LOG)
            for k0 in range(0, others, _K * U):
                for u in tl.static_range(U):
                    k = k0 + u * _K + tl.arange(0, _K)[None, :]
                    p, inside = low + k, here[:, None] & (k < others)
                    before = p < i[:, None]
                    p = tl.where(before, p, p + d + 1)
                    x, y = _pairs(
                        w, before, square * _DR_END + at_j, square * _DS + at_i,
                        square * _I_END + at_i, square * _L + size + at_j, p, inside, LOG,
                    )  # fmt: skip
                    r_most, r = add(r_most, r, times(x, y, LOG), LOG)
                    x, y = _pairs(
                        w, before, square * _DS_END + at_j, square * _DL + at_i,
                        square * _R_END - size + at_i, square * _J + at_j, p, inside, LOG,
                    )  # fmt: skip
                    l_most, l = add(l_most, l, times(x, y, LOG), LOG)
            dr, dl = _all(r_most, r, LOG), _all(l_most, l, LOG)
            if SINGLE:  # what the goal passes on waits where it is to be added
                dr = plus(dr, tl.load(w + square * _DR_END + n * size + i, here & (j == n), other=zero), LOG)
                dl = plus(dl, tl.load(w + square * _DL + size + j, here & (i == 1), other=zero), LOG)
            else:
                dr = plus(dr, tl.where((i == 0) & (j == n), scale, zero), LOG)
            _store(w, square, _DR, _DR_END, i, j, size, dr, here)
            _store(w, square, _DL, _DL_END, i, j, size, dl, here)
        tl.debug_barrier()
        for start in range(low, n - d + 1, SPANS):
            i = start + tl.arange(0, SPANS)
            j, here = i + d, i + d <= n
            at_i, at_j = i * size, j * size
            right = tl.load(w + at_i + j, here, other=zero)
            left = tl.load(w + at_j + i, here, other=zero)
            s = tl.load(w + square * _S + at_i + j, here, other=zero)
            r_most, r = _nothing(SPANS, w.dtype.element_ty, LOG)
            l_most, l = _nothing(SPANS, w.dtype.element_ty, LOG)
            for k0 in range(0, others + 2, _K * U):
                for u in tl.static_range(U):
                    k = k0 + u * _K + tl.arange(0, _K)[None, :]
                    p, inside = low + k, here[:, None] & (k < others + 2)
                    before = p <= i[:, None]
                    p = tl.where(before, p, p + d - 1)
                    x, y = _pairs(
                        w, before, square * _DL_END + at_j, square * _DR + at_i,
                        square * _L_END + at_i, square * _R + at_j, p, inside, LOG,
                    )  # fmt: skip
                    r_most, r = add(r_most, r, times(tl.where(before, zero, x), y, LOG), LOG)
                    l_most, l = add(l_most, l, times(tl.where(before, x, zero), y, LOG), LOG)
            dr, dl = times(_all(r_most, r, LOG), right, LOG), times(_all(l_most, l, LOG), left, LOG)
            _store(w, square, _DS, _DS_END, i, j, size, plus(dr, dl, LOG), here)
            dr, dl = times(dr, s, LOG), times(dl, s, LOG)
            if LOG:
                dr, dl = tl.exp(dr), tl.exp(dl)
            tl.store(marginal + at_i + j, dr.to(marginal.dtype.element_ty), here)
            tl.store(marginal + at_j + i, dl.to(marginal.dtype.element_ty), here & (i > 0))
        tl.debug_barrier()


@triton.jit
def inside_outside(
    scores, lengths, log_z, sound, marginal, memory, size, smallest, largest,
    SQUARE: tl.constexpr, ROWS: tl.constexpr, SINGLE: tl.constexpr, BACK: tl.constexpr, LOG: tl.constexpr,
):  # fmt: skip
    """Compute log Z and, with BACK, the marginals of one sentence.

    Weights say whether their answer is ``sound``, which is when the total is between two numbers; logarithms are then
    computed for those that are not.  ``marginal`` holds zeros, and ``memory`` is of the type that is computed with.
    SQUARE is a power of two that is no smaller than ``size``; ROWS rows of scores are worked on at once.
    """
    sentence = tl.program_id(0).to(tl.int64)
    square = size * size
    REAL: tl.constexpr = memory.dtype.element_ty
    one, zero = 0.0 if LOG else 1.0, -float("inf") if LOG else 0.0
    scores += sentence * square
    marginal += sentence * square
    w = memory + sentence * square * 9
    n = tl.load(lengths + sentence).to(tl.int32)
    if LOG:
        n = tl.where(tl.load(sound + sentence) != 0, 0, n)
    low = 1 if SINGLE else 0

    # The weights of arcs, with the largest into each word one.
    m = tl.arange(0, SQUARE)[None, :]
    most = tl.full([SQUARE], -float("inf"), REAL)
    for start in range(0, n + 1, ROWS):
        h = start + tl.arange(0, ROWS)[:, None]
        exists = (h <= n) & (m >= 1) & (m <= n) & (h != m)
        most = tl.maximum(most, tl.max(tl.load(scores + h * size + m, exists, other=-float("inf")).to(REAL), axis=0))
    most = tl.where(most > -float("inf"), most, 0.0)
    for start in range(0, n + 1, ROWS):
        h = start + tl.arange(0, ROWS)[:, None]
        exists = (h <= n) & (m >= 1) & (m <= n) & (h != m)
        arc = tl.load(scores + h * size + m, exists, other=-float("inf")).to(REAL) - most[None, :]
        tl.store(w + h * size + m, arc if LOG else tl.exp(arc), (h <= n) & (m <= n))
    shift = tl.sum(most.to(tl.float64), axis=0)
    word = tl.arange(0, SQUARE)
    ones, words = tl.full([SQUARE], one, REAL), (word >= low) & (word <= n)
    _store(w, square, _R, _R_END, word, word, size, ones, words)
    _store(w, square, _L, _L_END, word, word, size, ones, words)
    tl.debug_barrier()

    # Narrow spans are many with few alternatives, and wide ones few with many.
    _inside(w, square, size, n, low, 1, 8, 64, 1, LOG)
    _inside(w, square, size, n, low, 9, 17, 64, 2, LOG)
    _inside(w, square, size, n, low, 18, n, 32, 4, LOG)

    words = (word >= 1) & (word <= n)
    before = tl.load(w + square * _L + size + word, words, other=zero)
    root = tl.load(w + word, words, other=zero)
    after = tl.load(w + square * _R_END + n * size + word, words, other=zero)
    goal = times(times(before, root, LOG), after, LOG)
    total = tl.load(w + square * _R + n, n > 0, other=zero).to(tl.float64)
    if LOG:
        if SINGLE:
            above = tl.max(goal, axis=0)
            base = tl.where(above > -float("inf"), above, 0.0)
            total = base + tl.log(tl.sum(tl.exp(goal - base), axis=0))
        fits = (total > -float("inf")) & (n > 0)
        tl.store(log_z + sentence, tl.where(fits, shift + total, -float("inf")), n > 0)
        scale = tl.where(fits, -total, 0.0)
    else:
        if SINGLE:
            total = tl.sum(goal.to(tl.float64), axis=0)
        fits = (total > smallest) & (total < largest)
        tl.store(sound + sentence, fits.to(tl.int32))
        tl.store(log_z + sentence, shift + tl.log(tl.where(fits, total, 1.0)))
        scale = (1.0 / tl.where(fits, total, 1.0)).to(REAL)
    if BACK:
        if SINGLE:
            tl.store(w + square * _DR_END + n * size + word, times(times(before, root, LOG), scale, LOG), words)
            tl.store(w + square * _DL + size + word, times(times(root, after, LOG), scale, LOG), words)
            of_root = times(goal, scale, LOG)
            of_root = tl.where(fits, tl.exp(of_root) if LOG else of_root, 0.0)
            tl.store(marginal + word, of_root.to(marginal.dtype.element_ty), words)
        tl.debug_barrier()
        n = tl.where(fits, n, low)
        _outside(w, square, size, n, low, 0, 14, scale, marginal, 32, 2, SINGLE, LOG)
        _outside(w, square, size, n, low, 15, 31, scale, marginal, 32, 4, SINGLE, LOG)
        _outside(w, square, size, n, low, 32, n, scale, marginal, 64, 4, SINGLE, LOG)
