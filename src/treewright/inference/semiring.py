"""How alternatives combine: the primitive that the rules of every factorization are specialised by.

A chart is filled by contracting two contiguous rows of it, one sum over split points for each item, because
that (and not a pairwise plus) is what vectorises.  A :class:`Semiring` says what the contraction is; the
rules are plain functions closed over it (Goodman 1999, *Semiring Parsing*).

The members of a semiring are ``register_jitable`` functions and not compiled kernels: Numba tells cached
closures apart by pickling what they close over, and a compiled kernel pickles differently in every process,
so that its closures would be compiled anew each time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic, register_jitable

from treewright.kernels import FAST_MATH

__all__ = ["MAX_PLUS", "Semiring", "larger"]

Row = npt.NDArray[np.float64]


@intrinsic
def _maximum(typing_context: Any, a: Any, b: Any) -> Any:
    if a != b or not isinstance(a, numba.types.Float):
        return None

    def generate(context: Any, builder: Any, types: Any, arguments: Any) -> Any:
        kind = arguments[0].type
        name = "llvm.maxnum.f64" if isinstance(kind, ir.DoubleType) else "llvm.maxnum.f32"
        signature = ir.FunctionType(kind, [kind, kind])  # type: ignore[no-untyped-call]
        maximum = cgutils.get_or_insert_function(builder.module, signature, name)  # type: ignore[no-untyped-call]
        return builder.call(maximum, arguments, fastmath=("nnan", "nsz"))

    return a(a, b), generate


#: The larger of two floats of one type, neither of them NaN; only for use in kernels.  There, ``max`` and
#: ``if`` become a comparison and a branch, which LLVM does not take for a reduction; its own maximum makes
#: the same loop five times faster.
larger: Any = _maximum


@dataclass(frozen=True)
class Semiring:
    """What a chart holds: the two neutral elements and the two operations, the first on whole rows.

    Attributes
    ----------
    zero, one : float
        The value of no alternative at all, and of an empty span.
    times : function of two floats
        The value of two parts together.
    contract : function ``(left, i, right, j, length)``
        The sum over ``k < length`` of ``left[i + k]`` times ``right[j + k]``.
    """

    zero: float
    one: float
    times: Callable[[float, float], float]
    contract: Callable[[Row, int, Row, int, int], float]


@register_jitable(fastmath=FAST_MATH)
def _add(a: float, b: float) -> float:
    return a + b


@register_jitable(fastmath=FAST_MATH)
def _best_sum(left: Row, i: int, right: Row, j: int, length: int) -> float:
    best = -np.inf
    for k in range(length):
        # Unsigned, because an index that may be negative keeps the loop from vectorising.
        best = larger(best, left[np.uintp(i + k)] + right[np.uintp(j + k)])
    return best


#: Scores add along a tree, and the best of the alternatives counts; minus infinity is what is forbidden.
MAX_PLUS = Semiring(zero=-np.inf, one=0.0, times=_add, contract=_best_sum)
