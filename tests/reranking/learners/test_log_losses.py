"""LogLoss: selection against brute force, gradients against finite differences, optima against other optimisers."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from tests.reranking.learners.test_boosting import dense
from tests.reranking.random_candidates import random_candidates
from treewright.errors import UsageError
from treewright.reranking.learners.boosting import boost
from treewright.reranking.learners.differences import find_differences
from treewright.reranking.learners.log_linear import LogLinearObjective, log_linear
from treewright.reranking.learners.losses import log_loss
from treewright.reranking.learners.perceptron import perceptron
from treewright.reranking.learners.selection import LIMIT, select_features


def negative_log_likelihood(candidates, alpha, weights):
    """Compute −Σ log P of the best candidates from the definition."""
    scores, loss = alpha * candidates.log_probability + dense(candidates) @ weights, 0.0
    for i, best in enumerate(candidates.oracle()):
        rows = scores[candidates.offsets[i] : candidates.offsets[i + 1]]
        loss += np.log(np.exp(rows - scores[best]).sum())
    return loss


@pytest.mark.parametrize("seed", range(3))
def test_log_loss_of_margins_is_that_of_probabilities(seed):
    candidates = random_candidates(seed)
    weights = np.random.default_rng(seed).normal(size=candidates.feature_count)
    differences = find_differences(candidates, "uniform", ties=True)
    loss = log_loss(differences, differences.margins(0.7, weights))
    assert loss == pytest.approx(negative_log_likelihood(candidates, 0.7, weights))


@pytest.mark.parametrize("method", ["newton", "scaling"])
@pytest.mark.parametrize("seed", range(2))
def test_each_round_takes_the_best_feature_with_its_best_weight(seed, method):
    candidates = random_candidates(seed, sentences=60)
    selected = select_features(candidates, 4, method=method)
    for t in range(4):
        before, losses = selected.weights(t), []
        assert selected.totals[t] == pytest.approx(negative_log_likelihood(candidates, 1.0, before))
        for k in range(candidates.feature_count):

            def loss(step, k=k, before=before):
                return negative_log_likelihood(candidates, 1.0, before + step * (np.arange(len(before)) == k))

            found = minimize_scalar(loss, bounds=(-LIMIT, LIMIT), method="bounded", options={"xatol": 1e-6})
            losses.append(found.fun)
            if k == selected.features[t]:
                assert selected.steps[t] == pytest.approx(found.x, abs=2e-3)
        assert losses[selected.features[t]] == pytest.approx(min(losses), abs=1e-6)


@pytest.mark.parametrize("method", ["newton", "scaling"])
@pytest.mark.parametrize("seed", range(3))
def test_trying_only_what_may_have_changed_changes_nothing(seed, method):
    candidates = random_candidates(seed, one_sided=seed == 2)
    naive, efficient = (select_features(candidates, 40, method=method, algorithm=a) for a in ("naive", "efficient"))
    assert efficient.features.tolist() == naive.features.tolist()
    assert efficient.steps.tolist() == naive.steps.tolist()
    assert efficient.work.sum() <= naive.work.sum()


@pytest.mark.parametrize("method", ["newton", "scaling"])
def test_log_loss_never_rises(method):
    candidates = random_candidates(3, sentences=80)
    selected = select_features(candidates, 60, method=method)
    assert (np.diff(selected.totals) <= 1e-9).all()
    assert selected.totals[-1] < selected.totals[0] - 1


def test_both_ways_to_select_approach_the_same_optimum():
    candidates = random_candidates(4, sentences=300, features=12)

    def loss(weights):
        return negative_log_likelihood(candidates, 1.0, weights)

    optimum = minimize(loss, np.zeros(12), method="BFGS").fun
    for boosted in (select_features(candidates, 400), boost(candidates, 4000, loss="log", smoothing=0.0)):
        assert loss(boosted.weights()) == pytest.approx(optimum, rel=1e-5)


def test_a_feature_of_the_best_alone_gets_a_finite_weight():
    candidates = random_candidates(2, one_sided=True)
    for method in ("newton", "scaling"):
        selected = select_features(candidates, 30, method=method)
        assert np.isfinite(selected.steps).all()
        assert (np.abs(selected.steps) <= LIMIT).all()


@pytest.mark.parametrize("values", [False, True])
def test_the_gradient_is_that_of_finite_differences(values):
    candidates = random_candidates(1, values=values)
    objective = LogLinearObjective(candidates, 0.7)
    random = np.random.default_rng(0)
    vector = random.normal(size=candidates.feature_count + 1) * 0.3
    value, gradient = objective(vector)
    loss = negative_log_likelihood(candidates, vector[0], vector[1:])
    assert value == pytest.approx(0.7 * loss + 0.5 * vector[1:] @ vector[1:])
    for k in range(len(vector)):
        step = 1e-5 * (np.arange(len(vector)) == k)
        slope = (objective(vector + step)[0] - objective(vector - step)[0]) / 2e-5
        assert gradient[k] == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("values", [False, True])
def test_log_linear_finds_the_optimum(values):
    candidates = random_candidates(1, values=values)
    reports = []
    alpha, weights = log_linear(candidates, 2.0, tolerance=1e-7, report=reports.append)
    objective = LogLinearObjective(candidates, 2.0)
    value, gradient = objective(np.concatenate([[alpha], weights]))
    assert np.abs(gradient).max() < 1e-5
    other = minimize(lambda v: objective(v)[0], np.zeros(candidates.feature_count + 1), method="BFGS")
    assert value == pytest.approx(other.fun, rel=1e-6)
    assert reports == list(range(1, len(reports) + 1))


def naive_perceptron(candidates, epochs, alpha, seed):
    table, random = dense(candidates), np.random.default_rng(seed)
    best, weights, total, steps = candidates.oracle(), np.zeros(candidates.feature_count), 0.0, 0
    for _ in range(epochs):
        for i in random.permutation(candidates.sentences):
            rows = np.arange(candidates.offsets[i], candidates.offsets[i + 1])
            chosen = rows[np.argmax(alpha * candidates.log_probability[rows] + table[rows] @ weights)]
            if candidates.score[chosen] < candidates.score[best[i]]:
                weights = weights + table[best[i]] - table[chosen]
            total, steps = total + weights, steps + 1
    return total / steps


@pytest.mark.parametrize("values", [False, True])
def test_the_perceptron_averages_all_its_weights(values):
    candidates = random_candidates(1, values=values)
    weights = perceptron(candidates, 3, alpha=0.5, seed=4)
    np.testing.assert_allclose(weights, naive_perceptron(candidates, 3, 0.5, 4), atol=1e-9)
    assert weights.any()


def test_requests_without_sense_are_refused():
    candidates = random_candidates(1)
    with pytest.raises(UsageError, match="positive C"):
        log_linear(candidates, 0.0)
    with pytest.raises(UsageError, match="at least one epoch"):
        perceptron(candidates, 0)
    with pytest.raises(UsageError, match="not negative"):
        select_features(candidates, -1)
    with pytest.raises(UsageError, match="no list has more than one"):
        log_linear(random_candidates(1, most=1))
