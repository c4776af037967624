"""Where tokens end: a decision between any two characters without white space between them.

The features are characters, their kinds, what the rules say, the beginning and the rest of the chunk, and the token so
far and the one before it, so that decisions go from left to right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treewright.arrays import Mask, Places, Singles
from treewright.features.weights import Table
from treewright.kernels import inner_kernel, kernel
from treewright.tokenization.learned.alphabet import MARK, SPACES
from treewright.tokenization.learned.scoring import judge, mix, mixed, total

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["CUT_FEATURES", "Chunks", "scan_cuts", "suffixes"]

#: The number of features of a decision.
CUT_FEATURES = 44

_ZERO, _ONE, _END = np.uint64(0), np.uint64(1), np.uint64(0x5BD1E995)


class Chunks(NamedTuple):
    """A text, and what is known of it before tokens are cut."""

    lower: npt.NDArray[np.uint32]
    kinds: npt.NDArray[np.uint8]
    prior: npt.NDArray[np.uint8]  # of each character: twice the kind of the token of the rules, and one if it ends
    ends: Mask  # whether a sentence ends after the character
    rest: npt.NDArray[np.uint64]  # of each character: a hash of the chunk from there on


@kernel
def suffixes(lower: npt.NDArray[np.uint32], kinds: npt.NDArray[np.uint8], ends: Mask) -> npt.NDArray[np.uint64]:
    """Hash the rest of the chunk from each character on, and whether a sentence ends with it."""
    rest = np.zeros(len(lower), np.uint64)
    hashed = _ZERO
    for i in range(len(lower) - 1, -1, -1):
        if kinds[i] == SPACES:
            hashed = _ZERO
            continue
        if ends[i]:
            hashed = _END
        hashed = mix(hashed, np.uint64(lower[i]))
        rest[i] = hashed
    return rest


@inner_kernel
def _at(values: npt.NDArray[Any], i: int) -> np.uint64:
    return np.uint64(values[i]) if 0 <= i < len(values) else _ZERO


@inner_kernel
def _features(
    x: Chunks, i: int, prefix: np.uint64, token: np.uint64, size: int, before: np.uint64, f: npt.NDArray[np.uint64]
) -> None:
    """Hash the features of a cut after character *i*."""
    a3, a2, a1, a0 = _at(x.lower, i - 3), _at(x.lower, i - 2), _at(x.lower, i - 1), _at(x.lower, i)
    b0, b1, b2, b3 = _at(x.lower, i + 1), _at(x.lower, i + 2), _at(x.lower, i + 3), _at(x.lower, i + 4)
    ka2, ka1, ka0 = _at(x.kinds, i - 2), _at(x.kinds, i - 1), _at(x.kinds, i)
    kb0, kb1, kb2 = _at(x.kinds, i + 1), _at(x.kinds, i + 2), _at(x.kinds, i + 3)
    rule = np.uint64(x.prior[i]) * np.uint64(64) + np.uint64(x.prior[i + 1])
    says = np.uint64(x.prior[i]) & _ONE
    b = np.uint64(21)  # a character has at most so many bits
    pair, kinds = (a0 << b) | b0, ka0 * np.uint64(32) + kb0
    left, right = (a1 << b) | a0, (b0 << b) | b1
    kinds4 = (ka1 * np.uint64(32) + kb1) * np.uint64(1024) + kinds
    kinds6 = (ka2 * np.uint64(32) + kb2) * np.uint64(1 << 20) + kinds4
    after = x.rest[i + 1]
    shown = np.uint64(min(size, 6))
    f[0] = mixed(0, rule, _ZERO)
    f[1] = mixed(1, rule, kinds)
    f[2] = mixed(2, pair, _ZERO)
    f[3] = mixed(3, pair, rule)
    f[4] = mixed(4, left, b0)
    f[5] = mixed(5, a0, right)
    f[6] = mixed(6, left, right)
    f[7] = mixed(7, (a2 << b) | a1, pair)
    f[8] = mixed(8, pair, (b1 << b) | b2)
    f[9] = mixed(9, kinds4, says)
    f[10] = mixed(10, kinds6, says)
    f[11] = mixed(11, a0, kb0 * np.uint64(2) + says)
    f[12] = mixed(12, b0, ka0 * np.uint64(2) + says)
    f[13] = mixed(13, prefix, kb0)
    f[14] = mixed(14, after, ka0)
    f[15] = mixed(15, prefix, after)
    f[16] = mixed(16, token, kb0)
    f[17] = mixed(17, token, b0)
    f[18] = mixed(18, token, right)
    f[19] = mixed(19, token, after)
    f[20] = mixed(20, shown, kinds4)
    f[21] = mixed(21, before, token)
    f[22] = mixed(22, mix(before, token), b0)
    f[23] = mixed(23, a0, _ZERO)
    f[24] = mixed(24, b0, _ZERO)
    f[25] = mixed(25, a1, _ZERO)
    f[26] = mixed(26, b1, _ZERO)
    f[27] = mixed(27, left, _ZERO)
    f[28] = mixed(28, right, _ZERO)
    f[29] = mixed(29, a2, left)
    f[30] = mixed(30, right, b2)
    f[31] = mixed(31, (a2 << b) | a1, kinds)
    f[32] = mixed(32, (b1 << b) | b2, kinds)
    f[33] = mixed(33, (a3 << b) | a2, left)
    f[34] = mixed(34, right, (b2 << b) | b3)
    f[35] = mixed(35, mix(left, right), (a2 << b) | b2)
    f[36] = mixed(36, mix(left, right), a2)
    f[37] = mixed(37, mix(left, right), b2)
    f[38] = mixed(38, token, kinds4)
    f[39] = mixed(39, kinds, says)
    f[40] = mixed(40, shown, rule)
    f[41] = mixed(41, right, kinds4)
    f[42] = mixed(42, left, kinds4)
    f[43] = mixed(43, mix(pair, a1), kinds6)


@kernel
def scan_cuts(
    x: Chunks,
    first: int,
    last: int,
    weights: Table,
    shift: np.uint64,
    trust: float,
    protected: int,
    gold: Mask,
    cost: float,
    cuts: Mask,
    places: Places,
    values: Singles,
) -> tuple[int, int, float]:
    """Decide where tokens end among the characters from ``first`` to before ``last``.

    What the rules say counts ``trust``, and kinds of tokens whose bit is set in ``protected`` are as they have them.
    If ``gold`` has the answers, the decisions before are those, and wrong decisions, or right ones by less than
    ``cost``, are noted in ``places`` and ``values``: see `judge`.
    """
    f = np.empty(CUT_FEATURES, np.uint64)
    learns = len(gold) > 0
    tally = 0, 0, 0.0
    prefix, token, before, size = _ZERO, _ZERO, _ZERO, 0
    for i in range(first, last):
        if x.kinds[i] == SPACES:
            prefix, token, size = _ZERO, _ZERO, 0
            continue
        prefix, token, size = mix(prefix, np.uint64(x.lower[i])), mix(token, np.uint64(x.lower[i])), size + 1
        if i + 1 == len(x.lower) or x.kinds[i + 1] == SPACES or x.ends[i]:
            cut = True
        elif x.kinds[i + 1] == MARK:
            cut = False
        elif ((protected >> (x.prior[i] >> 1)) | (protected >> (x.prior[i + 1] >> 1))) & 1:
            cut = (x.prior[i] & 1) == 1
        else:
            _features(x, i, prefix, token, size, before, f)
            score = total(f, weights, shift) + (trust if x.prior[i] & 1 else -trust)
            cut = score > 0
            if learns:
                tally = judge(f, score, gold[i], cost, shift, places, values, tally)
                cut = gold[i]
        cuts[i] = cut
        if cut:
            before, token, size = token, _ZERO, 0
    return tally
