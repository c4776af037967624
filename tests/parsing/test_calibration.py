"""Mixtures are fitted so that what is right is most likely, and a second temperature must be worth it."""

import numpy as np
import pytest
from scipy.special import softmax

from treewright.learning.calibration import fit_temperature
from treewright.parsing.calibration import fit_discounted, fit_mixture
from treewright.parsing.mixture import Mixture


def drawn(mixture, seed, count=4_000):
    """Scores of five alternatives, and which of them is right: drawn at a temperature that is itself drawn."""
    rng = np.random.default_rng(seed)
    scores = 3 * rng.normal(size=(count, 5))
    temperatures = rng.choice(mixture.temperatures, p=mixture.shares, size=(count, 1))
    return scores, (scores / temperatures + rng.gumbel(size=scores.shape)).argmax(axis=1)


def likelihoods(scores, right):
    return lambda factor: softmax(scores * factor, axis=1)[np.arange(len(right)), right]


def loss(mixture, cases):
    return -np.log(mixture.mean(lambda t: likelihoods(*cases)(1 / t))).mean()


HEAVY = Mixture((0.5, 3.0), (0.8, 0.2))


def test_two_temperatures_are_found_and_mend_both_ends_of_the_scale():
    learned, unseen = drawn(HEAVY, 0), drawn(HEAVY, 1)
    fitted = fit_mixture(likelihoods(*learned))
    single = Mixture((fit_temperature(lambda factor: -np.log(likelihoods(*learned)(factor)).sum()),))
    assert fitted.temperatures == pytest.approx(HEAVY.temperatures, rel=0.4)
    assert fitted.shares == pytest.approx(HEAVY.shares, abs=0.1)
    assert loss(fitted, unseen) < loss(single, unseen) - 0.005
    assert loss(fitted, unseen) == pytest.approx(loss(HEAVY, unseen), abs=0.005)
    scores, right = unseen
    for mixture, is_honest in ((fitted, True), (single, False)):
        stated = mixture.mean(lambda t: softmax(scores / t, axis=1).max(axis=1))
        sure = stated > np.quantile(stated, 0.7)
        surplus = stated[sure].mean() - (scores.argmax(axis=1) == right)[sure].mean()
        assert (abs(surplus) < 0.015) == is_honest


def test_one_temperature_is_enough_where_one_made_the_cases():
    fitted = fit_mixture(likelihoods(*drawn(Mixture((2.0,)), 0, count=500)))
    assert len(fitted.temperatures) == 1
    assert fitted.temperatures[0] == pytest.approx(2.0, rel=0.15)


@pytest.mark.parametrize("power", [0.0, 0.5])
def test_a_statement_that_depends_on_something_else_is_discounted(power):
    rng = np.random.default_rng(3)
    scores, right = drawn(Mixture((2.0,)), 2)
    logs = np.log(rng.uniform(0.05, 1, len(right)))
    is_right = (scores.argmax(axis=1) == right) & (rng.random(len(right)) < np.exp(power * logs))

    def judgements(factor):
        best = softmax(scores * factor, axis=1).max(axis=1)
        return np.where(is_right, best, 1 - best)

    mixture, found = fit_discounted(judgements, is_right, logs)
    assert found == pytest.approx(power, abs=0.11)
    stated = mixture.mean(lambda t: softmax(scores / t, axis=1).max(axis=1)) * np.exp(found * logs)
    for some in (logs < -1.5, logs > -0.4):
        assert stated[some].mean() == pytest.approx(is_right[some].mean(), abs=0.03)
