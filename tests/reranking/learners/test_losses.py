"""Losses of margins, and the weight of the base model, against their definitions."""

import numpy as np
import pytest

from tests.reranking.random_candidates import negative_log_likelihood, random_candidates
from treewright.reranking.learners.differences import find_differences
from treewright.reranking.learners.losses import exp_loss, fit_alpha, log_loss


@pytest.mark.parametrize("seed", range(3))
def test_alpha_is_that_of_a_search_through_all_values(seed):
    differences = find_differences(random_candidates(seed))
    grid = np.arange(1, 10_001) / 1000
    losses = [exp_loss(differences, a * differences.log_probability) for a in grid]
    assert fit_alpha(differences) == pytest.approx(grid[np.argmin(losses)], abs=0.001)


@pytest.mark.parametrize("seed", range(3))
def test_log_loss_of_margins_is_that_of_probabilities(seed):
    candidates = random_candidates(seed)
    weights = np.random.default_rng(seed).normal(size=candidates.feature_count)
    differences = find_differences(candidates, "uniform", ties=True)
    loss = log_loss(differences, differences.margins(0.7, weights))
    assert loss == pytest.approx(negative_log_likelihood(candidates, 0.7, weights))
