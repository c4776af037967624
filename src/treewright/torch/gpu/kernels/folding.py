"""Kernels from scores to the parts of a program, and from the probabilities of its parts to marginals.

A part of a program adds up the scores of an arc, a sibling, a grandchild and so on, one of each kind (or two); its
probability counts for each of them (see `treewright.inference.charts.folding`).
"""

from __future__ import annotations

import triton
import triton.language as tl

from treewright.torch.gpu.tables import FIELDS

__all__ = ["find_tops", "fold", "unfold"]

_BY_WORD, _WORDS, _N = tl.constexpr(FIELDS["by_word"]), tl.constexpr(FIELDS["words"]), tl.constexpr(FIELDS["n"])
_MODIFIER, _FOLD = tl.constexpr(FIELDS["modifier"]), tl.constexpr(FIELDS["fold_arc"])
_PARTS, _PER_KIND = tl.constexpr(FIELDS["parts"]), tl.constexpr(FIELDS["fold_sibling"] - FIELDS["fold_arc"])


@triton.jit
def _taken(scores, stride, numbers, field, sentence, part, inside, KIND: tl.constexpr):
    """Take the scores of a kind that parts add up."""
    one = tl.load(numbers + tl.load(field + _FOLD + _PER_KIND * KIND) + part, inside, other=-1)
    second = tl.load(field + _FOLD + _PER_KIND * KIND + 1)
    other = tl.load(numbers + second + part, inside & (second + part >= part), other=-1)
    here = scores + sentence * stride
    x = tl.load(here + one, one >= 0, other=0.0).to(tl.float64) + tl.load(here + other, other >= 0, other=0.0)
    return tl.where(one == -2, -float("inf"), x)


@triton.jit
def _folded(
    numbers, field, sentence, part, inside, s0, s1, s2, s3, s4, s5, n0, n1, n2, n3, n4, n5, KINDS: tl.constexpr
):
    """Add up the scores of parts; KINDS has a bit for each kind that is scored."""
    x = _taken(s0, n0, numbers, field, sentence, part, inside, 0)
    if KINDS & 2:
        x += _taken(s1, n1, numbers, field, sentence, part, inside, 1)
    if KINDS & 4:
        x += _taken(s2, n2, numbers, field, sentence, part, inside, 2)
    if KINDS & 8:
        x += _taken(s3, n3, numbers, field, sentence, part, inside, 3)
    if KINDS & 16:
        x += _taken(s4, n4, numbers, field, sentence, part, inside, 4)
    if KINDS & 32:
        x += _taken(s5, n5, numbers, field, sentence, part, inside, 5)
    return x


@triton.jit
def find_tops(
    numbers, fields, s0, s1, s2, s3, s4, s5, n0, n1, n2, n3, n4, n5, top, words,
    WIDTH: tl.constexpr, KINDS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Find the largest part of each word, and in place of the root that of parts without a word."""
    sentence, word = tl.program_id(0).to(tl.int64), tl.program_id(1)
    field = fields + sentence * WIDTH
    ranges = numbers + tl.load(field + _WORDS) + word
    n = tl.load(field + _N)
    start, end = tl.load(ranges, word <= n, other=0), tl.load(ranges + 1, word <= n, other=0)
    most = tl.full([BLOCK], -float("inf"), tl.float64)
    for first in range(start, end, BLOCK):
        place = first + tl.arange(0, BLOCK)
        inside = place < end
        part = tl.load(numbers + tl.load(field + _BY_WORD) + place, inside, other=0)
        x = _folded(numbers, field, sentence, part, inside, s0, s1, s2, s3, s4, s5, n0, n1, n2, n3, n4, n5, KINDS)
        most = tl.maximum(most, tl.where(inside, x, -float("inf")))
    tl.store(top + sentence * words + word, tl.max(most, axis=0))


@triton.jit
def fold(
    numbers, fields, s0, s1, s2, s3, s4, s5, n0, n1, n2, n3, n4, n5, top, words, sound, out, parts,
    WIDTH: tl.constexpr, KINDS: tl.constexpr, SHIFTED: tl.constexpr, EXP: tl.constexpr, ONLY_UNSOUND: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Write down the parts of a program; SHIFTED less the largest of their word, EXP as weights."""
    sentence = tl.program_id(0).to(tl.int64)
    field = fields + sentence * WIDTH
    end = tl.load(field + _PARTS)
    if ONLY_UNSOUND:
        end = tl.where(tl.load(sound + sentence) != 0, 0, end)
    part = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = part < end
    x = _folded(numbers, field, sentence, part, inside, s0, s1, s2, s3, s4, s5, n0, n1, n2, n3, n4, n5, KINDS)
    if SHIFTED:
        word = tl.load(numbers + tl.load(field + _MODIFIER) + part, inside, other=0)
        most = tl.load(top + sentence * words + word, inside & (word > 0), other=0.0)
        x -= tl.where(most > -float("inf"), most, 0.0)
    if EXP:
        x = tl.exp(x.to(out.dtype.element_ty))
    tl.store(out + sentence * parts + part, x.to(out.dtype.element_ty), inside)


@triton.jit
def unfold(
    numbers, fields, marginal, parts, out, scores, STARTS: tl.constexpr, WIDTH: tl.constexpr, E: tl.constexpr,
    U: tl.constexpr,
):  # fmt: skip
    """Add up the probabilities of the parts that have each score."""
    sentence = tl.program_id(0).to(tl.int64)
    field = fields + sentence * WIDTH
    score = tl.program_id(1) * E + tl.arange(0, E)
    inside = score < scores
    starts = numbers + tl.load(field + STARTS) + score
    start, end = tl.load(starts, inside, other=0), tl.load(starts + 1, inside, other=0)
    users = numbers + tl.load(field + STARTS + 1)
    total = tl.zeros([E], marginal.dtype.element_ty)
    for u0 in range(0, tl.max(end - start, axis=0), U):
        u = start[:, None] + u0 + tl.arange(0, U)[None, :]
        here = u < end[:, None]
        part = tl.load(users + u, here, other=0)
        total += tl.sum(tl.load(marginal + sentence * parts + part, here, other=0.0), axis=1)
    tl.store(out + sentence * scores + score, total, inside)
