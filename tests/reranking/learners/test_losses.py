"""Losses, and the weight of the base model that minimizes each, against their definitions."""

import numpy as np
import pytest

from tests.reranking.random_candidates import brute_force_pairs, negative_log_likelihood, random_candidates
from treewright.reranking import CandidatesBuilder
from treewright.reranking.candidates.scoring import score_candidates
from treewright.reranking.learners.differences import find_differences
from treewright.reranking.learners.losses import exp_loss, fit_alpha, fit_log_alpha, pair_chances, to_errors

GRID = np.arange(1, 10_001) / 1000


@pytest.mark.parametrize("seed", range(3))
def test_alpha_is_that_of_a_search_through_all_values(seed):
    differences = find_differences(random_candidates(seed))
    losses = [exp_loss(differences, a * differences.log_probability) for a in GRID]
    assert fit_alpha(differences) == pytest.approx(GRID[np.argmin(losses)], abs=0.001)


@pytest.mark.parametrize("ties", ["all", "one"])
@pytest.mark.parametrize("seed", range(3))
def test_alpha_of_log_loss_is_that_of_a_search_through_all_values(seed, ties):
    candidates = random_candidates(seed, tied=True)
    nothing, grid = np.zeros(candidates.feature_count), GRID[:3000:5]
    losses = [negative_log_likelihood(candidates, a, nothing, ties) for a in grid]
    found = fit_log_alpha(candidates, candidates.is_best(ties))
    assert found == pytest.approx(grid[np.argmin(losses)], abs=0.005)


def test_alpha_is_one_where_all_are_equally_probable():
    builder = CandidatesBuilder()
    builder.add([-1.0, -1.0], [1.0, 0.0], [[], []])
    builder.add([-2.0, -2.0], [1.0, 0.0], [[], []])
    candidates = builder.build()
    assert fit_alpha(find_differences(candidates)) == 1.0
    assert fit_log_alpha(candidates, candidates.is_best()) == 1.0


@pytest.mark.parametrize("ties", ["all", "one"])
@pytest.mark.parametrize("seed", range(3))
def test_log_loss_is_that_of_the_definition_and_errors_are_its_gradient(seed, ties):
    candidates = random_candidates(seed, tied=True)
    weights = np.random.default_rng(seed).normal(size=candidates.feature_count)
    scores, is_best = score_candidates(candidates, 0.7, weights), candidates.is_best(ties)
    errors = scores.copy()
    loss = to_errors(candidates.offsets, is_best, errors)
    assert loss == pytest.approx(negative_log_likelihood(candidates, 0.7, weights, ties))
    for c in range(len(candidates)):
        step = 1e-6 * (np.arange(len(candidates)) == c)
        more, less = (to_errors(candidates.offsets, is_best, scores + s) for s in (step, -step))
        assert errors[c] == pytest.approx((more - less) / 2e-6, abs=1e-7)


def test_equally_good_candidates_are_not_pushed_down():
    """With the loss of one best candidate, another one as good would have a positive gradient."""
    offsets, is_best, scores = np.array([0, 3]), np.array([True, True, False]), np.array([-1.0, -2.0, 0.0])
    errors = scores.copy()
    to_errors(offsets, is_best, errors)
    assert errors[0] < 0
    assert errors[1] < 0
    assert errors[2] == pytest.approx(1 / (1 + np.exp(-1) + np.exp(-2)))
    to_errors(offsets, np.array([True, False, False]), scores)
    assert scores[1] > 0


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_chances_of_pairs_are_products_of_probabilities(scale):
    candidates = random_candidates(1, tied=True)
    weights = scale * np.random.default_rng(1).normal(size=candidates.feature_count)
    differences, scores = find_differences(candidates, "uniform", "each-worse"), None
    margins, scores = differences.margins(0.7, weights), score_candidates(candidates, 0.7, weights)
    pairs = brute_force_pairs(candidates, "each-worse")
    for i in range(candidates.sentences):
        first, end = differences.offsets[i : i + 2]
        if first == end:
            continue
        found = pair_chances(margins, first, end, differences.best_count[i])
        own = slice(*candidates.offsets[i : i + 2])
        log_total, log_best = (np.logaddexp.reduce(scores[own][mask]) for mask in (..., candidates.is_best()[own]))
        expected = [np.exp(scores[c] - log_total + scores[b] - log_best) for j, b, c, _ in pairs if j == i]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-300)
