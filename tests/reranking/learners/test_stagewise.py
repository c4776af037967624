"""Rounds are counted, and followed on dev data."""

import numpy as np
import pytest

from tests.reranking.random_candidates import dense, random_candidates
from treewright.reranking.learners.boosting import boost
from treewright.reranking.learners.differences import find_differences


def test_the_dev_score_after_every_round_is_that_of_its_model():
    train, dev = random_candidates(1, sentences=100), random_candidates(2, sentences=50)
    boosted, table = boost(train, 120, dev=dev), dense(dev)
    for n in (0, 1, 2, 50, 119, 120):
        scores = boosted.alpha * dev.log_probability + table @ boosted.weights(n)
        assert boosted.dev_scores[n] == pytest.approx(dev.score[dev.best(scores)].sum())
    assert boosted.best_rounds == np.argmax(boosted.dev_scores)
    assert boosted.weights().tolist() == boosted.weights(boosted.best_rounds).tolist()
    with pytest.raises(ValueError, match="rounds must be between 0 and 120, not 121"):
        boosted.weights(121)


def test_patience_ends_training():
    train, dev = random_candidates(1, sentences=100), random_candidates(2, sentences=50)
    boosted = boost(train, 100_000, dev=dev, patience=300)
    assert len(boosted) < 10_000
    assert len(boosted) - boosted.best_rounds >= 300


def test_work_is_counted():
    candidates = random_candidates(1)
    boosted, differences = boost(candidates, 50), find_differences(candidates)
    sizes = np.diff(differences.pair_offsets)
    expected = [
        sizes[differences.places[slice(*differences.feature_offsets[k : k + 2])] >> 1].sum() for k in boosted.features
    ]
    assert boosted.work.tolist() == expected
    assert boosted.full_work == sizes.sum()
    assert boosted.passes() == pytest.approx(sum(expected) / sizes.sum())
    assert boosted.savings(11, 50) == pytest.approx(40 * sizes.sum() / sum(expected[10:]))
    assert boosted.savings() == pytest.approx(50 * sizes.sum() / sum(expected))
