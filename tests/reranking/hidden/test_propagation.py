"""Sums, marginals, gradients and best assignments, against enumeration."""

import numpy as np
import pytest

from tests.reranking.hidden.enumeration import Truth, candidates_of, constituents, dependencies
from treewright.reranking.hidden.features import HiddenFeatures
from treewright.reranking.hidden.likelihood import add_gradient, candidate_scores, find_assignment
from treewright.reranking.hidden.sequences import TaggedSequence
from treewright.reranking.hidden.supersenses import Supersenses
from treewright.reranking.options import HiddenSettings

SENSES = Supersenses(
    {
        "dog n": ("noun.animal", "noun.person"),
        "joy n": ("noun.feeling",),
        "see v": ("verb.perception",),
        "joy r": ("adv.all", "noun.feeling"),
    }
)
UNIT = 1.7


def sequences():
    one = [
        TaggedSequence(["I", "saw", "a", "dog"], tags.split())
        for tags in ("PRP VBD DT NN", "PRP NN DT NN", "CD VBD IN VB")
    ]
    return [one, [TaggedSequence(["dogs"], ["NNS"]), TaggedSequence(["dogs"], ["VBZ"])]]


LISTS = {"constituents": constituents, "dependencies": dependencies, "sequences": sequences}


def problem(kind, domains, structure, cutoff=1):
    lists = LISTS[kind]()
    candidates = candidates_of(lists)
    features = HiddenFeatures(HiddenSettings(domains, structure, cutoff), SENSES)
    return lists, candidates, features, features.read(lists, candidates, learn=True)


@pytest.mark.parametrize("spread", [0.0, 1.0, 300.0, 1e4])
@pytest.mark.parametrize("domains", ["tag:2", "lexical:3", "highest:2", "supersense:2", "lexical:1+tag:2"])
@pytest.mark.parametrize(("kind", "structure"), [(k, s) for k in LISTS for s in ("head", "sibling")])
def test_everything_is_what_enumeration_says(kind, structure, domains, spread):
    lists, candidates, features, trees = problem(kind, domains, structure, cutoff=2 if domains == "tag:2" else 1)
    weights = np.random.default_rng(3).normal(0, spread, features.size)
    for s, own in enumerate(lists):
        first, last = candidates.offsets[s : s + 2]
        base = candidates.log_probability[first:last] - candidates.log_probability[first:last].max()
        truth = Truth(features, own, base, int(trees.best[s]), weights, UNIT)
        np.testing.assert_allclose(candidate_scores(trees, s, weights, 1.0, UNIT), truth.scores, rtol=1e-11, atol=1e-9)
        gradient = np.zeros(features.size)
        loss = add_gradient(trees, s, weights, 1.0, UNIT, gradient, 2.0)
        np.testing.assert_allclose(loss, truth.loss, rtol=1e-11, atol=1e-9)
        np.testing.assert_allclose(gradient, 2 * truth.gradient, rtol=1e-7, atol=1e-9)
        for c, (values, score) in enumerate(truth.assignments):
            found, chosen = find_assignment(trees, s, first + c, weights, 1.0)
            assert found == pytest.approx(score, rel=1e-11, abs=1e-9)
            if spread:
                words = trees.word[trees.positions[first + c] : trees.positions[first + c + 1]]
                assert chosen[np.argsort(words)].tolist() == values


def test_the_gradient_is_that_of_finite_differences():
    _, _, features, trees = problem("constituents", "tag:3", "sibling")
    weights = np.random.default_rng(5).normal(0, 0.5, features.size)
    gradient, ignored = np.zeros(features.size), np.zeros(features.size)
    for s in range(2):
        add_gradient(trees, s, weights, 1.0, UNIT, gradient, 1.0)
    for place in [0, *np.argsort(-np.abs(gradient))[:40].tolist()]:
        losses = []
        for step in (1e-5, -1e-5):
            moved = weights.copy()
            moved[place] += step
            losses.append(sum(add_gradient(trees, s, moved, 1.0, UNIT, ignored, 1.0) for s in range(2)))
        assert (losses[0] - losses[1]) / 2e-5 == pytest.approx(gradient[place], rel=1e-5, abs=1e-8)


def test_a_scale_is_a_factor_of_all_weights():
    _, _, features, trees = problem("dependencies", "tag:2", "head")
    weights = np.random.default_rng(6).normal(0, 1, features.size)
    np.testing.assert_allclose(
        candidate_scores(trees, 0, weights * 0.3, 1.0, UNIT), candidate_scores(trees, 0, weights, 0.3, UNIT)
    )


def test_weights_can_be_changed_where_they_are_read():
    _, _, features, trees = problem("constituents", "highest:2", "head")
    weights = np.random.default_rng(7).normal(0, 1, features.size)
    gradient = np.zeros(features.size)
    add_gradient(trees, 0, weights, 1.0, UNIT, gradient, -0.1)
    expected = weights + gradient
    add_gradient(trees, 0, weights, 1.0, UNIT, weights, -0.1)
    np.testing.assert_allclose(weights, expected, atol=1e-12)


def test_candidates_share_nodes_and_edges():
    _, _, _, trees = problem("constituents", "tag:2", "head")
    assert trees.nodes[1] < trees.positions[3]
    assert trees.edges[1] < trees.positions[3] - 3
