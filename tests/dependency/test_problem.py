"""Learning to parse: cost-augmented search against enumeration, margins recomputed from the scores."""

import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from treewright.dependency.differences import count_missed, difference
from treewright.dependency.problem import ParsingProblem
from treewright.features import DependencyFeatures, Weights
from treewright.inference import Trees
from treewright.inference.kinds import FACTORIZATIONS
from treewright.learning import MaxMargin, Mira, Perceptron, StochasticGradient, train
from treewright.learning.online import AveragedWeights
from treewright.learning.problem import add_cost

KINDS = [(True, True), (True, False), (False, True), (False, False)]


@pytest.fixture(scope="module")
def features(ewt):
    return DependencyFeatures.of(ewt, bits=16)


def answers(problem, index, weights, cost):
    """Give the scores, the gold tree, and the tree that a cost-augmented search finds."""
    example = problem.examples[index]
    (_, plain), (_, augmented) = (problem.score(index, weights) for _ in range(2))
    add_cost(augmented, example.heads, example.labels, cost)
    parse = problem.trees.argmax(augmented)
    return plain, (example.heads, example.labels), (parse.heads, parse.labels)


@pytest.mark.parametrize("cost", [0.0, 1.0])
def test_a_mistake_says_how_far_the_right_tree_is_ahead(ewt, features, cost):
    problem = ParsingProblem(ewt, features, Trees(projective=False))
    weights = Weights(np.random.default_rng(2).normal(size=features.size).astype(np.float32) * 0.1)
    for index, sentence in enumerate(ewt[:15]):
        if (sentence.heads == 0).sum() != 1:
            continue
        found = problem.mistake(index, weights, cost)
        scores, gold, other = answers(problem, index, weights, cost)
        assert found.loss == (gold[0] != other[0]).sum() + (gold[1] != other[1]).sum()
        ahead = problem.trees.score(scores, *gold) - problem.trees.score(scores, *other)
        assert found.margin == pytest.approx(ahead, abs=1e-3)
        product = found.values @ weights.values[found.places].astype(np.float64)
        assert found.margin == pytest.approx(product, abs=1e-3)


@pytest.mark.parametrize("C", [1e6, 1e-4])
def test_after_a_step_of_mira_the_margin_is_the_loss_unless_the_step_is_bounded(ewt, features, C):
    problem = ParsingProblem(ewt, features, Trees(projective=False))
    start = np.random.default_rng(3).normal(size=features.size).astype(np.float32) * 0.01
    for index in range(15):
        weights = AveragedWeights(features.size)
        weights.current.values[:] = start
        _, gold, other = answers(problem, index, weights.current, 1.0)
        found = problem.mistake(index, weights.current, 1.0)
        step = weights.update(found, Mira(C))
        _, scores = problem.score(index, weights.current)
        margin = problem.trees.score(scores, *gold) - problem.trees.score(scores, *other)
        if C > 1:
            assert margin == pytest.approx(found.loss, abs=1e-4)
        else:
            assert step == C
            assert found.margin < margin < found.loss


def test_a_right_answer_is_no_mistake(ewt, features):
    problem = ParsingProblem(ewt[:1], features, Trees(projective=False))
    gold = {name: (rows, np.ones(len(rows), np.float32)) for name, rows in problem.gold_parts(0).items()}
    places, values = features.gradient(features.hash(ewt[0]), gold)
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


LEARNERS = pytest.mark.parametrize(
    ("learner", "epochs"), [(Perceptron(), 15), (Mira(1e6), 40)], ids=["perceptron", "mira"]
)


def assert_separated(problem, learner, epochs):
    """Every other tree comes to be behind, with MIRA by (almost) as much as it has errors."""
    result = train(problem, learner, epochs=epochs)
    assert result.epochs[0].loss > 1
    for index in range(len(problem)):
        assert problem.mistake(index, result.weights, 0.0) is None
        if isinstance(learner, Mira):
            nearest = problem.mistake(index, result.weights, 1.0)
            assert nearest is None or nearest.margin > 0.9 * nearest.loss
    if isinstance(learner, Perceptron):
        assert result.epochs[-1].loss == 0


@LEARNERS
@pytest.mark.parametrize("projective", [True, False])
def test_a_separable_set_is_learned_without_a_mistake(ewt, features, learner, epochs, projective):
    assert_separated(ParsingProblem(ewt[:10], features, Trees(projective)), learner, epochs)


# Parts of more than one arc --------------------------------------------------------------------------------------

THIRD_ORDER = ["grand-sibling", "tri-sibling"]


def higher_order_problem(sentences, factorization, labelled=True):
    """A problem whose arcs are pruned at random (gold arcs survive)."""
    kinds = [*FACTORIZATIONS[factorization].kinds, *(["label"] if labelled else [])]
    rng = np.random.default_rng(7)
    masks = [rng.random((len(s) + 1, len(s) + 1)) < 0.5 for s in sentences]
    features = DependencyFeatures.of(sentences, kinds=kinds, bits=14)
    return ParsingProblem(sentences, features, Trees(factorization=factorization), masks)


