"""Sums over all trees by elimination: against enumeration, and against determinants with hundreds of bits."""

import math

import mpmath
import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from tests.inference.instances import KINDS, many
from treewright.inference.spanning.matrix_tree import (
    derive_logs,
    eliminate_logs,
    largest_into,
    log_weights,
    matrix_tree,
)

single_or_multi = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])


def solve(arc, single_root):
    before, marginals = arc.copy(), np.full(arc.shape, np.nan)
    log_z = matrix_tree(arc, single_root, marginals)
    assert np.array_equal(arc, before, equal_nan=True)
    return log_z, marginals


def enumerate_all(arc, single_root):
    """Log Z and marginals from a list of all trees."""
    n = len(arc) - 1
    trees = all_trees(n, False, single_root)
    totals = arc[trees[:, 1:], np.arange(1, n + 1)].sum(axis=1)
    best, marginals = totals.max(), np.zeros(arc.shape)
    if best == -np.inf:
        return best, marginals
    weights = np.exp(totals - best)
    for m in range(1, n + 1):
        marginals[:, m] = np.bincount(trees[:, m], weights / weights.sum(), n + 1)
    return best + math.log(weights.sum()), marginals


def by_determinant(arc, single_root, bits=2000):
    """Log Z and marginals by sections 3.1 to 3.3 of Koo et al. (2007), as they stand, with many bits."""
    n = len(arc) - 1
    with mpmath.workprec(bits):
        w = [[mpmath.exp(mpmath.mpf(float(x))) if h != m else mpmath.mpf(0) for m, x in enumerate(row)]
             for h, row in enumerate(arc)]  # fmt: skip
        # Proposition 1 replaces the first row by the scores of the root, section 3.3 adds them to the diagonal.
        matrix = [[-w[h][m] for m in range(1, n + 1)] for h in range(1, n + 1)]
        for m in range(n):
            matrix[m][m] = sum(w[h][m + 1] for h in range(single_root, n + 1))
        if single_root:
            matrix[0] = w[0][1:]
        determinant, inverse = gauss_jordan(matrix)
        marginals = np.zeros((n + 1, n + 1))
        for m in range(n):
            column = inverse[m]
            for h in range(-1, n):
                if h < 0:
                    factor = column[0] if single_root else column[m]
                else:
                    factor = (0 if single_root and m == 0 else column[m]) - (0 if single_root and h == 0 else column[h])
                marginals[h + 1, m + 1] = w[h + 1][m + 1] * factor
        return float(mpmath.log(determinant)), marginals


