"""Temperatures are fitted to what is known of sentences."""

import numpy as np
import pytest

from tests.dependency.test_calibration import random_scores
from treewright.dependency.calibration import Calibration
from treewright.dependency.probabilities import log_probabilities
from treewright.dependency.temperatures import Example, fit_calibration
from treewright.inference import Trees
from treewright.parsing.mixture import Mixture


def mean(mixture):
    return mixture.mean(lambda temperature: temperature)


def drawn(n, count, calibration):
    """Sentences whose trees are drawn from the model that a calibration makes of their scores."""
    rng = np.random.default_rng(0)
    for seed in range(count):
        scores = random_scores(n, 3, seed, scale=2.0)
        [(_, distribution)] = calibration.of_parts(scores)
        [heads] = Trees().sample(distribution, 1, seed)
        shares = np.exp(distribution.label[heads[1:], np.arange(1, n + 1)])
        labels = [-1, *(int(rng.choice(3, p=row / row.sum())) for row in shares)]
        yield Example(scores, heads, np.array(labels, np.int32))


def test_the_temperatures_that_made_the_trees_are_found():
    fitted = fit_calibration(Trees(), list(drawn(4, 600, Calibration.of(2.0, 0.5))), threads=1)
    assert mean(fitted.heads) == pytest.approx(2.0, rel=0.2)
    assert mean(fitted.relations) == pytest.approx(0.5, rel=0.2)


def test_the_best_tree_is_as_probable_as_it_is_often_right():
    examples = list(drawn(4, 600, Calibration()))
    fitted = fit_calibration(Trees(), examples, threads=1)
    assert mean(fitted.trees) == pytest.approx(1.0, rel=0.2)
    for half in (examples[::2], examples[1::2]):
        stated, right = [], []
        for scores, heads, labels, _ in half:
            best = Trees().argmax(scores)
            stated.append(np.exp(log_probabilities(Trees(), fitted, scores, [best])[0]))
            right.append(np.array_equal(best.heads, heads) and np.array_equal(best.labels, labels))
        assert np.mean(stated) == pytest.approx(np.mean(right), abs=0.06)


def test_relations_that_the_model_does_not_know_make_a_tree_wrong_and_are_not_fitted():
    examples = [one._replace(labels=np.full(5, -1, np.int32)) for one in drawn(4, 20, Calibration())]
    fitted = fit_calibration(Trees(), examples, threads=1)
    assert fitted.relations == Mixture()
    assert mean(fitted.trees) > 10
