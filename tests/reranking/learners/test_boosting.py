"""Boosting against brute force: the same rounds from both algorithms, and losses computed from scratch."""

import numpy as np
import pytest

from tests.reranking.random_candidates import brute_force_pairs, dense, negative_log_likelihood, random_candidates
from treewright.errors import UsageError
from treewright.reranking import CandidatesBuilder
from treewright.reranking.learners.boosting import boost
from treewright.reranking.learners.differences import find_differences
from treewright.reranking.learners.losses import exp_loss, fit_log_alpha


@pytest.mark.parametrize("loss", ["exp", "log"])
@pytest.mark.parametrize("importance", ["score", "uniform"])
@pytest.mark.parametrize("smoothing", [0.0, 1e-4, 0.0025, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_both_algorithms_take_the_same_rounds(seed, smoothing, importance, loss):
    candidates = random_candidates(seed, one_sided=seed == 2, tied=seed == 1)
    options = {"smoothing": smoothing, "importance": importance, "loss": loss}
    naive = boost(candidates, 300, algorithm="naive", **options)
    efficient = boost(candidates, 300, **options)
    assert len(efficient) == len(naive) > 0
    assert efficient.features.tolist() == naive.features.tolist()
    assert efficient.steps.tolist() == naive.steps.tolist()
    assert efficient.totals.tolist() == naive.totals.tolist()


def test_both_algorithms_take_the_same_rounds_with_many_blocks_of_features():
    candidates = random_candidates(7, sentences=60, features=3000)
    naive, efficient = (boost(candidates, 400, algorithm=a) for a in ("naive", "efficient"))
    assert efficient.features.tolist() == naive.features.tolist()
    assert efficient.steps.tolist() == naive.steps.tolist()
    assert len(set((efficient.features >> 9).tolist())) > 2


@pytest.mark.parametrize("seed", range(4))
def test_each_round_takes_the_best_feature_and_step_of_the_article(seed):
    candidates, smoothing = random_candidates(seed), 0.01
    table, pairs = dense(candidates), brute_force_pairs(candidates)
    boosted = boost(candidates, 40, smoothing=smoothing)
    change = np.array([table[best] - table[other] for _, best, other, _ in pairs])
    base = np.array([candidates.log_probability[a] - candidates.log_probability[b] for _, a, b, _ in pairs])
    importance = np.array([s for *_, s in pairs])
    for t in range(40):
        weight = importance * np.exp(-(boosted.alpha * base + change @ boosted.weights(t)))
        plus, minus = weight @ (change > 0), weight @ (change < 0)
        gains = np.abs(np.sqrt(plus) - np.sqrt(minus))
        k = boosted.features[t]
        assert gains[k] == pytest.approx(gains.max(), rel=1e-9)
        total = weight.sum()
        assert boosted.totals[t] == pytest.approx(total, rel=1e-9)
        expected = 0.5 * np.log((plus[k] + smoothing * total) / (minus[k] + smoothing * total))
        assert boosted.steps[t] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("smoothing", [0.0, 0.0025, 0.3])
def test_exp_loss_never_rises(seed, smoothing):
    candidates = random_candidates(seed)
    differences, boosted = find_differences(candidates), boost(candidates, 200, smoothing=smoothing)
    losses = [exp_loss(differences, differences.margins(boosted.alpha, boosted.weights(n))) for n in range(201)]
    assert (np.diff(losses) <= 1e-12 * losses[0]).all()
    assert losses[-1] < 0.9 * losses[0]
    np.testing.assert_allclose(losses[:200], boosted.totals, rtol=1e-9)


@pytest.mark.parametrize("ties", ["all", "one"])
@pytest.mark.parametrize("seed", range(4))
def test_log_loss_falls_by_what_the_bound_promises(seed, ties):
    candidates = random_candidates(seed, tied=seed > 0)
    table, is_best = dense(candidates), candidates.is_best(ties)
    pairs = brute_force_pairs(candidates, "each-worse" if ties == "all" else "one-other")
    sentence = np.repeat(np.arange(candidates.sentences), np.diff(candidates.offsets))
    best, other = (np.array([pair[place] for pair in pairs]) for place in (1, 2))
    change = table[best] - table[other]
    boosted = boost(candidates, 100, loss="log", smoothing=0.0, ties=ties)
    losses = [negative_log_likelihood(candidates, boosted.alpha, boosted.weights(t), ties) for t in range(101)]
    for t in range(100):
        terms = np.exp(boosted.alpha * candidates.log_probability + table @ boosted.weights(t))
        p, r = (x / np.bincount(sentence, x, candidates.sentences)[sentence] for x in (terms, terms * is_best))
        q = p[other] * r[best]
        assert boosted.totals[t] == pytest.approx(q.sum(), rel=1e-9)
        gains = (np.sqrt(q @ (change > 0)) - np.sqrt(q @ (change < 0))) ** 2
        assert gains[boosted.features[t]] == pytest.approx(gains.max(), rel=1e-6)
        assert losses[t + 1] <= losses[t] - gains.max() + 1e-9


def test_alpha_can_be_fitted_to_log_loss():
    candidates = random_candidates(1, tied=True)
    boosted = boost(candidates, 5, loss="log", alpha="fit")
    assert boosted.alpha == fit_log_alpha(candidates, candidates.is_best())
    assert boost(candidates, 5, loss="log").alpha == 1.0
    assert boost(candidates, 5, alpha="fit").alpha == boost(candidates, 5).alpha


def lists(*golds, features=None):
    builder = CandidatesBuilder()
    for i, gold in enumerate(golds):
        builder.add([0.0] * len(gold), gold, features[i] if features else [["a"]] * len(gold))
    return builder.build()


def test_it_ends_when_no_feature_tells_candidates_apart():
    boosted = boost(lists([0, 1, 2], [3]), 10)
    assert len(boosted) == 0
    assert boosted.weights().tolist() == [0.0]
    assert boosted.alpha == 1.0
    assert boosted.savings() == float("inf")


def test_it_ends_when_there_are_no_features():
    assert len(boost(lists([0, 1], features=[[[], []]]), 10)) == 0


@pytest.mark.parametrize("golds", [[[1]], [[2, 2, 2]], [[0], [1, 1]]])
def test_lists_in_which_nothing_is_better_are_refused(golds):
    with pytest.raises(UsageError, match="in no list is one candidate better"):
        boost(lists(*golds), 10)


def test_a_feature_of_the_best_candidates_alone_gets_a_finite_weight_without_smoothing():
    boosted = boost(lists([1, 0], [1, 0], features=[[["a"], []]] * 2), 3, smoothing=0.0)
    assert np.isfinite(boosted.steps).all()
    assert boosted.steps[0] > 15
    assert boosted.totals[1] < 1e-8


def test_the_unit_shrinks_with_the_loss():
    boosted = boost(lists([1, 0], features=[[["a"], []]]), 200, smoothing=0.05)
    naive = boost(lists([1, 0], features=[[["a"], []]]), 200, smoothing=0.05, algorithm="naive")
    assert boosted.totals[-1] < 2.0**-70
    assert boosted.steps.tolist() == naive.steps.tolist()
    assert (np.diff(boosted.totals) < 0).all()


def test_of_equal_features_the_first_is_chosen():
    boosted = boost(lists([1, 0], features=[[["x", "y", "z"], []]]), 1)
    assert boosted.features.tolist() == [0]


def test_values_are_refused():
    with pytest.raises(UsageError, match="needs binary features"):
        boost(random_candidates(1, values=True), 10)


@pytest.mark.parametrize("options", [{"smoothing": -1}, {"smoothing": float("nan")}, {"rounds": -1}])
def test_requests_without_sense_are_refused(options):
    with pytest.raises(UsageError, match="must be at least 0"):
        boost(random_candidates(1), **options)
    with pytest.raises(UsageError, match="features of the training data"):
        boost(random_candidates(1), 5, dev=random_candidates(1, features=41))
    with pytest.raises(UsageError, match="choose another value for alpha"):
        boost(random_candidates(1), 5, alpha=1e6)
