"""Mixtures: the line search against every interval, and what tuning must never do."""

import itertools

import numpy as np
import pytest

from treewright.reranking.candidates import Candidates
from treewright.reranking.hidden.mixture import LARGEST, line_optimum, tune_mixture


def random_candidates(seed, sentences=30, most=6):
    generator = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(generator.integers(1, most, sentences))])
    n = int(offsets[-1])
    nothing = np.zeros(n + 1, np.int64), np.zeros(0, np.int32)
    return Candidates(offsets, generator.normal(size=n), generator.random(n).round(1), *nothing), generator


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("ties", [False, True])
def test_the_line_search_finds_the_best_weight(seed, ties):
    candidates, generator = random_candidates(seed)
    constant, slope = candidates.log_probability.copy(), generator.normal(size=len(candidates))
    if ties:
        constant, slope = constant.round(), slope.round()

    def gold(weight):
        return candidates.gold[candidates.best(constant + weight * slope)].sum()

    crossings = {0.0, LARGEST}
    for first, last in zip(candidates.offsets[:-1], candidates.offsets[1:], strict=True):
        for i in range(first, last):
            for j in range(first, last):
                if slope[i] != slope[j]:
                    crossings.add((constant[i] - constant[j]) / (slope[j] - slope[i]))
    inside = sorted(crossing for crossing in crossings if 0 <= crossing <= LARGEST)
    best = max(gold((a + b) / 2) for a, b in itertools.pairwise(inside) if b > a)
    assert gold(line_optimum(candidates.offsets, constant, slope, candidates.gold, LARGEST)) == pytest.approx(best)


def test_a_model_that_is_always_right_is_not_outvoted():
    candidates, generator = random_candidates(2, 200)
    noise = generator.normal(size=(2, len(candidates)))
    mixture = tune_mixture(["base", "gold", "noise"], [noise[0], candidates.gold, noise[1]], candidates)
    assert mixture.gold == pytest.approx(candidates.gold[candidates.oracle()].mean())


@pytest.mark.parametrize("seed", range(5))
def test_a_mixture_is_at_least_as_good_as_each_of_its_models(seed):
    candidates, generator = random_candidates(seed, 80)
    others = candidates.gold + generator.normal(0, [[0.5], [1.0], [50.0]], (3, len(candidates)))
    columns = np.vstack([candidates.log_probability, others])
    mixture = tune_mixture(["base", "one", "two", "three"], columns, candidates)
    chosen = candidates.best(mixture.scores(columns))
    assert candidates.gold[chosen].mean() == pytest.approx(mixture.gold)
    assert mixture.gold >= max(candidates.gold[candidates.best(column)].mean() for column in columns)
    assert sum(mixture.weights) == pytest.approx(1)
    assert min(mixture.weights) >= 0
    again = tune_mixture(["base", "one", "two", "three"], columns, candidates)
    assert again == mixture


def test_units_do_not_matter():
    candidates, generator = random_candidates(3, 80)
    other = candidates.gold + generator.normal(0, 0.5, len(candidates))
    one = tune_mixture(["base", "other"], [candidates.log_probability, other], candidates)
    two = tune_mixture(["base", "other"], [candidates.log_probability, 1024 * other], candidates)
    assert two.weights[1] * 1024 / two.weights[0] == pytest.approx(one.weights[1] / one.weights[0])


def test_what_does_not_fit_is_refused():
    candidates, _ = random_candidates(1)
    with pytest.raises(ValueError, match="of shape"):
        tune_mixture(["base"], np.zeros((2, len(candidates))), candidates)
    mixture = tune_mixture(["base"], [candidates.log_probability], candidates)
    with pytest.raises(ValueError, match="1 models"):
        mixture.scores(np.zeros((2, 4)))
