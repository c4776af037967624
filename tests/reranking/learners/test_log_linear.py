"""Log-linear reranking: the gradient against finite differences, the optimum against another optimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.reranking.random_candidates import negative_log_likelihood, random_candidates
from treewright.errors import UsageError
from treewright.learning.batch import Objective
from treewright.reranking.learners.log_linear import CandidateLosses, log_linear


@pytest.mark.parametrize("ties", ["all", "one"])
@pytest.mark.parametrize("values", [False, True])
def test_the_gradient_is_that_of_finite_differences(values, ties):
    candidates = random_candidates(1, values=values, tied=True)
    objective = Objective(CandidateLosses(candidates, ties), 0.7, unpenalized=1)
    random = np.random.default_rng(0)
    vector = random.normal(size=candidates.feature_count + 1) * 0.3
    value, gradient = objective(vector)
    loss = negative_log_likelihood(candidates, vector[0], vector[1:], ties)
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
    objective = Objective(CandidateLosses(candidates), 2.0, unpenalized=1)
    value, gradient = objective(np.concatenate([[alpha], weights]))
    assert np.abs(gradient).max() < 1e-5
    other = minimize(lambda v: objective(v)[0], np.zeros(candidates.feature_count + 1), method="BFGS")
    assert value == pytest.approx(other.fun, rel=1e-6)
    assert reports == list(range(1, len(reports) + 1))


@pytest.mark.parametrize("ties", ["all", "one"])
def test_with_ties_it_ends_where_the_gradient_is_zero(ties):
    candidates = random_candidates(2, tied=True)
    alpha, weights = log_linear(candidates, 2.0, ties=ties, tolerance=1e-7)
    value, gradient = Objective(CandidateLosses(candidates, ties), 2.0, unpenalized=1)(np.append(alpha, weights))
    assert np.abs(gradient).max() < 1e-5
    other = log_linear(candidates, 2.0, ties="one" if ties == "all" else "all", tolerance=1e-7)
    assert value < Objective(CandidateLosses(candidates, ties), 2.0, unpenalized=1)(np.append(*other))[0]


def test_requests_without_sense_are_refused():
    with pytest.raises(UsageError, match="positive C"):
        log_linear(random_candidates(1), 0.0)
    with pytest.raises(UsageError, match="in no list is one candidate better"):
        log_linear(random_candidates(1, most=1))
    with pytest.raises(UsageError, match="no list has more than one"):
        log_linear(random_candidates(1, most=1), ties="one")
