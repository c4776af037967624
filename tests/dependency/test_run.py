"""What probabilities are calibrated on: a part of the treebank that was not learned from, and never the dev set."""

import numpy as np
import pytest

from treewright.dependency.calibration import Calibration
from treewright.dependency.run import TrainingRun
from treewright.dependency.training import TrainingOptions, train_parser


def trained(treebank, dev, **choices):
    return train_parser(
        treebank, dev, TrainingOptions(**{"factorization": "arc", "tags": "gold", "epochs": 1, "threads": 1} | choices)
    )


@pytest.fixture(scope="module")
def halves(ewt):
    return ewt[::2], ewt[1::2]


def test_training_twice_changes_nothing_but_the_calibration(halves):
    treebank, dev = halves
    twice, once = trained(treebank, dev), trained(treebank, dev, calibrate="none")
    assert twice.calibration != once.calibration == Calibration()
    assert np.array_equal(twice.weights.values, once.weights.values)
    assert twice.info["trained on"] == once.info["trained on"]


def test_what_is_set_aside_is_not_learned_from(halves):
    treebank, dev = halves
    parser = trained(treebank, dev, calibrate="aside")
    assert parser.calibration != Calibration()
    assert parser.info["trained on"]["sentences"] == len(treebank) - len(treebank) // 4


@pytest.mark.parametrize("calibrate", ["twice", "aside"])
def test_the_dev_set_does_not_matter(halves, calibrate):
    treebank, dev = halves
    one, other = (trained(treebank, some, calibrate=calibrate) for some in (dev, dev[:3]))
    assert one.calibration == other.calibration


def test_too_few_sentences_are_not_split(halves):
    treebank, dev = halves
    assert trained(treebank[:3], dev[:3]).calibration == Calibration()


@pytest.mark.parametrize(("count", "aside"), [(3, 0), (40, 10), (300, 50), (2_000, 200), (20_000, 1_000)])
def test_a_tenth_is_set_aside_but_not_too_few_and_not_too_many(count, aside):
    run = TrainingRun(range(count), [], None, None, None, None, None, (), None)
    rest, held_out = run.split()
    assert len(held_out) == aside
    assert sorted([*rest.sentences, *held_out]) == list(range(count))
