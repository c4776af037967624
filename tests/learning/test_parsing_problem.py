"""Learning to parse: cost-augmented search against enumeration, margins recomputed from the scores."""

import itertools

import numpy as np
import pytest

from inference.enumeration import all_trees
from inference.instances import draw
from treewright.features import DependencyFeatures, Weights
from treewright.inference import Trees
from treewright.learning import Mira, ParsingProblem, Perceptron, train
from treewright.learning.online import AveragedWeights
from treewright.learning.parsing import add_cost, tree_score

KINDS = [(True, True), (True, False), (False, True), (False, False)]


@pytest.mark.parametrize(("projective", "single_root"), KINDS)
@pytest.mark.parametrize("cost", [0.5, 2.0])
def test_search_with_cost_finds_the_best_of_score_plus_cost(projective, single_root, cost):
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 4):
        trees = all_trees(n, projective, single_root)
        labellings = np.array(list(itertools.product(range(2), repeat=n)))
        for _ in range(5):
            scores = draw(rng, "random", n, True, np.float64)
            label = scores.label[:, :, :2].copy()
            scores = type(scores)(arc=scores.arc.copy(), label=label)
            heads = trees[rng.integers(len(trees))]
            labels = np.append(-1, rng.integers(0, 2, n)).astype(np.int32)
            words = np.arange(1, n + 1)
            best = max(
                scores.arc[tree[1:], words].sum()
                + scores.label[tree[1:], words, chosen].sum()
                + cost * ((tree[1:] != heads[1:]).sum() + (chosen != labels[1:]).sum())
                for tree in trees
                for chosen in labellings
            )
            plain_arc, plain_label = scores.arc.copy(), scores.label.copy()
            add_cost(scores, heads, labels, cost)
            parse = Trees(projective, single_root).argmax(scores)
            assert parse.score + 2 * n * cost == pytest.approx(best)
            errors = (parse.heads != heads).sum() + (parse.labels != labels).sum()
            plain = tree_score(type(scores)(arc=plain_arc, label=plain_label), parse.heads, parse.labels)
            assert plain + cost * errors == pytest.approx(best)


@pytest.fixture(scope="module")
def features(ewt):
    return DependencyFeatures.of(ewt, bits=16)


def answers(problem, sentence, weights, cost):
    """Give the scores, the gold tree, and the tree that a cost-augmented search finds."""
    hashed = problem.features.hash(sentence)
    plain, augmented = (problem.features.score(hashed, weights) for _ in range(2))
    gold = sentence.rooted_heads(), problem.features.label_indices(sentence.deprels)
    add_cost(augmented, *gold, cost)
    parse = problem.trees.argmax(augmented)
    return plain, gold, (parse.heads, parse.labels)


@pytest.mark.parametrize("cost", [0.0, 1.0])
def test_a_mistake_says_how_far_the_right_tree_is_ahead(ewt, features, cost):
    problem = ParsingProblem(ewt, features, Trees(projective=False))
    weights = Weights(np.random.default_rng(2).normal(size=features.size).astype(np.float32) * 0.1)
    for index, sentence in enumerate(ewt[:15]):
        if (sentence.heads == 0).sum() != 1:
            continue
        found = problem.mistake(index, weights, cost)
        scores, gold, other = answers(problem, sentence, weights, cost)
        assert found.loss == (gold[0] != other[0]).sum() + (gold[1] != other[1]).sum()
        assert found.margin == pytest.approx(tree_score(scores, *gold) - tree_score(scores, *other), abs=1e-3)
        product = found.values @ weights.values[found.places].astype(np.float64)
        assert found.margin == pytest.approx(product, abs=1e-3)


@pytest.mark.parametrize("C", [1e6, 1e-4])
def test_after_a_step_of_mira_the_margin_is_the_loss_unless_the_step_is_bounded(ewt, features, C):
    problem = ParsingProblem(ewt, features, Trees(projective=False))
    start = np.random.default_rng(3).normal(size=features.size).astype(np.float32) * 0.01
    for index, sentence in enumerate(ewt[:15]):
        weights = AveragedWeights(features.size)
        weights.current.values[:] = start
        _, gold, other = answers(problem, sentence, weights.current, 1.0)
        found = problem.mistake(index, weights.current, 1.0)
        step = weights.update(found, Mira(C))
        scores = features.score(features.hash(sentence), weights.current)
        margin = tree_score(scores, *gold) - tree_score(scores, *other)
        if C > 1:
            assert margin == pytest.approx(found.loss, abs=1e-4)
        else:
            assert step == C
            assert found.margin < margin < found.loss


def test_a_right_answer_is_no_mistake(ewt, features):
    problem = ParsingProblem(ewt[:1], features, Trees(projective=False))
    hashed = features.hash(ewt[0])
    labels = features.label_indices(ewt[0].deprels)[1:]
    arcs = np.stack([ewt[0].heads, np.arange(1, len(labels) + 1), labels], axis=1).astype(np.int32)
    places, values = features.gradient(hashed, arcs, np.ones(len(arcs), np.float32))
    weights = np.zeros(features.size, np.float32)
    np.add.at(weights, places, values)
    assert problem.mistake(0, Weights(weights), 0.0) is None
    assert problem.mistake(0, Weights(weights), 1.0) is None
    assert problem.mistake(0, Weights(-weights), 0.0).loss > 0


def test_projective_search_learns_projective_trees(alksnis):
    """With crossing gold arcs, a projective parser could never stop making mistakes."""
    features = DependencyFeatures.of(alksnis[:6], bits=16)
    result = train(ParsingProblem(alksnis[:6], features, Trees()), Perceptron(), epochs=20)
    assert result.epochs[-1].loss == 0


@pytest.mark.parametrize(("learner", "epochs"), [(Perceptron(), 15), (Mira(1e6), 40)], ids=["perceptron", "mira"])
@pytest.mark.parametrize("projective", [True, False])
def test_a_separable_set_is_learned_without_a_mistake(ewt, features, learner, epochs, projective):
    """And with MIRA every other tree comes to be behind by its number of errors."""
    problem = ParsingProblem(ewt[:10], features, Trees(projective))
    result = train(problem, learner, epochs=epochs)
    assert result.epochs[0].loss > 1
    assert result.epochs[-1].loss == 0
    assert all(problem.mistake(index, result.weights, 0.0) is None for index in range(10))


def test_the_same_seed_gives_the_same_weights_and_another_does_not(ewt, features):
    problem = ParsingProblem(ewt[:12], features, Trees())
    first, again, other = (train(problem, Mira(), epochs=2, seed=seed).weights.values for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_relation_without_a_number_is_an_error_that_costs_no_other_relation(ewt, features):
    """Training data may have relations that the features were not set up for."""
    sentence = ewt[0].replace(deprels=["no-such-relation", *ewt[0].deprels[1:]])
    problem = ParsingProblem([sentence], features, Trees())
    weights = Weights(np.random.default_rng(4).normal(size=features.size).astype(np.float32) * 0.1)
    for cost in (0.0, 1.0):
        found = problem.mistake(0, weights, cost)
        product = found.values @ weights.values[found.places].astype(np.float64)
        assert found.margin == pytest.approx(product, abs=1e-3)
        assert found.loss >= 1
