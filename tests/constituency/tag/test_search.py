"""Both models against enumeration of all derivations: argmax, k best, log-partition, marginals."""

import itertools

import numpy as np
import pytest

from tests.constituency.tag.enumeration import Enumeration, random_space
from treewright.constituency.tag import search
from treewright.treebank import Sentence

CASES = [
    pytest.param((n, seed, second), id=f"{n} words, seed {seed}, {'second' if second else 'first'} order")
    for second in (False, True)
    for n, seeds in ((1, 2), (2, 6), (3, 6), (4, 3))
    for seed in range(seeds)
]


def named(space, joins):
    derivation = space.derivation(Sentence.from_forms(["w"] * space.graph.n), joins)
    columns = (derivation.spines, derivation.heads, derivation.positions, derivation.adjunctions)
    return tuple(tuple(column.tolist()) for column in columns)


@pytest.fixture(params=CASES)
def case(request):
    n, seed, second = request.param
    rng = np.random.default_rng(seed)
    own, space = random_space(rng, n, second=second, keep=1.0 if seed % 2 else 0.6)
    scores = rng.normal(size=space.layout.parts)
    scores[space.layout.zeros :] = 0.0
    return own, space, scores, Enumeration(own, space, scores)


def test_the_best_derivation_is_the_best(case):
    _, space, scores, truth = case
    score, joins = search.best(space, scores)
    if not truth.scores:
        assert joins is None
        return
    assert score == pytest.approx(max(truth.scores.values()), abs=1e-9)
    assert truth.scores[named(space, joins)] == pytest.approx(score, abs=1e-9)


def test_parts_of_a_derivation_are_those_of_the_definitions(case):
    _, space, scores, truth = case
    _, joins = search.best(space, scores)
    if joins is None:
        return
    found = space.parts_of(joins)
    root = {truth.names[name] for name in truth.names if name[:2] == ("close", 0)}
    assert sorted(found) == sorted(set(truth.parts[named(space, joins)]) - root)


def test_sums_and_marginals(case):
    _, space, scores, truth = case
    total, marginals = search.sums(space, scores)
    if not truth.scores:
        assert total == -np.inf
        return
    values = np.array(list(truth.scores.values()))
    expected = np.logaddexp.reduce(values)
    assert total == pytest.approx(expected, abs=1e-9)
    assert search.log_total(space, scores) == pytest.approx(expected, abs=1e-9)
    truly = np.zeros(space.layout.zeros)
    for parts, value in zip(truth.parts.values(), values, strict=True):
        np.add.at(truly, parts, np.exp(value - expected))
    np.testing.assert_allclose(marginals[: space.layout.zeros], truly, atol=1e-9)


def test_the_k_best_are_the_k_best(case):
    _, space, scores, truth = case
    found = list(itertools.islice(search.best_first(space, scores, 40), 150))
    assert len(found) == min(150, len(truth.scores))
    best = sorted(truth.scores.values(), reverse=True)[: len(found)]
    np.testing.assert_allclose([score for score, _ in found], best, atol=1e-9)
    names = [named(space, joins) for _, joins in found]
    assert len(set(names)) == len(names)
    assert all(
        truth.scores[name] == pytest.approx(score, abs=1e-9) for (score, _), name in zip(found, names, strict=True)
    )


def test_all_derivations_are_listed():
    rng = np.random.default_rng(5)
    own, space = random_space(rng, 3, second=True)
    scores = np.zeros(space.layout.parts)
    truth = Enumeration(own, space, scores)
    assert len(truth.scores) > 100
    assert len(list(search.best_first(space, scores, 2))) == len(truth.scores)
    assert search.log_total(space, scores) == pytest.approx(np.log(len(truth.scores)))
