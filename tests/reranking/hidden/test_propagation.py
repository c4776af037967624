"""Sums, marginals, gradients and best assignments, against enumeration."""

import numpy as np
import pytest

from tests.reranking.hidden.enumeration import Truth, candidates_of, constituents, dependencies
from treewright.reranking.hidden.features import HiddenFeatures
from treewright.reranking.hidden.graphs import UnitGraph
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


def graphs():
    """A cycle with an arc across, two cycles that share a unit, a triangle beside an edge, a tree from its leaves."""
    forms, tags = ["I", "saw", "a", "dog", "saw"], ["PRP", "VBD", "DT", "NN", "NN"]
    edges = [
        [(0, 1), (1, 2, "x"), (3, 2), (0, 3), (3, 1, "x"), (4, 0)],
        [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 2)],
        [(4, 2), (4, 3), (2, 3), (1, 0)],
        [(3, 4), (2, 3), (1, 3), (0, 2)],
    ]
    wide = [(u, v) for u in range(4) for v in range(u)]
    small = [UnitGraph(forms[:4], tags[:4], wide), UnitGraph(forms[:4], tags[1:], []), UnitGraph(["dog"], ["NN"], [])]
    return [[UnitGraph(forms, tags, own) for own in edges], [*small, UnitGraph.markov(forms, tags, 3)]]


LISTS = {"constituents": constituents, "dependencies": dependencies, "sequences": sequences, "graphs": graphs}


def problem(kind, domains, structure, cutoff=1, tied=False):
    lists = LISTS[kind]()
    candidates = candidates_of(lists, tied=tied)
    features = HiddenFeatures(HiddenSettings(domains, structure, cutoff), SENSES)
    return lists, candidates, features, features.read(lists, candidates, learn=True)


@pytest.mark.parametrize("spread", [0.0, 1.0, 300.0, 1e4])
@pytest.mark.parametrize("domains", ["tag:2", "lexical:3", "highest:2", "supersense:2", "lexical:1+tag:2"])
@pytest.mark.parametrize(
    ("kind", "structure"),
    [(k, s) for k in ("constituents", "dependencies") for s in ("head", "sibling")]
    + [("sequences", "head"), ("graphs", "head")],
)
def test_everything_is_what_enumeration_says(kind, structure, domains, spread):
    cutoff, tied = (2 if domains == "tag:2" and kind != "graphs" else 1), domains == "highest:2"
    lists, candidates, features, trees = problem(kind, domains, structure, cutoff, tied)
    weights = np.random.default_rng(3).normal(0, spread, features.size)
    for s, own in enumerate(lists):
        first, last = candidates.offsets[s : s + 2]
        base = candidates.log_probability[first:last] - candidates.log_probability[first:last].max()
        truth = Truth(features, own, base, trees.is_best[first:last], weights, UNIT)
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


@pytest.mark.parametrize("kind", ["constituents", "graphs"])
@pytest.mark.parametrize("tied", [False, True])
def test_the_gradient_is_that_of_finite_differences(kind, tied):
    _, _, features, trees = problem(kind, "tag:3", "sibling", tied=tied)
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


def test_equally_good_candidates_are_best_together_or_alone():
    lists = constituents()
    candidates = candidates_of(lists, tied=True)
    features = HiddenFeatures(HiddenSettings("tag:2", "head", 1))
    both, one = (features.read(lists, candidates, learn=True, ties=ties) for ties in ("all", "one"))
    assert both.is_best.tolist() == [True, True, False, True, True]
    assert one.is_best.sum() == 2
    weights = np.random.default_rng(8).normal(0, 1, features.size)
    gradient = np.zeros(features.size)
    assert add_gradient(both, 1, weights, 1.0, UNIT, gradient, 1.0) == pytest.approx(0, abs=1e-12)  # nothing is worse
    np.testing.assert_allclose(gradient, 0, atol=1e-12)
    assert add_gradient(one, 1, weights, 1.0, UNIT, gradient, 1.0) > 0.01
    assert np.abs(gradient).max() > 0.01


def test_a_tree_given_as_a_graph_has_the_sums_of_a_tree():
    """The same chain, eliminated from its end, or in some other order because its edges point both ways."""
    forms, tags = list("abcdef"), list("XYXYYX")
    forwards = [(u, u + 1) for u in range(5)]
    lists = [[UnitGraph(forms, tags, forwards), UnitGraph(forms, tags, forwards[::-1])]]
    lists += [[UnitGraph(forms, tags, [(1, 0), *forwards[1:]]), UnitGraph(forms, tags, [*forwards[:-1], (5, 4)])]]
    candidates = candidates_of(lists)
    features = HiddenFeatures(HiddenSettings("lexical:3", "head", 1, base_feature=False))
    trees = features.read(lists, candidates, learn=True)
    assert len(trees.other) == 0  # all have width 1
    weights = np.random.default_rng(9).normal(0, 1, features.size)
    one, two = candidate_scores(trees, 0, weights, 1.0, UNIT)
    assert one == pytest.approx(two, rel=1e-12)
    for s, own in enumerate(lists):
        truth = Truth(features, own, [0, 0], trees.is_best[2 * s : 2 * s + 2], weights, UNIT)
        np.testing.assert_allclose(candidate_scores(trees, s, weights, 1.0, UNIT), truth.scores, rtol=1e-11)
