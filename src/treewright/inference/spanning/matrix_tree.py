r"""The log-partition and the arc marginals of all trees, projective or not, in O(n³): matrix-tree without subtraction.

By the matrix-tree theorem, the partition function is a determinant of a Laplacian matrix (Koo, Globerson,
Carreras & Collins 2007: section 3.3 for any number of roots, Proposition 1 for a single one), and the marginals
follow from its inverse.  Both lose all digits when the matrix is badly conditioned, as it is whenever a model is
sure of itself.  But a Laplacian is no ordinary matrix: it is that of a Markov chain, and Gaussian elimination
of it needs no subtraction (Grassmann, Taksar & Heyman 1985), so that Z has as many correct digits as the weights,
whatever the condition number (Alfa, Xue & Ye 2002).

**Elimination.**  Let the weight of an arc be w(h, m), and think of a walk that goes from a word to one of its
heads, with a chance proportional to the weight.  Leaving out a word k joins each step into it with the step
out of it::

    s(k)    = sum over h of w(h, k)                               (h among the vertices that are left)
    w(h, i) = w(h, i) + w(k, i) · w(h, k) / s(k)                  (for each word i and each h that are left)

and, by the theorem, the partition function Z of what was there before is s(k) times that of what is left.  An
arc from a word to itself, which this may give, is in no tree and is dropped, where elimination of the
Laplacian would subtract it from the diagonal.  So with words left out from the last to the first,
Z = s(n) ⋯ s(1).

**A single root.**  By the Markov chain tree theorem (Leighton & Rivest 1986), the chain over the words alone is
at r for a share of the time proportional to τ(r), the sum over the trees rooted at r; leaving out words
scales all τ that are left by 1 / s(k), if the root is not counted in s(k).  Proposition 1 of Koo et al. is
the sum over r of w(0, r) τ(r).  As τ(k) is the sum over i of τ(i) w(k, i) / s(k), the term of k is shared
among the words that are left by the same formula for w(0, i) as above: all that differs is that s(k) is
without the root, except for the last word, where s(1) = w(0, 1).  A word that can only be the root has
s(k) = 0 and must come last; so of the word whose turn it is and the one that is to be the last, that with the
larger w(0, k) / s(k) is kept.

**Marginals** are w(h, m) times the derivative d(h, m) of log Z, found by going through the elimination
backwards::

    d(k, i) = sum over h of d(h, i) · w(h, k) / s(k)
    d(h, k) = sum over i of d(h, i) · w(k, i) / s(k)  +  (1 - sum over i of w(k, i) · d(k, i)) / s(k)

the last term only if h counts in s(k).  Row and column k do not change once k is left out, so nothing else
need be kept; and adding to w(h, m) at the start or before any later step is the same, so d is also the
derivative by the weights at the start.  What is subtracted from 1 are the chances that k is the head of i, which
add up to how many modifiers k is expected to have; so the error of a marginal is of the order of rounding a small
number, and does not grow with the condition number.

**Range.**  A constant on all arcs into a word, or in single-root trees on all arcs of the root, changes no
marginal, so the largest weight of each is made 1.  Were weights divided by their sum for each word, no s(k)
could exceed 1 and the derivative of Z by a weight could not either; so what is lost by underflow is of the
order of 1e-308 in Z, and nothing as long as Z is above 1e-280.  Below that the same text runs on logarithms.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats
from treewright.inference.spanning.arithmetic import LOGARITHMIC, PLAIN, Arithmetic
from treewright.kernels import kernel, subroutine

__all__ = ["derive", "derive_logs", "eliminate", "eliminate_logs", "largest_into", "log_weights", "matrix_tree"]

Words = npt.NDArray[np.intp]


@kernel
def largest_into(arc: Floats) -> Floats:
    """Find the largest score of the arcs into each word."""
    size = arc.shape[0]
    largest = np.full(size, -np.inf)
    for h in range(size):
        for m in range(1, size):
            if h != m and arc[h, m] > largest[m]:
                largest[m] = arc[h, m]
    return largest


@kernel
def log_weights(arc: Floats, largest: Floats, single_root: bool, weights: Floats) -> float:
    """Write down the scores less the largest of each word, and return the sum of what was subtracted.

    Arcs that do not count, into the root or from a word to itself, become minus infinity.  So does the result when
    there is no tree because a word has no head or the root has no modifier.
    """
    size = arc.shape[0]
    constant = 0.0
    for m in range(1, size):
        if largest[m] == -np.inf:
            return -np.inf
        constant += largest[m]
    for h in range(size):
        for m in range(1, size):
            weights[h, m] = arc[h, m] - largest[m]
        weights[h, 0] = weights[h, h] = -np.inf
    top = weights[0].max()
    if single_root and top > -np.inf:
        for m in range(1, size):
            weights[0, m] -= top
        constant += top
    return constant if top > -np.inf else top


@subroutine()
def _swap(w: Floats, i: int, j: int) -> None:
    """Swap two words, as heads and as modifiers."""
    for h in range(w.shape[0]):
        w[i, h], w[j, h] = w[j, h], w[i, h]
    for m in range(w.shape[0]):
        w[m, i], w[m, j] = w[m, j], w[m, i]


def _elimination(arithmetic: Arithmetic) -> Callable[[Floats, Floats, Floats, Words, bool], float]:
    """Specialise the elimination: from the logarithms of weights to log Z, with all that the way back needs.

    The weights replace their logarithms, and ``w[m, h]`` is what becomes of them.  In single-root trees words
    change places: ``words`` says which word is where.  The result is minus infinity if there is no tree, or none
    of a weight that the arithmetic can hold.
    """
    zero, smallest, of_log, to_log = arithmetic.zero, arithmetic.smallest, arithmetic.of_log, arithmetic.to_log
    times, over, total, add = arithmetic.times, arithmetic.over, arithmetic.total, arithmetic.add

    def eliminate(weights: Floats, w: Floats, s: Floats, words: Words, single_root: bool) -> float:
        size = w.shape[0]
        for h in range(size):
            words[h] = h
            for m in range(size):
                weights[h, m] = of_log(weights[h, m])
        for m in range(1, size):
            for h in range(size):
                w[m, h] = weights[h, m]
        share = np.empty(size)
        log_z, left = 0.0, 1.0
        for k in range(1, size):
            s[k] = total(w[k], 1 if single_root else 0, size)
            if smallest > 0.0 and s[k] > 0.0:
                left = min(left, s[k])
        for k in range(size - 1, 0, -1):
            if single_root and k > 1:  # keep the likelier root for last
                mine, last = total(w[k], 1, k), total(w[1], 2, k + 1)
                if times(w[k, 0], last) > times(w[1, 0], mine):
                    _swap(w, 1, k)
                    s[1], s[k] = s[k], s[1]
                    words[1], words[k] = words[k], words[1]
            before = s[k]
            s[k] = total(w[k], 1 if single_root and k > 1 else 0, k)
            if s[k] == zero:
                return -np.inf
            log_z += to_log(s[k])
            if smallest > 0.0:
                left *= s[k] if single_root and k == 1 else s[k] / before
                if left < smallest:
                    return -np.inf
            for h in range(k):
                share[np.uintp(h)] = over(w[k, np.uintp(h)], s[k])
            for i in range(1, k):
                add(w[i], w[i, k], share, k)
        return log_z

    return kernel(eliminate)


def _derivation(arithmetic: Arithmetic) -> Callable[[Floats, Floats, Floats, Words, bool, Floats], None]:
    """Specialise the way back: the derivatives ``d[m, h]`` of log Z, and marginals in place of the weights."""
    zero, value, times, over = arithmetic.zero, arithmetic.value, arithmetic.times, arithmetic.over
    add_and_contract, add_over = arithmetic.add_and_contract, arithmetic.add_over

    def derive(weights: Floats, w: Floats, s: Floats, words: Words, single_root: bool, d: Floats) -> None:
        size = w.shape[0]
        share = np.empty(size)
        for k in range(1, size):
            own = d[k]
            for h in range(k):
                share[np.uintp(h)] = over(w[k, np.uintp(h)], s[k])
                own[np.uintp(h)] = zero
            own[k] = zero
            leaf = 1.0
            for i in range(1, k):
                d[i, k] = add_and_contract(own, over(w[i, k], s[k]), d[i], share, k)
                leaf -= value(times(w[i, k], d[i, k]))
            for h in range(1 if single_root and k > 1 else 0, k):
                own[h] = add_over(own[h], leaf, s[k])
        for m in range(1, size):
            for h in range(size):
                weights[words[h], words[m]] = min(value(times(weights[words[h], words[m]], d[m, h])), 1.0)
        weights[:, 0] = 0.0

    return kernel(derive)


eliminate, derive = _elimination(PLAIN), _derivation(PLAIN)
eliminate_logs, derive_logs = _elimination(LOGARITHMIC), _derivation(LOGARITHMIC)


@kernel
def matrix_tree(arc: Floats, single_root: bool, marginals: Floats) -> float:
    """Compute log Z over all trees, projective or not, and write the probability of each arc to ``marginals``.

    Where there is no tree, they are minus infinity and zero.  This is ``Trees(projective=False).log_partition`` and
    ``marginals`` without their checks: scores, a C-contiguous array of shape (n+1, n+1), may be NaN or plus infinity
    only on the diagonal and in column 0, which do not count.

    Examples
    --------
    >>> marginals = np.empty((3, 3))
    >>> matrix_tree(np.log([[1.0, 3.0, 1.0], [1.0, 1.0, 2.0], [1.0, 1.0, 1.0]]), True, marginals)
    1.9459101490553132
    >>> marginals.round(3)
    array([[0.   , 0.857, 0.143],
           [0.   , 0.   , 0.857],
           [0.   , 0.143, 0.   ]])
    """
    size = arc.shape[0]
    w, d = np.empty((size, size)), np.empty((size, size))
    s, words, largest = np.empty(size), np.empty(size, np.intp), largest_into(arc)
    log_z = constant = log_weights(arc, largest, single_root, marginals)
    if constant > -np.inf:
        log_z = eliminate(marginals, w, s, words, single_root)
        if log_z > -np.inf:
            derive(marginals, w, s, words, single_root, d)
        else:
            log_weights(arc, largest, single_root, marginals)
            log_z = eliminate_logs(marginals, w, s, words, single_root)
            if log_z > -np.inf:
                derive_logs(marginals, w, s, words, single_root, d)
    if log_z == -np.inf:
        marginals[:] = 0.0
        return log_z
    return log_z + constant
