"""Temperatures: what they make of scores, by enumeration, and how they are fitted."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from tests.inference.enumeration import all_trees
from treewright.dependency.calibration import Calibration
from treewright.dependency.parser import Parser
from treewright.dependency.probabilities import find_marginals, find_probabilities, log_probabilities
from treewright.inference import Parse, Scores, Trees
from treewright.parsing.mixture import Mixture

UNEQUAL = Calibration.of(heads=2.0, relations=0.5, trees=1.5)
MIXED = Calibration(Mixture((0.7, 2.0), (0.6, 0.4)), Mixture((0.2, 0.9), (0.3, 0.7)), Mixture((0.5, 3.0), (0.8, 0.2)))
SPACES = pytest.mark.parametrize("trees", [Trees(), Trees(projective=False, single_root=False)], ids=str)


def random_scores(n, labels, seed, scale=1.0):
    rng = np.random.default_rng(seed)
    return Scores(arc=scale * rng.normal(size=(n + 1, n + 1)), label=scale * rng.normal(size=(n + 1, n + 1, labels)))


def labelled_trees(trees, n, labels):
    for heads in all_trees(n, trees.projective, trees.single_root):
        for chosen in itertools.product(range(labels), repeat=n):
            yield Parse(heads, np.array([-1, *chosen], np.int32), 0.0)


def raw(scores, parse):
    arcs = [(int(h), m, int(parse.labels[m])) for m, h in enumerate(parse.heads) if m]
    return sum(scores.arc[h, m] + scores.label[h, m, label] for h, m, label in arcs)


@SPACES
def test_all_labelled_trees_sum_to_one_in_the_order_of_their_scores(trees):
    scores = random_scores(3, 2, 1)
    parses = list(labelled_trees(trees, 3, 2))
    logs = np.array(log_probabilities(trees, UNEQUAL, scores, parses))
    values = np.array([raw(scores, parse) for parse in parses])
    assert logsumexp(logs) == pytest.approx(0, abs=1e-9)
    assert logs == pytest.approx(values / 1.5 - logsumexp(values / 1.5))
    assert parses[logs.argmax()].heads.tolist() == trees.argmax(scores).heads.tolist()


@SPACES
def test_heads_and_relations_have_the_probabilities_of_a_nested_logit(trees):
    scores = random_scores(3, 3, 2)
    every = all_trees(3, trees.projective, trees.single_root)
    arc = (scores.arc + 0.5 * logsumexp(scores.label / 0.5, axis=-1)) / 2.0
    values = np.array([sum(arc[h, m] for m, h in enumerate(heads) if m) for heads in every])
    shares = softmax(values)
    best = trees.argmax(scores)
    [found] = find_probabilities(trees, UNEQUAL, scores, [best])
    for m, (head, relation) in enumerate(zip(found.heads, found.relations, strict=True), 1):
        h = best.heads[m]
        assert head == pytest.approx(shares[every[:, m] == h].sum())
        assert relation == pytest.approx(softmax(scores.label[h, m] / 0.5)[best.labels[m]])
    assert found.expected_errors == pytest.approx((1 - found.heads * found.relations).sum())
    marginals = find_marginals(trees, UNEQUAL.of_parts(scores))
    assert marginals.label[:, 1:].sum() == pytest.approx(3)


@SPACES
def test_a_mixture_of_temperatures_is_a_distribution_in_the_same_order(trees):
    scores = random_scores(3, 2, 6)
    parses = list(labelled_trees(trees, 3, 2))
    logs = np.array(log_probabilities(trees, MIXED, scores, parses))
    values = np.array([raw(scores, parse) for parse in parses])
    exact = MIXED.trees.mean(lambda temperature: softmax(values / temperature))
    assert np.exp(logs) == pytest.approx(exact)
    assert np.argsort(logs).tolist() == np.argsort(values).tolist()


@SPACES
def test_heads_and_relations_are_averages_over_temperatures(trees):
    scores = random_scores(3, 3, 7)
    every = all_trees(3, trees.projective, trees.single_root)
    arc = scores.arc + MIXED.relations.mean(lambda t: t * logsumexp(scores.label / t, axis=-1))
    values = np.array([sum(arc[h, m] for m, h in enumerate(heads) if m) for heads in every])
    shares = MIXED.heads.mean(lambda temperature: softmax(values / temperature))
    best = trees.argmax(scores)
    [found] = find_probabilities(trees, MIXED, scores, [best])
    for m, (head, relation) in enumerate(zip(found.heads, found.relations, strict=True), 1):
        h = best.heads[m]
        assert head == pytest.approx(shares[every[:, m] == h].sum())
        exact = MIXED.relations.mean(lambda t, h=h, m=m: softmax(scores.label[h, m] / t))
        assert relation == pytest.approx(exact[best.labels[m]])


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_equal_temperatures_divide_all_scores(temperature):
    scores = random_scores(4, 3, 3)
    same = Calibration.of(temperature, temperature, temperature)
    old, new = Trees().marginals(scores.scaled(1 / temperature)), find_marginals(Trees(), same.of_parts(scores))
    assert new.arc[:, 1:] == pytest.approx(old.arc[:, 1:])
    assert new.label[:, 1:] == pytest.approx(old.label[:, 1:])


def test_forbidden_arcs_and_relations_stay_forbidden():
    scores = random_scores(2, 2, 4)
    scores.label[0, 1] = -np.inf
    scores.label[2, 1, 0] = -np.inf
    marginals = find_marginals(Trees(), UNEQUAL.of_parts(scores))
    assert marginals.arc[2, 1] == pytest.approx(1)
    assert marginals.label[2, 1] == pytest.approx([0, 1])


def test_models_without_relations_have_heads_and_trees():
    scores = replace(random_scores(3, 1, 5), label=None)
    [found] = find_probabilities(Trees(), UNEQUAL, scores, [Trees().argmax(scores)])
    assert found.relations is None
    assert found.expected_errors == pytest.approx((1 - found.heads).sum())


@pytest.mark.parametrize("name", ["heads", "relations", "trees"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan")])
def test_a_temperature_is_positive(name, value):
    with pytest.raises(ValueError, match="temperatures must be positive"):
        Calibration.of(**{name: value})


# Old model files -------------------------------------------------------------------------------------------------


def test_mixtures_are_stored_and_single_temperatures_are_numbers():
    assert Calibration.restore({"calibration": MIXED.describe()}) == MIXED
    assert UNEQUAL.describe() == {"heads": 2.0, "relations": 0.5, "trees": 1.5, "tags": 0.0}
    assert Calibration.restore({"calibration": {"heads": 2, "relations": 0.5, "trees": 1.5}}) == UNEQUAL


def test_the_power_of_tags_is_stored():
    doubtful = replace(UNEQUAL, tags=0.25)
    assert Calibration.restore({"calibration": doubtful.describe()}) == doubtful
    assert doubtful.log_discount(np.array([0.5, 1.0, 0.5])) == pytest.approx(0.25 * np.log(0.25))
    assert doubtful.log_discount(None) == UNEQUAL.log_discount(np.array([0.5])) == 0


def test_an_older_model_has_one_temperature(ewt, gold_parser):
    manifest, arrays = gold_parser.describe()
    del manifest["calibration"]
    assert Parser.restore(manifest, arrays).calibration == Calibration()
    opened = Parser.restore(manifest | {"temperature": 0.7}, arrays)
    assert opened.calibration == Calibration.of(0.7, 0.7, 0.7)
    scores = opened.scores(ewt[3]).scaled(1 / 0.7)
    exact = opened.trees.marginals(scores).of_arcs(opened.trees.argmax(scores).heads)
    parsed = opened.parse_sentence(ewt[3], keep_tags=True, confidence=True)
    assert [misc.split("|")[-2] for misc in parsed.misc] == [f"Confidence={p:.4f}" for p in exact]
