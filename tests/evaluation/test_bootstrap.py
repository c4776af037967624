"""The paired bootstrap: against all corpora that can be drawn, laws, and the corners."""

from itertools import product

import numpy as np
import pytest

from treewright.evaluation import Score, paired_bootstrap, paired_test
from treewright.evaluation.bootstrap import percent_f1

#: Correct, gold and system items of four sentences under two systems.
A = [[9, 10, 12], [4, 5, 5], [20, 30, 25], [6, 12, 11]]
B = [[8, 10, 11], [5, 5, 5], [11, 30, 28], [7, 12, 12]]


def f1(rows):
    total = Score(*np.sum(rows, axis=0).tolist())
    return total.f1 if total.gold + total.system else 100.0


def all_differences(a, b):
    """Compute the difference for each of the nⁿ corpora that are equally likely to be drawn."""
    every = product(range(len(a)), repeat=len(a))
    return np.array([f1([a[k] for k in drawn]) - f1([b[k] for k in drawn]) for drawn in every])


def test_it_agrees_with_all_corpora_that_can_be_drawn():
    observed, every = f1(A) - f1(B), all_differences(A, B)
    expected = np.mean(np.abs(every - observed) >= observed - 1e-9)
    assert 0.05 < expected < 0.95
    outcome = paired_bootstrap(A, B, samples=40_000)
    assert outcome.difference == pytest.approx(observed)
    assert outcome.p == pytest.approx(expected, abs=0.01)
    for end, share in ((outcome.low, 0.025), (outcome.high, 0.975)):
        assert np.mean(every < end - 1e-9) - 0.005 <= share <= np.mean(every < end + 1e-9) + 0.005


def test_long_sentences_weigh_more_than_in_the_sign_test():
    """Better by a bracket on 30 short sentences, worse by 30 on one: the sign test is sure, the corpus is not."""
    a, b = [[3, 4, 4]] * 30 + [[10, 60, 60]], [[2, 4, 4]] * 30 + [[40, 60, 60]]
    assert paired_test(percent_f1(a), percent_f1(b)).sign_p < 0.001
    assert paired_bootstrap(a, b).p > 0.5


def test_a_difference_that_every_sentence_has_is_certain():
    outcome = paired_bootstrap([[9, 10, 10]] * 20, [[8, 10, 10]] * 20, samples=1000)
    assert outcome.difference == outcome.low == outcome.high == pytest.approx(10)
    assert outcome.p == 1 / 1001


def test_equal_systems():
    outcome = paired_bootstrap(A, A, samples=100)
    assert (outcome.difference, outcome.low, outcome.high, outcome.p) == (0, 0, 0, 1)


@pytest.mark.parametrize("seed", range(12))
def test_swapping_the_systems_changes_the_sign_alone(seed):
    rng = np.random.default_rng(seed)
    correct, wrong = rng.integers(0, 5, (2, seed + 1, 1)), rng.integers(0, 4, (2, seed + 1, 2))
    pair = np.concatenate([correct, correct + wrong], axis=2)
    forwards, backwards = paired_bootstrap(*pair, samples=200), paired_bootstrap(*pair[::-1], samples=200)
    assert forwards.difference == -backwards.difference == pytest.approx(f1(pair[0]) - f1(pair[1]))
    assert (forwards.low, forwards.high) == pytest.approx((-backwards.high, -backwards.low))
    assert forwards.p == backwards.p
    assert 0 < forwards.p <= 1
    assert forwards.low <= forwards.high


def test_the_same_seed_draws_the_same_corpora_whatever_the_block(monkeypatch):
    whole = paired_bootstrap(A, B, samples=700)
    assert paired_bootstrap(A, B, samples=700) == whole
    assert paired_bootstrap(A, B, samples=700, seed=2) != whole
    monkeypatch.setattr("treewright.evaluation.bootstrap.BLOCK", 7)
    assert paired_bootstrap(A, B, samples=700) == whole


@pytest.mark.parametrize(("a", "b"), [(A, A[:2]), ([1, 2, 3], [1, 2, 3]), ([[1, 2]], [[1, 2]]), ([], [])])
def test_what_is_no_pair_of_tables_is_refused(a, b):
    with pytest.raises(ValueError, match="paired bootstrap needs"):
        paired_bootstrap(a, b)
