"""Samples of trees: their frequencies against enumeration, and scores that random walks get lost in."""

import numpy as np
import pytest

from tests.inference.enumeration import all_trees, is_single_root, is_tree
from tests.inference.instances import draw
from treewright.inference.spanning import wilson
from treewright.inference.spanning.arborescence import arborescence
from treewright.inference.spanning.matrix_tree import matrix_tree
from treewright.inference.spanning.wilson import sample_arborescences

single_or_multi = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])


def check_frequencies(samples, arc, single_root):
    """Compare how often each tree was drawn with its probability, by the χ² statistic."""
    n = len(arc) - 1
    trees = all_trees(n, False, single_root)
    totals = arc[trees[:, 1:], np.arange(1, n + 1)].sum(axis=1)
    expected = np.exp(totals - totals.max())
    expected *= len(samples) / expected.sum()
    place = {tuple(tree): k for k, tree in enumerate(trees.tolist())}
    counts = np.bincount([place[tuple(heads)] for heads in samples.tolist()], minlength=len(trees))
    assert not counts[expected == 0].any()
    rare = expected < 8
    observed, expected = (np.append(a[~rare], a[rare].sum()) for a in (counts, expected))
    statistic = ((observed - expected) ** 2 / np.maximum(expected, 8)).sum()
    cells = len(expected)
    assert statistic < cells + 5 * np.sqrt(2 * cells)  # its mean is at most `cells`, five deviations away


def condition(arc, single_root, size, seed):
    """Draw samples as ``sample_arborescences`` does when every walk is given up."""
    samples, marginals = np.full((size, len(arc)), -1, np.int32), np.empty(arc.shape)
    wilson.matrix_tree(arc, single_root, marginals)
    rng = np.random.default_rng(seed)
    state = rng.integers(2**63, size=1, dtype=np.uint64)
    for heads in samples:
        top = int(rng.choice(len(arc), p=marginals[0] / marginals[0].sum())) if single_root else 0
        assert wilson._condition(arc, single_root, 0.0, marginals, top, heads, state)
    return samples


@pytest.mark.parametrize("sample", [sample_arborescences, condition], ids=["walks", "conditioning"])
@single_or_multi
@pytest.mark.parametrize("kind", ["random", "tied", "masked", "positive", "root-heavy"])
def test_trees_are_as_frequent_as_they_are_likely(kind, single_root, sample):
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 4):
        arc = draw(rng, kind, n, False, np.float64).arc
        while (arborescence(arc, single_root) < 0).all():
            arc = draw(rng, kind, n, False, np.float64).arc
        check_frequencies(sample(arc, single_root, 4000, n), arc, single_root)


@single_or_multi
def test_walks_that_are_given_up_leave_no_bias(single_root):
    """Two words that are sure of each other: about half of the walks are lost."""
    arc = np.zeros((5, 5))
    arc[1, 2] = arc[2, 1] = 9.0
    arc[3, 4] = 1.0
    sums = wilson._running_sums(arc, int(single_root))
    state, heads = np.array([7], np.uint64), np.zeros(5, np.int32)
    ends = sum(wilson._walk(sums, 3 if single_root else 0, heads, state) for _ in range(200))
    assert 20 < ends < 180
    check_frequencies(sample_arborescences(arc, single_root, 4000, 3), arc, single_root)


@single_or_multi
def test_extreme_scores_give_the_best_tree(single_root):
    rng = np.random.default_rng(2)
    for n in (1, 3, 10, 30):
        arc = rng.normal(size=(n + 1, n + 1)) * 1e4
        best = arborescence(arc, single_root)
        assert (sample_arborescences(arc, single_root, 3, n) == best).all()


@single_or_multi
def test_samples_are_trees(single_root):
    rng = np.random.default_rng(3)
    for deviation in (0.0, 1.0, 10.0, 30.0):
        arc = rng.normal(size=(31, 31)) * deviation
        samples = sample_arborescences(arc, single_root, 10, 0)
        assert samples.dtype == np.int32
        assert samples.shape == (10, 31)
        for heads in samples:
            assert heads[0] == -1
            assert is_tree(heads)
            assert is_single_root(heads) or not single_root


@single_or_multi
def test_forbidden_arcs_are_never_drawn(single_root):
    for mask in (-np.inf, np.finfo(np.float32).min):
        arc = np.full((9, 9), mask, float)
        arc[np.arange(8), np.arange(1, 9)] = -3.0
        assert (sample_arborescences(arc, single_root, 5, 0) == np.arange(-1, 8)).all()


@single_or_multi
def test_rounding_is_not_drawn(single_root):
    """Marginals of large scores are not quite zero where they should be; what is drawn from is."""
    rng, words, mended = np.random.default_rng(12), np.arange(1, 6), 0
    for _ in range(60):
        arc = rng.choice([-4e8, 0.0, 4e8], (6, 6)) + rng.normal(size=(6, 6))
        trees = all_trees(5, False, single_root)
        scores = arc[trees[:, 1:], words].sum(axis=1)
        possible = np.zeros((6, 6), bool)
        for heads in trees[scores > scores.max() - 100]:
            possible[heads[1:], words] = True
        rounded, marginals = np.empty((6, 6)), np.empty((6, 6))
        matrix_tree(arc, single_root, rounded)
        assert wilson._probabilities(arc, single_root, wilson.NOISE * 6 * 8e8, marginals)
        assert not marginals[~possible].any()
        mended += rounded[~possible].any()
    assert mended


@single_or_multi
def test_no_tree(single_root):
    arc = np.zeros((4, 4))
    arc[0] = -np.inf
    assert (sample_arborescences(arc, single_root, 2, 0) == -1).all()
    assert sample_arborescences(arc, single_root, 0, 0).shape == (0, 4)


@single_or_multi
def test_the_same_seed_gives_the_same_samples(single_root):
    arc = np.random.default_rng(4).normal(size=(11, 11))
    before = arc.copy()
    first = sample_arborescences(arc, single_root, 50, 5)
    np.random.seed(0)
    other = sample_arborescences(arc, single_root, 50, 6)
    assert np.array_equal(sample_arborescences(arc, single_root, 50, 5), first)
    assert np.array_equal(sample_arborescences(arc, single_root, 20, 5), first[:20])
    assert not np.array_equal(first, other)
    assert np.array_equal(arc, before)


def test_marginals_are_the_mean_of_samples():
    arc = np.random.default_rng(5).normal(size=(21, 21)) * 2
    marginals = np.empty_like(arc)
    for single_root in (True, False):
        wilson.matrix_tree(arc, single_root, marginals)
        samples = sample_arborescences(arc, single_root, 20000, 1)
        for m in range(1, 21):
            frequencies = np.bincount(samples[:, m], minlength=21) / 20000
            assert np.abs(frequencies - marginals[:, m]).max() < 5 * 0.5 / np.sqrt(20000)
