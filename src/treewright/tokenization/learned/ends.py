"""Where sentences end: a decision at white space, and after the marks that may end a sentence without any.

The features are the words around that place, their shapes and the marks between them, what the rules say, how the
sentence began, how long it is, and what is open in it; decisions go from left to right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treewright.arrays import Mask, Places, Singles
from treewright.features.weights import Table
from treewright.kernels import inner_kernel, kernel
from treewright.tokenization.learned.scoring import judge, mix, mixed, total
from treewright.tokenization.learned.words import Words

if TYPE_CHECKING:
    import numpy.typing as npt

    from treewright.tokenization.learned.words import Shapes

__all__ = ["END_FEATURES", "scan_ends"]

#: The number of features of a decision.
END_FEATURES = 52

_ZERO = np.uint64(0)


@inner_kernel
def _bucket(count: int) -> np.uint64:
    """Round a length: 0 to 4 as they are, then ever more coarsely."""
    if count < 5:
        return np.uint64(max(count, 0))
    return np.uint64(5 if count < 7 else 6 if count < 10 else 7 if count < 15 else 8 if count < 25 else 9)


@inner_kernel
def _of(values: Shapes, t: int) -> np.uint64:
    return values[t] if 0 <= t < len(values) else _ZERO


@inner_kernel
def _features(
    x: Words,
    lower: npt.NDArray[np.uint32],
    rules: Mask,
    t: int,
    start: int,
    opened: int,
    quotes: int,
    before: np.uint64,
    f: npt.NDArray[np.uint64],
) -> None:
    """Hash the features of an end after word *t* of a sentence that began with word ``start``."""
    p = x.last[t]
    says = np.uint64(2 * rules[p] + (x.gap[t] > 0))
    core, trail, shape, mark, tail = x.core[t], x.trail[t], x.shape[t], x.mark[t], x.tail[t]
    core1, lead1, shape1, tail1, trail1 = x.core[t + 1], x.lead[t + 1], x.shape[t + 1], x.tail[t + 1], x.trail[t + 1]
    core2, shape2, shape3 = _of(x.core, t + 2), _of(x.shape, t + 2), _of(x.shape, t + 3)
    core0 = x.core[t - 1] if t > start else _ZERO
    shape0 = x.shape[t - 1] if t > start else _ZERO
    size = _bucket(t - start + 1)
    sure = mark * np.uint64(4) + says
    form1 = mix(core1, shape1 >> np.uint64(2))
    c1, c0 = np.uint64(lower[p - 1] if p else 0), np.uint64(lower[p])
    q = x.last[t + 1] if x.gap[t] == 0 else p + 2
    d0 = np.uint64(lower[p + 1] if x.gap[t] == 0 else lower[min(q, len(lower) - 1)])
    open_now = np.uint64(2 * (opened > 0) + (quotes & 1))
    f[0] = mixed(100, says, _ZERO)
    f[1] = mixed(101, sure, _ZERO)
    f[2] = mixed(102, sure, shape1)
    f[3] = mixed(103, trail, lead1)
    f[4] = mixed(104, mix(trail, lead1), shape1)
    f[5] = mixed(105, core, trail)
    f[6] = mixed(106, core, mix(trail, shape1))
    f[7] = mixed(107, form1, sure)
    f[8] = mixed(108, form1, trail)
    f[9] = mixed(109, core, core1)
    f[10] = mixed(110, core1, core2)
    f[11] = mixed(111, mix(core1, core2), sure)
    f[12] = mixed(112, core0, core)
    f[13] = mixed(113, mix(core0, core), shape1)
    f[14] = mixed(114, mix(shape, trail), mix(shape1, lead1))
    f[15] = mixed(115, mix(mix(shape, mark), shape1), shape2)
    f[16] = mixed(116, mix(mix(shape0, shape), mix(shape1, shape2)), sure)
    f[17] = mixed(117, mix(shape1, shape2), mix(shape3, sure))
    f[18] = mixed(118, tail, mix(shape1, mark))
    f[19] = mixed(119, tail1, sure)
    f[20] = mixed(120, size, mix(sure, shape1))
    f[21] = mixed(121, size, trail)
    f[22] = mixed(122, x.core[start], sure)
    f[23] = mixed(123, x.shape[start], mix(size, mix(shape1, sure)))
    f[24] = mixed(124, x.room[t], sure)
    f[25] = mixed(125, x.room[t], mix(shape1, mark))
    f[26] = mixed(126, x.ahead[t], mix(shape1, sure))
    f[27] = mixed(127, x.ahead[t], size)
    f[28] = mixed(128, open_now, sure)
    f[29] = mixed(129, open_now, mix(trail, lead1))
    f[30] = mixed(130, before, mix(sure, shape1))
    f[31] = mixed(131, before, size)
    f[32] = mixed(132, c0, mix(d0, says))
    f[33] = mixed(133, (c1 << np.uint64(21)) | c0, says)
    f[34] = mixed(134, core, says)
    f[35] = mixed(135, form1, says)
    f[36] = mixed(136, core2, mix(shape1, sure))
    f[37] = mixed(137, core, form1)
    f[38] = mixed(138, tail, tail1)
    f[39] = mixed(139, mix(core, trail), mix(form1, says))
    f[40] = mixed(140, shape, mix(shape1, sure))
    f[41] = mixed(141, mix(core1, trail1), sure)
    f[42] = mixed(142, shape1, mix(trail1, sure))
    f[43] = mixed(143, lead1, sure)
    f[44] = mixed(144, x.room[t], mix(size, sure))
    f[45] = mixed(145, core0, mix(sure, shape1))
    f[46] = mixed(146, mix(before, open_now), mix(x.ahead[t], shape1))
    f[47] = mixed(147, x.core[start], form1)
    f[48] = mixed(148, mix(shape0, shape), mix(shape1, trail))
    f[49] = mixed(149, tail, mix(trail, says))
    f[50] = mixed(150, mix(x.shape[start], shape), mix(shape1, mark))
    f[51] = mixed(151, mix(x.room[t], x.ahead[t]), mix(size, mix(shape1, mark)))


@kernel
def scan_ends(
    x: Words,
    lower: npt.NDArray[np.uint32],
    rules: Mask,
    first: int,
    last: int,
    weights: Table,
    shift: np.uint64,
    trust: float,
    threshold: float,
    gold: Mask,
    cost: float,
    ends: Mask,
    places: Places,
    values: Singles,
) -> tuple[int, int, float]:
    """Decide where sentences end among the words from ``first``, which begins one, to before ``last``.

    ``rules`` and ``ends`` say of each character whether a sentence ends after it; it does where the score is above the
    ``threshold``.  See `scan_cuts` for the rest.
    """
    f = np.empty(END_FEATURES, np.uint64)
    learns = len(gold) > 0
    tally = 0, 0, 0.0
    start, opened, quotes, before = first, 0, 0, _ZERO
    for t in range(first, last):
        opened += x.opened[t]
        quotes += x.quotes[t]
        p = x.last[t]
        if x.gap[t] == 2:
            end = True
        else:
            _features(x, lower, rules, t, start, opened, quotes, before, f)
            score = total(f, weights, shift) + (trust if rules[p] else -trust)
            end = score > threshold
            if learns:
                tally = judge(f, score, gold[p], cost, shift, places, values, tally)
                end = gold[p]
        ends[p] = end
        if end:
            start, opened, quotes, before = t + 1, 0, 0, x.mark[t] + np.uint64(1)
            if x.gap[t] == 2:
                before = _ZERO
    return tally
