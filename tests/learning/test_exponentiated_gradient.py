"""Max-margin estimation: the dual stays below the primal, both meet at the optimum, the weights are what they say."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from tests.inference.enumeration import all_trees
from tests.inference.parts import PARTS
from treewright.dependency.problem import ParsingProblem
from treewright.features import DependencyFeatures, Weights
from treewright.inference import Scores, Trees
from treewright.learning import LogLinearEG, MaxMargin, train


def make_problem(sentences, projective=True, factorization="arc", labelled=True, bits=10):
    kinds = [*PARTS[factorization], *(["label"] if labelled else [])]
    features = DependencyFeatures.of(sentences, kinds=kinds, bits=bits)
    return ParsingProblem(sentences, features, Trees(projective, True, factorization))


def short(sentences, count, longest=9):
    return [sentence for sentence in sentences if 2 < len(sentence) <= longest][:count]


@pytest.mark.parametrize(
    ("projective", "factorization"),
    [(True, "arc"), (False, "arc"), (True, "grand-sibling")],
    ids=["arc", "matrix-tree", "grand-sibling"],
)
def test_the_dual_rises_to_the_primal(alksnis, projective, factorization):
    problem = make_problem(short(alksnis, 8), projective, factorization)
    result = train(problem, MaxMargin(C=0.003, threads=1), epochs=50)
    values = [epoch.objectives for epoch in result.epochs]
    assert all(value["dual"] <= value["primal"] for value in values)
    assert max(value["dual"] for value in values) <= min(value["primal"] for value in values)
    gaps = [value["primal"] - value["dual"] for value in values]
    assert gaps[-1] < 0.02 * values[-1]["primal"]
    assert gaps[-1] < 0.1 * gaps[0]
    assert values[-1]["dual"] > values[0]["dual"]


def test_the_primal_is_the_regularised_hinge_loss(ewt):
    """By enumeration of all trees, each with its errors."""
    C, problem = 0.05, make_problem([s for s in ewt if len(s) in (3, 4)], factorization="sibling", labelled=False)
    result = train(problem, MaxMargin(C, threads=1), epochs=3)
    primal = 0.5 * float(result.weights.values.astype(np.float64) @ result.weights.values)
    for index, example in enumerate(problem.examples):
        _, scores = problem.score(index, result.weights)
        trees = all_trees(len(example.sentence), True, True)
        ahead = [problem.trees.score(scores, heads) + (heads != example.heads).sum() for heads in trees]
        primal += C * (max(ahead) - problem.trees.score(scores, example.heads))
    assert result.epochs[-1].objectives["primal"] == pytest.approx(primal, rel=1e-5)


def quadratic_program(problem, C):
    """Find the optimum of the dual over all trees by a general method: max Cl·α − ½C²‖Aα‖², α in simplices."""
    differences, errors, owners = [], [], []
    for index, example in enumerate(problem.examples):
        hashed = problem.features.hash(example.sentence)

        def vector(heads, hashed=hashed):
            ones = {name: (rows, np.ones(len(rows), np.float32)) for name, rows in problem.parts(heads, None).items()}
            dense = np.zeros(problem.size)
            np.add.at(dense, *problem.features.gradient(hashed, ones))
            return dense

        gold = vector(example.heads)
        for heads in all_trees(len(example.sentence), problem.trees.projective, True):
            differences.append(gold - vector(heads))
            errors.append((heads != example.heads).sum())
            owners.append(index)
    A, l = np.array(differences), np.array(errors, float)
    K = A @ A.T
    sums = (np.array(owners)[None] == np.arange(len(problem))[:, None]).astype(float)
    solution = minimize(
        lambda a: 0.5 * C**2 * a @ K @ a - C * l @ a,
        (sums / sums.sum(axis=1, keepdims=True)).sum(axis=0),
        jac=lambda a: C**2 * K @ a - C * l,
        bounds=[(0, 1)] * len(l),
        constraints=LinearConstraint(sums, 1, 1),
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert solution.success
    return -solution.fun, C * solution.x @ A


@pytest.mark.parametrize(("projective", "factorization"), [(True, "tri-sibling"), (False, "arc")])
def test_the_optimum_is_that_of_a_quadratic_program(ewt, projective, factorization):
    sentences = [s for s in ewt if len(s) in (3, 4)][:3]
    C, problem = 0.001, make_problem(sentences, projective, factorization, labelled=False)
    best, w = quadratic_program(problem, C)
    result = train(problem, MaxMargin(C, threads=1), epochs=80)
    values = result.epochs[-1].objectives
    assert values["dual"] <= best * (1 + 1e-5)
    assert values["primal"] >= best * (1 - 1e-5)
    assert values["dual"] == pytest.approx(best, rel=5e-3)
    assert values["primal"] == pytest.approx(best, rel=5e-3)
    assert np.linalg.norm(result.weights.values - w) < 0.1 * np.linalg.norm(w)
    assert 0.05 * best < 0.5 * w @ w < 0.98 * best  # neither term is all there is


@pytest.mark.parametrize("learner", [MaxMargin(0.1), LogLinearEG(0.1)], ids=["max-margin", "log-linear"])
@pytest.mark.parametrize("factorization", ["arc", "grand-sibling"])
def test_the_weights_are_gold_features_less_those_expected(ewt, learner, factorization):
    """After any number of visits, w = C Σ (gold − expected) features, expected under the dual variables."""
    problem = make_problem(short(ewt, 5), factorization=factorization)
    weights = Weights(np.zeros(problem.size, np.float32))
    theta = [learner._start(problem, index, weights) for index in range(len(problem))]
    assert all(set(array) == {*PARTS[factorization], "label"} for array in theta)
    for index in (0, 3, 1, 1, 4, 0):
        learner._visit(problem, index, weights, theta, rate=0.5)
    expected = np.zeros(problem.size)
    for index, arrays in enumerate(theta):
        hashed, scores = problem.score(index, weights)
        marginals = problem.trees.marginals(Scores.unchecked(parts=scores.parts, **arrays)).arrays
        gold = {name: (rows, np.ones(len(rows), np.float32)) for name, rows in problem.gold_parts(index).items()}
        np.add.at(expected, *problem.features.gradient(hashed, gold))
        for name, array in marginals.items():
            index_of = np.nonzero(array > 0)
            if scores.parts is None:
                rows = np.stack(index_of, axis=1)
            elif name == "label":
                rows = np.concatenate([scores.parts.arc[index_of[0]], index_of[1][:, None]], axis=1)
            else:
                rows = getattr(scores.parts, name)[index_of[0]]
            places, values = problem.features.gradient(hashed, {name: (rows, array[index_of].astype(np.float32))})
            np.add.at(expected, places, -values)
    assert np.abs(expected).max() > 0.01
    assert weights.values == pytest.approx(learner.C * expected, abs=2e-6)


def test_dual_variables_start_at_beta_for_what_is_right(ewt):
    problem = make_problem(short(ewt, 1))
    [example] = problem.examples
    theta = MaxMargin(beta=9.0)._start(problem, 0, Weights(np.zeros(problem.size, np.float32)))
    words = np.arange(1, len(example.heads))
    assert (theta["arc"][example.heads[1:], words] == 9).all()
    assert np.count_nonzero(theta["arc"]) == len(words)
    assert (theta["label"][:, words, example.labels[1:]] == 9).all()
    assert set(np.unique(theta["label"])) == {0, 9}


def test_the_rate_is_halved_when_the_dual_has_not_risen(ewt):
    problem = make_problem(short(ewt, 1))
    duals, rates = iter([5.0, 6.0, 6.0, 7.0, 6.5, 8.0, 9.0]), []

    class Scripted(MaxMargin):
        def _start(self, problem, index, weights):
            return {}

        def _visit(self, problem, index, weights, theta, rate):
            rates.append(rate)
            return next(duals)

    result = train(problem, Scripted(C=2.0, rate=0.8, report_primal=False), epochs=7)
    assert rates == [0.8, 0.8, 0.8, 0.4, 0.4, 0.2, 0.2]
    assert [epoch.objectives for epoch in result.epochs[:2]] == [{"dual": 10.0}, {"dual": 12.0}]


@pytest.mark.parametrize("learner", [MaxMargin, LogLinearEG])
def test_threads_change_nothing(ewt, learner):
    problem = make_problem(short(ewt, 6))
    one, two = (train(problem, learner(C=0.1, threads=threads), epochs=2) for threads in (1, 2))
    assert np.array_equal(one.weights.values, two.weights.values)
    assert [epoch.objectives for epoch in one.epochs] == [epoch.objectives for epoch in two.epochs]
