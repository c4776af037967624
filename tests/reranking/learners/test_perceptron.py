"""The averaged perceptron, against one that keeps all its weights."""

import numpy as np
import pytest

from tests.reranking.random_candidates import dense, random_candidates
from treewright.errors import UsageError
from treewright.reranking.learners.perceptron import perceptron


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


def test_no_epochs_are_refused():
    with pytest.raises(UsageError, match="at least one epoch"):
        perceptron(random_candidates(1), 0)