def gauss_jordan(matrix):
    """The determinant and the inverse."""
    n = len(matrix)
    rows = [[*row, *(mpmath.mpf(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    determinant = mpmath.mpf(1)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            determinant = -determinant
        determinant *= rows[k][k]
        own = rows[k]
        filled = [j for j in range(k + 1, 2 * n) if own[j]]
        for j in filled:
            own[j] /= own[k]
        for i in range(n):
            if i != k and rows[i][k]:
                row, factor = rows[i], rows[i][k]
                for j in filled:
                    row[j] -= factor * own[j]
    return determinant, [row[n:] for row in rows]


def check(arc, single_root, log_z, marginals, tolerance=1e-9):
    found, probabilities = solve(arc, single_root)
    assert found == pytest.approx(log_z, rel=1e-12, abs=tolerance)
    assert np.abs(probabilities - marginals).max() <= tolerance
    check_probabilities(probabilities)


def check_probabilities(probabilities, tolerance=1e-10):
    assert (probabilities >= 0).all()
    assert (probabilities <= 1).all()
    assert np.abs(probabilities[:, 1:].sum(axis=0) - 1).max() <= tolerance
    assert (probabilities[:, 0] == 0).all()
    assert (np.diag(probabilities) == 0).all()


@single_or_multi
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"lowest"}))
def test_enumeration(kind, single_root):
    for scores in many(kind, False, np.float64, each=30):
        log_z, marginals = enumerate_all(scores.arc, single_root)
        if log_z == -np.inf:
            found, probabilities = solve(scores.arc, single_root)
            assert found == -np.inf
            assert not probabilities.any()
        else:
            check(scores.arc, single_root, log_z, marginals)


@single_or_multi
@pytest.mark.parametrize("deviation", [1, 10, 30])
def test_hundreds_of_bits(deviation, single_root):
    for seed, n in enumerate([2, 7, 30]):
        arc = np.random.default_rng(seed).normal(size=(n + 1, n + 1)) * deviation
        check(arc, single_root, *by_determinant(arc, single_root), tolerance=1e-12)


@pytest.mark.parametrize(("deviation", "n", "single_root"), [(1, 60, True), (10, 60, False), (30, 70, True)])
def test_hundreds_of_bits_for_many_words(deviation, n, single_root):
    arc = np.random.default_rng(deviation).normal(size=(n + 1, n + 1)) * deviation
    check(arc, single_root, *by_determinant(arc, single_root, 800), tolerance=1e-12)


@single_or_multi
def test_nested_cycles_of_words_that_are_sure_of_each_other(single_root):
    """The worst for an inverse: heads that all but make cycles, in cycles of cycles."""
    rng = np.random.default_rng(2)
    for gap in (5.0, 25.0, 60.0, 200.0):
        arc = rng.normal(size=(17, 17)) - 3 * gap
        for width in (2, 4, 8):
            for m in range(1, 17):
                block = (m - 1) // width * width
                arc[block + 1 + (m - 1 - block + width // 2) % width, m] += gap * 6 / width
        check(arc, single_root, *by_determinant(arc, single_root, 6000), tolerance=1e-11)


@single_or_multi
@pytest.mark.parametrize("change", [lambda a: a - 12, lambda a: a + 90, lambda a: a * 30, lambda a: a * 1000])
def test_shifted_and_scaled(change, single_root):
    rng = np.random.default_rng(3)
    for n in (2, 4, 5):
        arc = change(rng.normal(size=(n + 1, n + 1)))
        check(arc, single_root, *enumerate_all(arc, single_root))
    for n in (40, 90):
        arc = rng.normal(size=(n + 1, n + 1))
        log_z, marginals = solve(arc, single_root)
        shift = change(0.0)
        check(arc + shift, single_root, log_z + n * shift, marginals)
        check_probabilities(solve(change(arc), single_root)[1])


@single_or_multi
@pytest.mark.parametrize("root", [20.0, 40.0, 400.0])
def test_likely_roots(root, single_root):
    for n in (3, 5, 30):
        arc = np.zeros((n + 1, n + 1))
        arc[0] = root
        log_z, marginals = solve(arc, single_root)
        check_probabilities(marginals)
        if single_root:
            assert log_z == pytest.approx(root + (n - 1) * math.log(n))
            assert marginals[0, 1:] == pytest.approx(np.full(n, 1 / n))
        else:
            assert log_z == pytest.approx(n * root + (n - 1) * math.log1p(n * math.exp(-root)))
            assert marginals[1, 2] == pytest.approx(1 / (math.exp(root) + n), rel=1e-10, abs=0)


@single_or_multi
@pytest.mark.parametrize("junk", [1e4, 1e300, np.inf, np.nan, -np.inf])
def test_self_arcs_and_arcs_into_the_root_never_count(junk, single_root):
    arc = np.random.default_rng(4).normal(size=(9, 9))
    expected = solve(arc, single_root)
    arc[:, 0] = arc[np.diag_indices(9)] = junk
    check(arc, single_root, *expected, tolerance=0)


@single_or_multi
def test_an_unlikely_arc_keeps_its_digits(single_root):
    rng = np.random.default_rng(5)
    for n in (3, 5):
        arc = rng.normal(size=(n + 1, n + 1))
        arc[2, 3] = -40.0
        expected = enumerate_all(arc, single_root)[1]
        found = solve(arc, single_root)[1]
        assert 1e-20 < expected[2, 3] < 1e-15
        assert found[2, 3] == pytest.approx(expected[2, 3], rel=1e-9)


@single_or_multi
def test_as_many_trees_as_there_are(single_root):
    for n in (1, 2, 3, 10, 100, 250):
        log_z, marginals = solve(np.zeros((n + 1, n + 1)), single_root)
        assert log_z == pytest.approx((n - 1) * math.log(n if single_root else n + 1), rel=1e-13, abs=1e-13)
        check_probabilities(marginals)
        assert marginals[0, 1:] == pytest.approx(np.full(n, 1 / n if single_root else 2 / (n + 1)))


@single_or_multi
@pytest.mark.parametrize("scale", [1e4, 1e6])
def test_extreme_scores_of_many_words(scale, single_root):
    rng = np.random.default_rng(6)
    for n in (20, 60):
        arc = rng.choice([-scale, 0.0, scale], (n + 1, n + 1)) + rng.normal(size=(n + 1, n + 1))
        log_z, marginals = solve(arc, single_root)
        assert np.isfinite(log_z)
        check_probabilities(marginals, 1e-7)
        # A forbidden arc and one at the very bottom are the same to all others.
        lower, forbidden = arc.copy(), arc.copy()
        lower[3, 1:9], forbidden[3, 1:9] = -1e7, -np.inf
        check(lower, single_root, *solve(forbidden, single_root), tolerance=1e-7)


@single_or_multi
def test_one_head_left_for_each_word(single_root):
    rng = np.random.default_rng(7)
    for n in (1, 2, 9, 50):
        order = rng.permutation(n) + 1
        heads = np.zeros(n + 1, int)
        for k in range(1, n):
            heads[order[k]] = order[rng.integers(k)]
        for rest in (-np.inf, np.finfo(np.float32).min, -1e4):
            arc = np.full((n + 1, n + 1), rest)
            arc[heads[1:], np.arange(1, n + 1)] = 3.5
            log_z, marginals = solve(arc, single_root)
            assert log_z == pytest.approx(3.5 * n)
            assert marginals[heads[1:], np.arange(1, n + 1)] == pytest.approx(np.ones(n), abs=1e-9)
            check_probabilities(marginals, 1e-9)


@single_or_multi
def test_the_gradient_is_that_of_finite_differences(single_root):
    arc = np.random.default_rng(8).normal(size=(13, 13)) * 3
    marginals, step = solve(arc, single_root)[1], 1e-5
    for h, m in [(0, 1), (0, 7), (3, 4), (12, 1), (5, 12)]:
        up, down = arc.copy(), arc.copy()
        up[h, m] += step
        down[h, m] -= step
        slope = (solve(up, single_root)[0] - solve(down, single_root)[0]) / (2 * step)
        assert marginals[h, m] == pytest.approx(slope, abs=1e-8)


def test_a_root_that_only_its_descendants_could_head():
    """The word that must be kept for last in the elimination turns up late, and may be any."""
    for top in (1, 2, 5):
        arc = np.full((6, 6), -np.inf)
        arc[0] = 1.0
        for m in range(1, 6):
            if m != top:
                arc[top, m] = 2.0
        check(arc, True, *enumerate_all(arc, True))
        arc[1:, top] = -2000.0
        check(arc, True, *enumerate_all(arc, True))
    arc[0] = -np.inf
    assert solve(arc, True)[0] == solve(arc, False)[0] == -np.inf
    two = np.full((5, 5), -np.inf)
    two[0, 1] = two[0, 2] = two[1, 3] = two[2, 4] = 0.0
    assert solve(two, True)[0] == -np.inf
    assert solve(two, False)[0] == pytest.approx(0.0)


@single_or_multi
def test_both_arithmetics_agree(single_root):
    rng = np.random.default_rng(9)
    for deviation in (1.0, 10.0, 60.0, 150.0):
        for n in (4, 15):
            arc = rng.normal(size=(n + 1, n + 1)) * deviation
            arc[rng.random(arc.shape) < 0.2] = -np.inf
            weights, w, d = np.empty((3, *arc.shape))
            s, words = np.empty(n + 1), np.empty(n + 1, np.intp)
            log_z = log_weights(arc, largest_into(arc), single_root, weights)
            log_z += eliminate_logs(weights, w, s, words, single_root)
            derive_logs(weights, w, s, words, single_root, d)
            check(arc, single_root, log_z, weights, tolerance=1e-11)
