"""Epochs: the best is kept, patience ends, an interruption loses nothing."""

import numpy as np
import pytest

from treewright.learning import Mistake, Perceptron, train


class Steady:
    """Three examples that are always wrong by one feature, so that weights tell how many were seen."""

    size = 4

    def __init__(self):
        self.order = []

    def __len__(self):
        return 3

    def words(self, index):
        return 10

    def mistake(self, index, weights, cost):
        self.order.append(index)
        return Mistake(np.array([index], np.int32), np.ones(1, np.float32), 2.0, 0.0)


def dev_scores(*scores):
    """Evaluate to these scores, one after the other; remember the weights."""
    seen = []

    def evaluate(weights):
        seen.append(weights.values.copy())
        return {"decides": scores[len(seen) - 1], "other": -10.0 * scores[len(seen) - 1]}

    return evaluate, seen


def test_the_best_epoch_is_kept_and_the_first_score_decides():
    evaluate, seen = dev_scores(1.0, 5.0, 3.0, 4.0)
    result = train(Steady(), Perceptron(), epochs=4, evaluate=evaluate)
    assert result.best.number == 2
    assert np.array_equal(result.weights.values, seen[1])
    assert not np.array_equal(seen[1], seen[3])
    assert [epoch.best for epoch in result.epochs] == [True, True, False, False]
    assert result.epochs[2].dev == {"decides": 3.0, "other": -30.0}
    assert not result.interrupted


def test_of_equally_good_epochs_the_first_is_kept():
    evaluate, seen = dev_scores(2.0, 2.0)
    result = train(Steady(), Perceptron(), epochs=2, evaluate=evaluate)
    assert result.best.number == 1
    assert np.array_equal(result.weights.values, seen[0])


@pytest.mark.parametrize(("patience", "epochs"), [(1, 3), (2, 6), (3, 7)])
def test_patience_ends(patience, epochs):
    evaluate, _ = dev_scores(1.0, 5.0, 3.0, 6.0, 4.0, 4.0, 4.0, 9.0)
    result = train(Steady(), Perceptron(), epochs=8, patience=patience, evaluate=evaluate)
    assert len(result.epochs) == epochs
    assert result.best.number == (2 if patience == 1 else 4)


def test_without_a_dev_set_the_last_epoch_is_the_best():
    result = train(Steady(), Perceptron(), epochs=5, patience=1)
    assert result.best.number == 5
    assert len(result.epochs) == 5


def interrupt_after(count):
    calls = []

    def callback(_):
        calls.append(None)
        if len(calls) == count:
            raise KeyboardInterrupt

    return callback


def test_an_interruption_keeps_the_best():
    evaluate, seen = dev_scores(5.0, 3.0, 9.0)
    result = train(Steady(), Perceptron(), epochs=9, evaluate=evaluate, on_progress=interrupt_after(3))
    assert result.interrupted
    assert len(result.epochs) == 2
    assert result.best.number == 1
    assert np.array_equal(result.weights.values, seen[0])


def test_an_interruption_between_epochs_keeps_the_last():
    evaluate, seen = dev_scores(5.0, 6.0)
    result = train(Steady(), Perceptron(), epochs=9, evaluate=evaluate, on_epoch=interrupt_after(2))
    assert result.interrupted
    assert result.best.number == 2
    assert np.array_equal(result.weights.values, seen[1])


def test_an_interruption_in_the_first_epoch_leaves_nothing():
    result = train(Steady(), Perceptron(), on_progress=interrupt_after(1))
    assert result.interrupted
    assert result.best is None
    assert not result.weights.values.any()


def test_other_errors_are_not_caught():
    def fail(weights):
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        train(Steady(), Perceptron(), evaluate=fail)


def test_progress_ends_with_every_epoch():
    heard, epochs = [], []
    train(Steady(), Perceptron(), epochs=3, on_progress=heard.append, on_epoch=epochs.append)
    ends = [progress for progress in heard if progress.done == progress.total]
    assert [progress.epoch for progress in ends] == [1, 2, 3]
    assert heard[-1] == ends[-1]
    assert heard[-1].share == 1.0
    assert ends[0].share == pytest.approx(1 / 3)
    assert all(progress.loss == 2.0 and progress.words_per_second > 0 for progress in ends)
    assert [epoch.number for epoch in epochs] == [1, 2, 3]
    assert epochs[0].loss == 2.0


def test_every_epoch_sees_every_example_once_in_an_order_of_its_own():
    orders = {}
    for seed in range(6):
        problem = Steady()
        train(problem, Perceptron(), epochs=4, seed=seed)
        epochs = np.array(problem.order).reshape(4, 3)
        assert (np.sort(epochs) == [0, 1, 2]).all()
        orders[seed] = tuple(problem.order)
        assert len({tuple(epoch) for epoch in epochs.tolist()}) > 1
    assert len(set(orders.values())) == 6
