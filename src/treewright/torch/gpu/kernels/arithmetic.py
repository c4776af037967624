"""Products and sums of nonnegative numbers, written as they are or, with LOG, as logarithms."""

from __future__ import annotations

import triton
import triton.language as tl

__all__ = ["add", "plus", "times"]


@triton.jit
def times(x, y, LOG: tl.constexpr):
    """Multiply."""
    return x + y if LOG else x * y


@triton.jit
def plus(x, y, LOG: tl.constexpr):
    """Add."""
    if not LOG:
        return x + y
    most = tl.maximum(x, y)
    safe = tl.where(most > -float("inf"), most, 0.0)
    return tl.where(most > -float("inf"), safe + tl.log(tl.exp(x - safe) + tl.exp(y - safe)), most)


@triton.jit
def add(most, total, x, LOG: tl.constexpr):
    """Add to what each thread has: its total or, of logarithms, the largest and the total relative to it."""
    if LOG:
        above = tl.maximum(most, x)
        base = tl.where(above > -float("inf"), above, 0.0)
        return above, total * tl.exp(most - base) + tl.exp(x - base)
    return most, total + x
