"""Learning from partial trees: the losses against enumeration, the gradients against finite differences."""

import numpy as np
import pytest
from scipy.special import logsumexp

from tests.inference.enumeration import all_trees
from treewright import TrainingOptions, UsageError, train_parser
from treewright.dependency.partial import attainable
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.temperatures import list_examples
from treewright.evaluation import evaluate
from treewright.features import DependencyFeatures, Weights
from treewright.inference import Trees
from treewright.inference.kinds import FACTORIZATIONS
from treewright.inference.labels import label_rows
from treewright.learning import LogLinear, Mira, Perceptron, StochasticGradient, train
from treewright.learning.log_linear import TreeLosses, negative_log_probability
from treewright.treebank import Sentence

FACTORED = [("arc", True), ("arc", False), ("sibling", True), ("grand-sibling", True)]


def forget(sentence, share, seed=0, relations=0.0):
    """Leave out heads, with their relations, and some of the other relations."""
    rng = np.random.default_rng([seed, len(sentence)])
    lost = rng.random(len(sentence)) < share
    blank = lost | (rng.random(len(sentence)) < relations)
    deprels = ["_" if no else relation for no, relation in zip(blank, sentence.deprels, strict=True)]
    return sentence.replace(heads=np.where(lost, -1, sentence.heads), deprels=deprels)


@pytest.fixture(scope="module")
def short(ewt):
    chosen = [s for s in ewt if 3 <= len(s) <= 5 and (s.heads == 0).sum() == 1][:4]
    return [forget(sentence, 0.5, 3, relations=0.3) for sentence in chosen]


def problem_of(sentences, factorization="arc", projective=True, masks=None):
    kinds = [*FACTORIZATIONS[factorization].kinds, "label"]
    features = DependencyFeatures.of(sentences, kinds=kinds, bits=12)
    return ParsingProblem(sentences, features, Trees(projective, True, factorization), masks)


def random_weights(problem, seed=1, scale=0.3):
    return Weights((np.random.default_rng(seed).normal(size=problem.size) * scale).astype(np.float32))


def forests(problem, index, weights):
    """List the scores of all labelled trees, and of those that agree with what is known."""
    example, scores = problem.examples[index], problem.score(index, weights)[1]
    labels = range(len(problem.features.labels))
    every, agreeing = [], []
    for heads in all_trees(len(example.sentence), problem.trees.projective, True):
        rows = label_rows(scores, np.asarray(heads)).astype(float)
        base = problem.trees.score(scores, heads) - rows.max(axis=1).sum()
        every.append(base + sum(map(logsumexp, rows)))
        known = example.heads[1:]
        if ((known < 0) | (known == heads[1:])).all():
            allowed = [[own] if own >= 0 else labels for own in example.labels[1:].tolist()]
            agreeing.append(base + sum(logsumexp(row[list(own)]) for row, own in zip(rows, allowed, strict=True)))
    return every, agreeing


@pytest.mark.parametrize(("factorization", "projective"), FACTORED)
def test_the_loss_is_the_forest_likelihood(short, factorization, projective):
    problem = problem_of(short, factorization, projective)
    weights = random_weights(problem)
    partial = 0
    for index in range(len(problem)):
        every, agreeing = forests(problem, index, weights)
        partial += 1 < len(agreeing) < len(every)
        loss = logsumexp(every) - logsumexp(agreeing)
        assert negative_log_probability(problem, index, weights) == pytest.approx(loss, abs=1e-4)
    assert partial >= 2


@pytest.mark.parametrize("pruned", [False, True])
@pytest.mark.parametrize(("factorization", "projective"), FACTORED)
def test_its_gradient_is_that_of_finite_differences(short, factorization, projective, pruned):
    masks = [np.ones((len(s) + 1,) * 2, bool) for s in short] if pruned else None
    problem = problem_of(short, factorization, projective, masks)
    losses = TreeLosses(problem, threads=1)
    w = np.random.default_rng(2).normal(size=problem.size) * 0.3
    gradient = np.zeros_like(w)
    list(losses(w, 1.0, gradient))
    rng = np.random.default_rng(5)
    for _ in range(3):
        direction = rng.normal(size=problem.size)
        step = 1e-3
        ahead, behind = (sum(losses(w + sign * step * direction, 1.0, np.zeros_like(w))) for sign in (1, -1))
        assert (ahead - behind) / (2 * step) == pytest.approx(gradient @ direction, rel=2e-3, abs=2e-2)


@pytest.mark.parametrize(("factorization", "projective"), FACTORED)
def test_the_right_tree_is_the_best_that_agrees(short, factorization, projective):
    masks = [np.ones((len(s) + 1,) * 2, bool) for s in short]
    problem = problem_of(short, factorization, projective, masks if factorization != "arc" else None)
    trees, mistakes = problem.trees, 0
    for index, example in enumerate(problem.examples):
        for seed in range(5):
            weights = random_weights(problem, seed)
            found, scores = problem.mistake(index, weights, 0.0), problem.score(index, weights)[1]
            agreeing = [
                trees.score(known, heads)
                for heads in all_trees(len(example.sentence), projective, True)
                if ((example.heads[1:] < 0) | (example.heads[1:] == heads[1:])).all()
                for known in [example.known.of_arcs(scores)]
            ]
            behind = trees.argmax(scores).score - max(agreeing)
            if found is None:
                assert behind == pytest.approx(0, abs=1e-4)
            else:
                mistakes += 1
                assert found.margin == pytest.approx(-behind, abs=1e-3)
                assert found.loss >= 1
    assert mistakes


