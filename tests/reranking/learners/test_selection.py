"""Selection by LogLoss, against brute force and other optimisers."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from tests.reranking.random_candidates import negative_log_likelihood, random_candidates
from treewright.errors import UsageError
from treewright.reranking import CandidatesBuilder
from treewright.reranking.learners.boosting import boost
from treewright.reranking.learners.selection import LIMIT, select_features


@pytest.mark.parametrize("ties", ["all", "one"])
@pytest.mark.parametrize("method", ["newton", "scaling"])
@pytest.mark.parametrize("tied", [False, True])
def test_each_round_takes_the_best_feature_with_its_best_weight(tied, method, ties):
    candidates = random_candidates(0, sentences=60, tied=tied)
    selected = select_features(candidates, 4, method=method, ties=ties)
    for t in range(4):
        before, losses = selected.weights(t), []
        assert selected.totals[t] == pytest.approx(negative_log_likelihood(candidates, 1.0, before, ties))
        for k in range(candidates.feature_count):

            def loss(step, k=k, before=before):
                return negative_log_likelihood(candidates, 1.0, before + step * (np.arange(len(before)) == k), ties)

            found = minimize_scalar(loss, bounds=(-LIMIT, LIMIT), method="bounded", options={"xatol": 1e-6})
            losses.append(found.fun)
            if k == selected.features[t]:
                assert selected.steps[t] == pytest.approx(found.x, abs=2e-3)
        assert losses[selected.features[t]] == pytest.approx(min(losses), abs=1e-6)


@pytest.mark.parametrize("worst", [-6.0, -10.0, -15.0, -25.0])
def test_scaling_reaches_an_optimum_that_is_far_away(worst):
    """Of two lists, the feature is of the best candidate of one, and of an improbable candidate of the other."""
    builder = CandidatesBuilder(["good"])
    builder.add([0.0, 0.0], [1.0, 0.0], [["good"], []])
    builder.add([0.0, worst], [1.0, 0.0], [[], ["good"]])
    for _ in range(50):  # all candidates have it: this changes nothing, but it made for small steps
        builder.add([0.0, 0.0], [1.0, 0.0], [["good"], ["good"]])
    candidates = builder.build()
    scaling, newton = (select_features(candidates, 1, method=method).steps for method in ("scaling", "newton"))
    found = minimize_scalar(
        lambda step: negative_log_likelihood(candidates, 1.0, np.array([step])),
        bounds=(-LIMIT, LIMIT),
        method="bounded",
        options={"xatol": 1e-7},
    )
    assert scaling == pytest.approx(newton, abs=1e-5)
    assert scaling == pytest.approx([-worst / 2], abs=1e-5)
    assert scaling == pytest.approx([found.x], abs=1e-3)


@pytest.mark.parametrize("method", ["newton", "scaling"])
@pytest.mark.parametrize("seed", range(3))
def test_trying_only_what_may_have_changed_changes_nothing(seed, method):
    candidates = random_candidates(seed, one_sided=seed == 2, tied=seed == 1)
    naive, efficient = (select_features(candidates, 40, method=method, algorithm=a) for a in ("naive", "efficient"))
    assert efficient.features.tolist() == naive.features.tolist()
    assert efficient.steps.tolist() == naive.steps.tolist()
    assert efficient.work.sum() <= naive.work.sum()


@pytest.mark.parametrize("method", ["newton", "scaling"])
def test_log_loss_never_rises(method):
    candidates = random_candidates(3, sentences=80, tied=True)
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


def test_alpha_can_be_fitted():
    candidates = random_candidates(1, tied=True)
    fitted, nothing = select_features(candidates, 3, alpha="fit"), np.zeros(candidates.feature_count)
    assert fitted.totals[0] == pytest.approx(negative_log_likelihood(candidates, fitted.alpha, nothing))
    assert fitted.totals[0] < negative_log_likelihood(candidates, 1.0, nothing)


def test_a_step_beyond_a_maximum_is_taken_back():
    """LogLoss falls at first, rises above its start, and falls slowly without end: there no step is a gain."""
    builder = CandidatesBuilder(["x"])
    for first, differing, own, has in (
        (0.3, 0.385, 0.02, False),
        (0.3, 0.63, 0.005, False),
        (0.001, 0.998, 0.225, True),
        (0.3, 0.438, 0.032, True),
    ):
        second = first * own / (1 - own)  # as good as the first, and different from it, like the third
        chances = [first, second, differing - second, 1 - first - differing]
        features = [["x"] * has, ["x"] * (not has), ["x"] * (not has), ["x"] * has]
        builder.add(np.log(chances).tolist(), [1, 1, 0, 0], features)
    candidates = builder.build()
    losses = [negative_log_likelihood(candidates, 1.0, np.array([step])) for step in (0.0, 0.1, 0.2, LIMIT, LIMIT - 1)]
    assert losses[3] > losses[0] > losses[1]
    assert losses[3] < losses[4]
    for method in ("newton", "scaling"):
        selected = select_features(candidates, 5, method=method)
        found = [negative_log_likelihood(candidates, 1.0, selected.weights(t)) for t in range(len(selected) + 1)]
        assert found[-1] < losses[0] - 0.01
        assert (np.diff(found) < 1e-12).all()


def test_requests_without_sense_are_refused():
    with pytest.raises(UsageError, match="must be at least 0, not -1"):
        select_features(random_candidates(1), -1)
