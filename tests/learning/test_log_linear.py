"""Log-linear estimation: the loss is the one defined, the gradient its own, and all optimisers find the minimum."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import logsumexp

from tests.inference.enumeration import all_trees
from tests.inference.parts import PARTS, parts_of
from treewright.dependency.problem import ParsingProblem
from treewright.features import DependencyFeatures, Weights
from treewright.inference import Trees
from treewright.learning import LogLinear, LogLinearEG, StochasticGradient, train
from treewright.learning.batch import Objective
from treewright.learning.log_linear import TreeLosses, negative_log_probability

KINDS = [
    pytest.param(True, "arc", True, id="arc"),
    pytest.param(True, "sibling", True, id="sibling"),
    pytest.param(True, "grand-sibling", False, id="grand-sibling-unlabelled"),
    pytest.param(True, "grand-sibling", True, id="grand-sibling"),
    pytest.param(True, "tri-sibling", True, id="tri-sibling"),
    pytest.param(False, "arc", True, id="matrix-tree"),
    pytest.param(False, "arc", False, id="matrix-tree-unlabelled"),
]


def make_problem(sentences, projective=True, factorization="arc", labelled=True, masks=None, bits=10):
    kinds = [*PARTS[factorization], *(["label"] if labelled else [])]
    features = DependencyFeatures.of(sentences, kinds=kinds, bits=bits)
    return ParsingProblem(sentences, features, Trees(projective, True, factorization), masks)


def short(sentences, count, longest=9):
    return [sentence for sentence in sentences if 2 < len(sentence) <= longest][:count]


def random_point(size, seed=1):
    return np.random.default_rng(seed).normal(size=size) * 0.1


def objective_of(problem, C, threads=1):
    return Objective(TreeLosses(problem, threads), C)


def assert_gradient(objective, w):
    """The gradient is that of finite differences, along the axes that matter most and along random directions."""
    _, gradient = objective(w)
    rng = np.random.default_rng(3)
    directions = [rng.normal(size=len(w)) for _ in range(3)]
    directions += [np.eye(1, len(w), place)[0] for place in np.abs(gradient).argsort()[[-1, -2, -20]]]
    for direction in directions:
        step = 1e-4
        (above, _), (below, _) = (objective(w + sign * step * direction) for sign in (1, -1))
        slope = (above - below) / (2 * step)
        assert slope == pytest.approx(gradient @ direction, rel=1e-4, abs=1e-4)
        assert abs(slope) > 1e-3


@pytest.mark.parametrize(("projective", "factorization", "labelled"), KINDS)
def test_the_gradient_is_that_of_the_loss(alksnis, projective, factorization, labelled):
    problem = make_problem(short(alksnis, 4), projective, factorization, labelled)
    assert_gradient(objective_of(problem, 0.7), random_point(problem.size))


def test_the_gradient_is_that_of_the_loss_after_pruning(ewt):
    sentences = short(ewt, 4)
    rng = np.random.default_rng(5)
    masks = [rng.random((len(s) + 1, len(s) + 1)) < 0.5 for s in sentences]
    problem = make_problem(sentences, factorization="tri-sibling", masks=masks)
    objective = objective_of(problem, 0.7)
    w = random_point(problem.size)
    assert_gradient(objective, w)
    whole = make_problem(sentences, factorization="tri-sibling")
    assert objective(w)[0] < objective_of(whole, 0.7)(w)[0] - 0.1  # there are fewer other trees


@pytest.mark.parametrize(("projective", "factorization"), [(True, "tri-sibling"), (True, "carreras"), (False, "arc")])
def test_the_loss_is_the_one_defined(ewt, projective, factorization):
    """By enumeration: all trees, each scored by its features."""
    sentences = [s for s in ewt if len(s) in (3, 4)]
    problem = make_problem(sentences, projective, factorization, labelled=False)
    w = random_point(problem.size)
    loss = 0.5 * w @ w
    for example in problem.examples:
        hashed = problem.features.hash(example.sentence)

        def score(heads, hashed=hashed):
            parts = {name: np.array(rows, np.int64) for name, rows in parts_of(heads, factorization).items()}
            ones = {name: (rows, np.ones(len(rows), np.float32)) for name, rows in parts.items()}
            places, values = problem.features.gradient(hashed, ones)
            return values @ w[places]

        scores = [score(heads) for heads in all_trees(len(example.sentence), projective, True)]
        loss += 0.3 * (logsumexp(scores) - score(example.heads))
    objective = objective_of(problem, 0.3)
    assert objective(w)[0] == pytest.approx(loss, rel=1e-9)
    alone = sum(negative_log_probability(problem, index, Weights(w)) for index in range(len(problem)))
    assert 0.5 * w @ w + 0.3 * alone == pytest.approx(loss, rel=1e-9)


def test_without_weights_all_trees_and_labels_are_equally_likely(ewt):
    sentences = [s for s in ewt if len(s) in (3, 4)]
    problem = make_problem(sentences)
    loss, _ = objective_of(problem, 2.0)(np.zeros(problem.size))
    labels = len(problem.features.labels)
    expected = sum(math.log(len(all_trees(len(s), True, True))) + len(s) * math.log(labels) for s in sentences)
    assert loss == pytest.approx(2.0 * expected)


def test_threads_change_no_bit(ewt):
    problem = make_problem(short(ewt, 14, 12), factorization="sibling")
    w = random_point(problem.size)
    one, *others = (objective_of(problem, 1.0, threads)(w) for threads in (1, 2, 3))
    for loss, gradient in others:
        assert loss == one[0]
        assert gradient.tobytes() == one[1].tobytes()


# Optimisers ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(ewt):
    return make_problem(short(ewt, 12, 10), bits=11)


C = 0.1


@pytest.fixture(scope="module")
def optimum(tiny):
    """The lowest loss there is, and where."""
    result = train(tiny, LogLinear(C, "l-bfgs", threads=1, tolerance=1e-6), epochs=500)
    w = result.weights.values.astype(np.float64)
    return objective_of(tiny, C)(w)[0], w


def loss_of(problem, result):
    return objective_of(problem, C)(result.weights.values.astype(np.float64))[0]


def test_at_the_optimum_there_is_no_slope(tiny, optimum):
    loss, w = optimum
    _, gradient = objective_of(tiny, C)(w)
    assert np.abs(gradient).max() < 1e-4 * C
    assert loss < 0.7 * objective_of(tiny, C)(np.zeros(tiny.size))[0]


@pytest.mark.parametrize(
    ("learner", "epochs", "tolerance"),
    [
        (LogLinear(C, "cg", threads=1), 200, 1e-6),
        (LogLinearEG(C, threads=1), 30, 1e-5),
        (StochasticGradient(C, rate=0.1), 40, 1e-3),
    ],
    ids=["cg", "eg", "sgd"],
)
def test_all_optimisers_find_it(tiny, optimum, learner, epochs, tolerance):
    result = train(tiny, learner, epochs=epochs)
    loss, w = optimum
    assert loss * (1 - 1e-9) <= loss_of(tiny, result) <= loss * (1 + tolerance)
    assert np.linalg.norm(result.weights.values - w) < math.sqrt(2 * tolerance * loss) * 1.01  # L is strongly convex


@pytest.mark.parametrize("optimizer", ["l-bfgs", "cg"])
def test_a_batch_optimiser_reports_a_loss_that_falls(tiny, optimizer):
    result = train(tiny, LogLinear(C, optimizer, threads=1), epochs=12)
    losses = [epoch.objectives["primal"] for epoch in result.epochs]
    assert len(losses) == 12
    assert all(later < earlier for earlier, later in itertools.pairwise(losses))
    assert losses[-1] == pytest.approx(loss_of(tiny, result), rel=1e-6)


def test_a_batch_optimiser_stops_at_the_optimum(tiny):
    result = train(tiny, LogLinear(C, "l-bfgs", threads=1), epochs=1000)
    assert len(result.epochs) < 300


@pytest.mark.parametrize("optimizer", ["l-bfgs", "cg"])
def test_where_there_is_nothing_to_learn_that_is_learned(ewt, optimizer):
    """One tree, one label: the loss is zero from the start."""
    [sentence] = [s for s in ewt if len(s) == 1]
    result = train(make_problem([sentence]), LogLinear(C, optimizer, threads=1))
    assert result.best.number == 1
    assert not result.weights.values.any()


def test_the_dual_of_exponentiated_gradient_closes_in_from_below(tiny, optimum):
    result = train(tiny, LogLinearEG(C, threads=1), epochs=30)
    values = [epoch.objectives for epoch in result.epochs]
    assert all(value["dual"] <= optimum[0] * (1 + 1e-6) for value in values)
    assert all(value["primal"] >= optimum[0] * (1 - 1e-6) for value in values)
    assert values[-1]["primal"] - values[-1]["dual"] < 1e-4 * optimum[0]
    assert values[0]["primal"] - values[0]["dual"] > 100 * (values[-1]["primal"] - values[-1]["dual"])


@pytest.mark.parametrize("small", [1e-9, 0.03 / 5])
def test_stochastic_gradient_bears_a_heavy_penalty(ewt, small):
    """However small C is, the weights go to zero, and not astray."""
    problem = make_problem(short(ewt, 5))
    result = train(problem, StochasticGradient(small), epochs=3)
    assert np.isfinite(result.weights.values).all()
    loss, _ = objective_of(problem, small)(result.weights.values.astype(np.float64))
    start, _ = objective_of(problem, small)(np.zeros(problem.size))
    assert loss < 1.1 * start