def test_a_treebank_of_partial_trees_is_learned_without_a_mistake(ewt):
    sentences = [forget(s, 0.4) for s in ewt[:8]]
    result = train(problem_of(sentences), Perceptron(), epochs=20)
    assert result.epochs[0].loss > 1
    assert result.epochs[-1].loss == 0


def test_nothing_is_learned_from_a_sentence_without_heads(ewt):
    sentences = [ewt[0], forget(ewt[1], 1.0)]
    problem = problem_of(sentences)
    assert negative_log_probability(problem, 1, random_weights(problem)) == pytest.approx(0, abs=1e-6)
    assert problem.mistake(1, random_weights(problem), 1.0) is None


def test_crossing_heads_are_forgotten_where_trees_are_projective(alksnis):
    for sentence in alksnis:
        partial = forget(sentence, 0.3, 1)
        if (partial.heads >= 0).all():
            continue
        kept = attainable(partial, Trees(single_root=False)).heads
        assert set(kept[partial.heads < 0]) <= {-1}
        assert ((kept == partial.heads) | (kept == -1)).all()
        assert np.array_equal(attainable(partial, Trees(False, False)).heads, partial.heads)


@pytest.mark.parametrize("factorization", ["arc", "grand-sibling"])
@pytest.mark.parametrize("learner", ["mira", "perceptron", "log-linear"])
def test_partial_trees_help(ewt, learner, factorization):
    """Two thirds of the heads of more sentences make a better parser of other sentences."""
    options = TrainingOptions(
        tags="gold",
        learner=learner,
        factorization=factorization,
        beam=0 if factorization == "arc" else 1e-4,
        epochs=5,
        threads=1,
        calibrate="none",
        bits=18,
    )
    whole, partial, dev = ewt[:8], [forget(s, 0.35) for s in ewt[8:32]], ewt[32:]
    few, more = (train_parser(some, dev, options).info["dev"]["UAS"] for some in (whole, whole + partial))
    assert more > few


def test_tags_are_learned_where_they_are(ewt):
    untagged = [s.replace(upos=["_"] * len(s), xpos=["_"] * len(s), lemmas=["_"] * len(s)) for s in ewt[20:26]]
    options = TrainingOptions(factorization="arc", epochs=1, threads=1, folds=2, bits=14)
    parser = train_parser(ewt[:20] + [forget(s, 0.5) for s in untagged], ewt[26:30], options)
    assert "_" not in parser.tagger.columns[0].features.tags
    assert parser.info["dev"]["UPOS"] > 50
    assert "_" not in parser.scorer.labels


def test_calibration_is_fitted_to_whole_trees(ewt):
    options = TrainingOptions(tags="gold", factorization="arc", epochs=1, threads=1, calibrate="folds", bits=14)
    sentences = [forget(s, 0.5 * (number % 2)) for number, s in enumerate(ewt[:20])]
    parser = train_parser(sentences, ewt[20:24], options)
    assert len(list_examples(parser, sentences)) == sum((one.heads >= 0).all() for one in sentences) == 10
    assert sum(share for share, _ in parser.distribution(ewt[25])) == pytest.approx(1)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [({"learner": "max-margin"}, "words without heads"), ({"learner": "log-linear", "optimizer": "eg"}, "heads")],
)
def test_learners_in_the_dual_need_whole_trees(ewt, options, complaint):
    with pytest.raises(UsageError, match=complaint):
        train_parser([forget(ewt[0], 0.5), *ewt[1:5]], ewt[5:8], TrainingOptions(factorization="arc", **options))


@pytest.mark.parametrize(
    ("heads", "complaint"),
    [([2, 1, -1], "cycle"), ([-1, -1, -1], "no word of the training treebank has a head"), ([4, -1, 0], "heads")],
)
def test_heads_of_no_tree_are_refused(ewt, heads, complaint):
    sentence = Sentence.from_forms(["a", "b", "c"], heads=heads, deprels=["dep"] * 3)
    with pytest.raises(UsageError, match=complaint):
        train_parser([sentence], ewt[5:8], TrainingOptions(factorization="arc"))


@pytest.mark.parametrize(
    "learner", [Mira(), StochasticGradient(), LogLinear(threads=1)], ids=lambda one: type(one).__name__
)
def test_the_same_seed_gives_the_same_weights(ewt, learner):
    problem = problem_of([forget(s, 0.4) for s in ewt[:8]])
    first, again = (train(problem, learner, epochs=2).weights.values for _ in range(2))
    assert np.array_equal(first, again)


def test_trees_of_relations_under_rules(ewt):
    """A partial tree that obeys a rule is completed by one that does; the found tree obeys, too."""
    options = TrainingOptions(tags="gold", factorization="arc", epochs=2, threads=1, at_most_one=["nsubj"], bits=14)
    parser = train_parser([forget(s, 0.4) for s in ewt[:20]], ewt[20:24], options)
    assert evaluate(ewt[20:24], parser.parse(ewt[20:24], keep_tags=True)).uas.f1 > 20
