r"""How the marginals of `treewright.inference.spanning.matrix_tree` change as scores move along a direction.

Each number x there, a weight w, a sum s or a derivative d, moves by x' = x · r(x), where r is its *rate*, an ordinary
number of either sign, even where x is so small that only its logarithm can be written down.  The rate of a product is
the sum of rates, and that of a sum is their mean, each weighted with its share of the sum, so that nothing is lost
as long as nothing is subtracted.  With v(h, m) for the direction, and for the words k from the last to the first::

    r(s(k))    = sum over h of w(h, k) / s(k) · r(w(h, k))
    r(w(h, i)) = mean of v(h, i) and of r(w(k, i)) + r(w(h, k)) - r(s(k)) over all k left out before h and i

and back, for the words k from the first to the last::

    r(d(k, i)) = mean of r(d(h, i)) + r(w(h, k)) - r(s(k)) over h
    r(d(h, k)) = mean of r(d(h, i)) + r(w(k, i)) - r(s(k)) over i, and of what becomes of the last term

which moves by - (sum over i of w(k, i) · d(k, i) · (r(w(k, i)) + r(d(k, i)))) / s(k) - r(s(k)) · (itself).  The numbers
are those that are left at the end, which is all that elimination keeps; a share of a sum is one of its final value.  A
marginal w(h, m) · d(h, m) moves by itself times v(h, m) + r(d(h, m)).  The second of these is how much the rest of a
tree with the arc is expected to move beyond all trees, no more than 2n times the largest direction; so where
subtraction has left nothing but rounding of d, its rate is kept within that.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treewright.arrays import Floats
from treewright.inference.spanning.arithmetic import LOGARITHMIC, PLAIN, Arithmetic
from treewright.inference.spanning.matrix_tree import (
    Words,
    derive,
    derive_logs,
    eliminate,
    eliminate_logs,
    largest_into,
    log_weights,
)
from treewright.kernels import kernel

__all__ = ["matrix_tree_tangents"]

#: A number that is smaller is no longer divided by; what it stands for has no probability.
TINY = 1e-290


def _rates(arithmetic: Arithmetic) -> Callable[..., None]:
    """Specialise the rates: ``r[m, h]`` of weights when they are left out, and ``e[m, h]`` of derivatives."""
    value, times, over = arithmetic.value, arithmetic.times, arithmetic.over
    zero, one, tiny = (-np.inf, 0.0, -np.inf) if arithmetic is LOGARITHMIC else (0.0, 1.0, TINY)

    def differentiate(
        weights: Floats, w: Floats, s: Floats, d: Floats, words: Words, single_root: bool,
        direction: Floats, tangents: Floats,
    ) -> None:  # fmt: skip
        size = w.shape[0]
        r, e, share = np.zeros((size, size)), np.zeros((size, size)), np.empty(size)
        of_sum, rates, inverse = np.zeros(size), np.empty(size), np.full((size, size), zero)
        most = 0.0
        for m in range(1, size):
            for h in range(size):
                if h != m and w[m, h] > tiny:
                    inverse[m, h] = over(one, w[m, h])
                    move = direction[words[h], words[m]]
                    most = max(most, abs(move))
                    r[m, h] = move * value(times(weights[words[h], words[m]], inverse[m, h]))
        most *= 2.0 * size
        for k in range(size - 1, 0, -1):
            for h in range(1 if single_root and k > 1 else 0, k):
                of_sum[k] += value(over(w[k, h], s[k])) * r[k, h]
            for h in range(k):
                share[np.uintp(h)] = over(w[k, np.uintp(h)], s[k])
                rates[np.uintp(h)] = r[k, np.uintp(h)] - of_sum[k]
            for i in range(1, k):
                row, scale, factor, mine = r[i], inverse[i], w[i, k], r[i, k]
                if factor > zero:
                    for h in range(k):
                        part = value(times(times(factor, share[np.uintp(h)]), scale[np.uintp(h)]))
                        row[np.uintp(h)] += part * (mine + rates[np.uintp(h)])
        for k in range(1, size):
            for h in range(k):
                share[np.uintp(h)] = over(w[k, np.uintp(h)], s[k])
                rates[np.uintp(h)] = r[k, np.uintp(h)] - of_sum[k]
            own, scale, leaf, change = e[k], inverse[k], 1.0, 0.0
            for h in range(k):
                scale[h] = over(one, d[k, h]) if d[k, h] > tiny else zero
            for i in range(1, k):
                row, others, mean = d[i], e[i], 0.0
                if d[i, k] > tiny:
                    for h in range(k):
                        part = value(over(times(row[np.uintp(h)], share[np.uintp(h)]), d[i, k]))
                        mean += part * (others[np.uintp(h)] + rates[np.uintp(h)])
                e[i, k] = mean
                chance = value(times(w[i, k], d[i, k]))
                leaf -= chance
                change -= chance * (r[i, k] + mean)
                factor, mine = over(w[i, k], s[k]), r[i, k] - of_sum[k]
                if factor > zero:
                    for h in range(k):
                        part = value(times(times(factor, row[np.uintp(h)]), scale[np.uintp(h)]))
                        own[np.uintp(h)] += part * (mine + others[np.uintp(h)])
            for h in range(1 if single_root and k > 1 else 0, k):
                own[h] += (change - leaf * of_sum[k]) / max(value(times(s[k], d[k, h])), TINY)
            for h in range(k):
                own[h] = min(max(own[h], -most), most)
        for m in range(1, size):
            for h in range(size):
                move = direction[words[h], words[m]] + e[m, h]
                chance = min(value(times(weights[words[h], words[m]], d[m, h])), 1.0)
                tangents[words[h], words[m]] = chance * move if chance > 0.0 else 0.0
        tangents[:, 0] = 0.0

    return kernel(differentiate)


_differentiate, _differentiate_logs = _rates(PLAIN), _rates(LOGARITHMIC)


@kernel
def matrix_tree_tangents(
    arc: Floats, direction: Floats, single_root: bool, marginals: Floats, tangents: Floats
) -> float:  # fmt: skip
    """Do what `treewright.inference.spanning.matrix_tree.matrix_tree` does, and differentiate along a direction.

    The direction, of numbers around one, is finite everywhere.  Returns log Z less a constant.
    """
    size = arc.shape[0]
    w, d = np.empty((size, size)), np.empty((size, size))
    s, words, largest = np.empty(size), np.empty(size, np.intp), largest_into(arc)
    log_z = log_weights(arc, largest, single_root, marginals)
    if log_z > -np.inf:
        log_z = eliminate(marginals, w, s, words, single_root)
        if log_z > -np.inf:
            weights = marginals.copy()
            derive(marginals, w, s, words, single_root, d)
            _differentiate(weights, w, s, d, words, single_root, direction, tangents)
        else:
            log_weights(arc, largest, single_root, marginals)
            log_z = eliminate_logs(marginals, w, s, words, single_root)
            if log_z > -np.inf:
                weights = marginals.copy()
                derive_logs(marginals, w, s, words, single_root, d)
                _differentiate_logs(weights, w, s, d, words, single_root, direction, tangents)
    return log_z
