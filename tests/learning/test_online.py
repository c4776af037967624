"""Learners and averaging: the step is the one that the papers define."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from treewright.learning import Mira, Mistake, Perceptron
from treewright.learning.online import AveragedWeights, combine


def mistake(places, values, loss=1.0, margin=0.0):
    return Mistake(np.array(places, np.int32), np.array(values, np.float32), loss, margin)


def random_mistakes(count, size, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        places = rng.integers(0, size, 8)
        yield mistake(places, rng.choice([-1, 1], 8), float(rng.integers(1, 5)), float(rng.normal()))


def test_equal_places_are_added_up_and_what_cancels_is_dropped():
    scratch = np.zeros(20, np.float32)
    for example in random_mistakes(200, 20):
        expected: dict[int, float] = {}
        for place, value in zip(example.places.tolist(), example.values.tolist(), strict=True):
            expected[place] = expected.get(place, 0) + value
        expected = {place: value for place, value in expected.items() if value}
        places, values, squared_norm = combine(example.places.copy(), example.values.copy(), scratch)
        assert len(places) == len(expected)
        assert dict(zip(places.tolist(), values.tolist(), strict=True)) == expected
        assert squared_norm == sum(value**2 for value in expected.values())
        assert not scratch.any()


def smallest_step(difference, loss, margin, C):
    """Solve min ½‖d‖² + C·ξ subject to margin + d·f ≥ loss - ξ and ξ ≥ 0, by a general method."""
    size = len(difference)
    constraint = LinearConstraint(np.append(difference, 1.0)[None], loss - margin, np.inf)
    solution = minimize(
        lambda x: 0.5 * x[:size] @ x[:size] + C * x[size],
        np.append(np.zeros(size), max(0.0, loss - margin)),
        jac=lambda x: np.append(x[:size], C),
        bounds=[(None, None)] * size + [(0, None)],
        constraints=constraint,
        method="SLSQP",
        options={"ftol": 1e-10},
    )
    assert solution.success
    return solution.x[:size]


@pytest.mark.parametrize("C", [20.0, 0.3, 0.01])
def test_mira_takes_the_smallest_step_that_corrects_the_mistake(C):
    for example in random_mistakes(20, 6, seed=1):
        difference = np.zeros(6)
        np.add.at(difference, example.places, example.values)
        weights = AveragedWeights(6)
        weights.update(example, Mira(C))
        if difference.any():
            expected = smallest_step(difference, example.loss, example.margin, C)
            assert weights.current.values == pytest.approx(expected, abs=1e-4)
        else:
            assert not weights.current.values.any()


def test_mira_does_nothing_when_the_margin_is_there():
    assert Mira(1.0).step(loss=2.0, margin=2.0, squared_norm=4.0) == 0
    assert Mira(1.0).step(loss=2.0, margin=5.0, squared_norm=4.0) == 0


def test_the_step_is_reported():
    weights = AveragedWeights(4)
    assert weights.update(mistake([0, 1], [1, -1], loss=3.0, margin=1.0), Mira(10.0)) == 1.0
    assert weights.update(mistake([0, 1], [1, -1], loss=3.0, margin=1.0), Mira(0.1)) == pytest.approx(0.1)
    assert weights.update(mistake([0, 1], [2, -1]), Perceptron()) == 1.0
    assert weights.update(None, Perceptron()) == 0.0


def test_the_perceptron_adds_the_difference():
    weights = AveragedWeights(4)
    weights.update(mistake([0, 3, 3], [1, -1, -1], loss=7.0, margin=-9.0), Perceptron())
    assert weights.current.values.tolist() == [1, 0, 0, -2]


def test_a_mistake_whose_features_cancel_changes_nothing():
    weights = AveragedWeights(4)
    assert weights.update(mistake([2, 2], [1, -1]), Mira()) == 0.0
    assert not weights.current.values.any()


@pytest.mark.parametrize("learner", [Perceptron(), Mira(0.05), Mira(100.0)], ids=["perceptron", "mira", "large steps"])
def test_the_average_is_that_of_the_weights_after_every_example(learner):
    weights = AveragedWeights(12)
    snapshots = []
    for number, example in enumerate(random_mistakes(60, 12, seed=2)):
        weights.update(None if number % 3 == 1 else example, learner)
        snapshots.append(weights.current.values.astype(np.float64))
        if number in (0, 1, 7, 59):
            assert weights.average().values == pytest.approx(np.mean(snapshots, axis=0), rel=1e-4, abs=1e-5)


def test_the_average_of_nothing_is_zero():
    assert AveragedWeights(3).average().values.tolist() == [0, 0, 0]


def test_averaging_leaves_the_weights_alone():
    weights = AveragedWeights(3)
    weights.update(mistake([0], [1]), Perceptron())
    weights.update(None, Perceptron())
    weights.average().values[:] = 9
    assert weights.current.values.tolist() == [1, 0, 0]
    assert weights.average().values.tolist() == [1, 0, 0]