@LEARNERS
@pytest.mark.parametrize("factorization", THIRD_ORDER)
def test_third_order_separates_a_set_too(ewt, learner, epochs, factorization):
    sentences = [s for s in ewt if len(s) <= 12][:6]
    assert_separated(higher_order_problem(sentences, factorization), learner, epochs)


@pytest.mark.parametrize("factorization", [name for name in FACTORIZATIONS if name != "arc"])
@pytest.mark.parametrize("labelled", [True, False])
def test_mistakes_in_large_parts(ewt, factorization, labelled):
    """The margin is the difference of the scores, and no tree has a higher score plus cost than the one found."""
    sentences = sorted((s for s in ewt if len(s) > 2), key=len)[:4]
    problem = higher_order_problem(sentences, factorization, labelled)
    weights = Weights(np.random.default_rng(5).normal(size=problem.size).astype(np.float32) * 0.1)
    trees, mistakes = problem.trees, 0
    for index, example in enumerate(problem.examples):
        found = problem.mistake(index, weights, 1.0)
        scores, gold, other = answers(problem, index, weights, 1.0)
        if found is None:
            assert np.array_equal(gold[0], other[0])
            continue
        if not labelled:
            gold, other = (gold[0], None), (other[0], None)
        mistakes += 1
        ahead = trees.score(scores, *gold) - trees.score(scores, *other)
        assert found.margin == pytest.approx(ahead, abs=1e-3)
        assert found.margin == pytest.approx(found.values @ weights.values[found.places].astype(float), abs=1e-3)
        _, augmented = problem.score(index, weights)
        add_cost(augmented, example.heads, example.labels, 1.0)
        best = max(trees.score(augmented, heads) for heads in all_trees(len(example.sentence), True, True))
        assert trees.score(augmented, other[0]) == pytest.approx(best)
    assert mistakes > 0


@pytest.mark.parametrize("projective", [True, False])
def test_gold_arcs_survive_pruning_in_training(alksnis, projective):
    sentences = alksnis[:5]
    nothing = [np.zeros((len(s) + 1, len(s) + 1), bool) for s in sentences]
    features = DependencyFeatures.of(sentences, bits=10)
    problem = ParsingProblem(sentences, features, Trees(projective, single_root=False), nothing)
    for index, example in enumerate(problem.examples):
        assert example.allowed.sum() == len(example.sentence)
        assert not nothing[index].any()  # what is given is not written to
        parse = problem.trees.argmax(problem.score(index, Weights(np.zeros(features.size, np.float32)))[1])
        assert np.array_equal(parse.heads, example.heads)


@pytest.mark.parametrize(
    "learner", [Mira(), StochasticGradient(), MaxMargin(C=0.1)], ids=lambda one: type(one).__name__
)
def test_the_same_seed_gives_the_same_weights_in_third_order(ewt, learner):
    problem = higher_order_problem([s for s in ewt if len(s) <= 12][:6], "tri-sibling")
    first, again, other = (train(problem, learner, epochs=2, seed=seed).weights.values for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


# Differences -----------------------------------------------------------------------------------------------------


def test_parts_are_told_apart_whatever_the_number_of_labels():
    """Relation 1000 of the first word is not relation 0 of the second."""
    gold, found = np.array([[0, 1, 1000], [0, 3, 2]]), np.array([[0, 2, 0], [0, 3, 2]])
    rows, coefficients = difference({"label": gold}, {"label": found})["label"]
    assert rows.tolist() == [[0, 1, 1000], [0, 2, 0]]
    assert coefficients.tolist() == [1, -1]


@pytest.mark.parametrize("width", [2, 3, 4])
def test_a_difference_is_that_of_the_sets_of_parts(width):
    rng = np.random.default_rng(width)
    for size in (0, 1, 5, 12):
        gold, found = (np.unique(rng.integers(0, 3, (size, width)), axis=0) for _ in range(2))
        rows, coefficients = difference({"arc": gold}, {"arc": found})["arc"]
        own, other = {*map(tuple, gold.tolist())}, {*map(tuple, found.tolist())}
        listed = [*zip(map(tuple, rows.tolist()), coefficients.tolist(), strict=True)]
        assert {row for row, value in listed if value == 1} == own - other
        assert {row for row, value in listed if value == -1} == other - own
        assert len(listed) == len(own ^ other)
        assert count_missed(gold, found) == len(own - other)


def test_a_kind_of_which_the_other_tree_has_no_parts_is_all_missed():
    rows, coefficients = difference({"sibling": np.array([[1, 2, 3]])}, {})["sibling"]
    assert (rows.tolist(), coefficients.tolist()) == ([[1, 2, 3]], [1])


# Seeds and relations ---------------------------------------------------------------------------------------------


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
