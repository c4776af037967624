"""The sign test and the Wilcoxon test: known values, laws, and the corners."""

import json
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.evaluation.helpers import corpora
from treewright.evaluation import PUNCTUATION_RULES, compare, evaluate, paired_test, significance
from treewright.treebank import Sentence

COUNTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30)


def enumerated_wilcoxon(differences):
    """List all signs of the ranks: the share of sums at least as far from the middle as the one seen."""
    sizes = sorted(map(abs, differences))
    ranks = np.array([1 + sizes.index(abs(d)) + (sizes.count(abs(d)) - 1) / 2 for d in differences])
    middle = ranks.sum() / 2
    seen = abs(ranks[np.array(differences) > 0].sum() - middle)
    sums = np.array([ranks @ np.array(signs) for signs in product([0, 1], repeat=len(ranks))])
    return np.mean(np.abs(sums - middle) >= seen - 1e-9)


def test_sign_test_by_hand():
    # 8 better, 2 worse, 3 tied: P(at most 2 of 10 heads), twice.
    result = paired_test([2] * 8 + [0] * 2 + [1] * 3, [1] * 13)
    assert (result.better, result.worse, result.tied) == (8, 2, 3)
    assert result.sign_p == pytest.approx(2 * sum(comb(10, k) for k in range(3)) / 2**10, rel=1e-12)


def test_sign_test_of_the_matrix_tree_paper():
    # Koo et al. (2007), footnote 7: 448 better, 343 worse of 2,472 sentences, p <= 0.001.
    result = paired_test([1] * 448 + [0] * 343 + [0] * 1681, [0] * 448 + [1] * 343 + [0] * 1681)
    assert result.tied == 1681
    assert 1e-4 < result.sign_p < 1e-3


@pytest.mark.parametrize(
    "differences", [[3], [5, -1, 4, 3, -2, 6, 7], [1, 1, 1, -1, 2, 2, -3, 1], [1, -1, 2, -2], [2, 2, 2, 2, 2]]
)
def test_wilcoxon_by_enumeration(differences):
    expected = enumerated_wilcoxon(differences)
    assert paired_test(differences, [0] * len(differences)).wilcoxon_p == pytest.approx(expected, rel=1e-12)


def test_wilcoxon_agrees_with_scipy_where_scipy_is_exact():
    differences = np.random.default_rng(0).permutation(np.arange(1, 51)) * np.repeat([1, 1, 1, -1, -1], 10)
    expected = stats.wilcoxon(differences, method="exact").pvalue
    assert paired_test(differences, np.zeros(50)).wilcoxon_p == pytest.approx(expected, rel=1e-9)


def test_the_normal_approximation_takes_over_smoothly(monkeypatch):
    differences = np.random.default_rng(1).choice([-3, -2, -1, 1, 2, 3, 4], 51)
    approximate = paired_test(differences, np.zeros(51)).wilcoxon_p
    monkeypatch.setattr(significance, "_EXACT", 51)
    exact = paired_test(differences, np.zeros(51)).wilcoxon_p
    assert approximate != exact
    assert approximate == pytest.approx(exact, abs=0.005)


def test_wilcoxon_sees_sizes_that_the_sign_test_does_not():
    result = paired_test([9, 8, 7, 6, 5, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    assert result.sign_p == 1.0
    assert result.wilcoxon_p < 0.25


def test_equal_systems():
    result = paired_test([1, 2, 3], [1, 2, 3])
    assert (result.better, result.worse, result.tied, result.sign_p, result.wilcoxon_p) == (0, 0, 3, 1.0, 1.0)
    assert paired_test([], []).sign_p == 1.0


@pytest.mark.parametrize(("a", "b"), [([1, 2], [1]), ([[1]], [[1]]), ([np.nan], [1])])
def test_what_is_no_pair_of_vectors_is_refused(a, b):
    with pytest.raises(ValueError, match="paired tests need"):
        paired_test(a, b)


@given(COUNTS)
def test_swapping_the_systems_swaps_the_counts_and_keeps_the_p_values(pairs):
    a, b = zip(*pairs, strict=True)
    forwards, backwards = paired_test(a, b), paired_test(b, a)
    assert (forwards.better, forwards.worse, forwards.tied) == (
        backwards.worse,
        backwards.better,
        backwards.tied,
    )
    assert forwards.sign_p == backwards.sign_p
    assert forwards.wilcoxon_p == pytest.approx(backwards.wilcoxon_p, rel=1e-9)
    assert 0 <= forwards.sign_p <= 1
    assert 0 <= forwards.wilcoxon_p <= 1


@given(COUNTS)
def test_ties_do_not_change_the_p_values(pairs):
    a, b = zip(*pairs, strict=True)
    with_ties = paired_test([*a, 4, 5], [*b, 4, 5])
    assert with_ties.tied == paired_test(a, b).tied + 2
    assert with_ties.sign_p == paired_test(a, b).sign_p
    assert with_ties.wilcoxon_p == paired_test(a, b).wilcoxon_p


@settings(max_examples=40)
@given(corpora(), st.sampled_from(PUNCTUATION_RULES), st.booleans())
def test_compare_agrees_with_evaluate_and_is_symmetrical(corpus, punctuation, subtypes):
    gold, a, b = corpus
    result = compare(gold, a, b, punctuation, subtypes=subtypes)
    swapped = compare(gold, b, a, punctuation, subtypes=subtypes)
    first = evaluate(gold, a, punctuation, subtypes=subtypes)
    assert (result.uas_a, result.las_a, result.scored) == (first.uas, first.las, first.scored)
    assert (swapped.uas_b, swapped.las_b) == (first.uas, first.las)
    for forwards, backwards in ((result.uas, swapped.uas), (result.las, swapped.las)):
        assert forwards.better + forwards.worse + forwards.tied == len(gold)
        assert (forwards.better, forwards.sign_p) == (backwards.worse, backwards.sign_p)


def test_compare_counts_words_in_each_sentence():
    gold = Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])
    heads, label = gold.replace(heads=[0, 1]), gold.replace(deprels=["obj", "root"])
    result = compare([gold] * 3, [gold, label, heads], [heads, gold, heads])
    assert (result.uas.better, result.uas.worse, result.uas.tied) == (1, 0, 2)
    assert (result.las.better, result.las.worse, result.las.tied) == (1, 1, 1)
    plain = result.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert list(plain["las"]) == ["a", "b", "better", "worse", "tied", "sign_p", "wilcoxon_p"]
