"""Mixtures of temperatures: sound, averaged, and the same after they were written down."""

import json
import math

import pytest

from treewright.parsing.mixture import Mixture

TWO = Mixture((0.5, 2.0), (0.75, 0.25))


@pytest.mark.parametrize("mixture", [Mixture(), Mixture((0.3,)), TWO])
def test_a_mixture_is_restored_as_it_was(mixture):
    assert Mixture.restore(json.loads(json.dumps(mixture.describe()))) == mixture


def test_a_number_is_a_single_temperature():
    assert Mixture.restore(0.7) == Mixture((0.7,))
    assert Mixture((0.7,)).describe() == 0.7


def test_averages_of_logarithms_are_those_of_probabilities():
    assert TWO.log_mean(lambda t: -1 / t) == pytest.approx(math.log(TWO.mean(lambda t: math.exp(-1 / t))))
    assert Mixture((0.7,)).log_mean(lambda t: -t) == -0.7


@pytest.mark.parametrize("temperatures", [(0.0,), (1.0, -1.0), (float("nan"),)])
def test_temperatures_are_positive(temperatures):
    with pytest.raises(ValueError, match="temperatures must be positive"):
        Mixture(temperatures, (1 / len(temperatures),) * len(temperatures))


@pytest.mark.parametrize("shares", [(0.5, 0.4), (1.0, 0.0), (1.5, -0.5)])
def test_shares_are_positive_and_sum_to_one(shares):
    with pytest.raises(ValueError, match="shares must be positive and sum to one"):
        Mixture((1.0, 2.0), shares)
