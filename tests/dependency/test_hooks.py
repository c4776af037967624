"""Hooks: features of one's own are learned and stored; a model that was trained with hooks asks for them."""

import numpy as np
import pytest

from treewright import Parser, TrainingOptions, train_parser
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.search import best_with_factors
from treewright.errors import UsageError
from treewright.features import DependencyFeatures, Weights
from treewright.inference import Factors, Trees
from treewright.treebank import Sentence

QUICK = {"tags": "gold", "learner": "perceptron", "labels": False, "epochs": 3, "threads": 1}


def sentence_of(rng, words):
    """Words all alike but for the first, which tells whether they are a chain from the left or from the right."""
    right = rng.random() < 0.5
    heads = [*range(2, words + 1), 0] if right else range(words)
    return Sentence.from_forms(["R" if right else "L", *"x" * (words - 1)], heads=heads, deprels=["dep"] * words)


@pytest.fixture(scope="module")
def chains():
    rng = np.random.default_rng(3)
    return [sentence_of(rng, int(rng.integers(4, 8))) for _ in range(40)]


def whole_chain(sentence, parts):
    """Propose all arcs of either chain at once, and what the first word is."""
    n = len(sentence)
    yield [(m - 1, m) for m in range(1, n + 1)], f"left {sentence.forms[0]}"
    yield [(m + 1, m) for m in range(1, n)] + [(0, n)], ["right", f"right {sentence.forms[0]}", 17]


def test_features_of_hooks_are_learned_and_stored(chains, tmp_path):
    options = TrainingOptions(factorization="carreras", **QUICK)
    parser = train_parser(chains[:30], chains[30:], options, hooks=[whole_chain])
    assert parser.info["dev"]["UAS"] == 100
    parser.save(tmp_path / "m.tw")
    opened = Parser.open(tmp_path / "m.tw")
    with pytest.raises(UsageError, match=r"^this model was trained with hooks: .* parser\.hooks \+= \[whole_chain\]$"):
        opened.parse(chains[30], keep_tags=True)
    opened.hooks.append(whole_chain)
    for sentence in chains[30:]:
        assert opened.parse(sentence, keep_tags=True)[0].heads.tolist() == sentence.heads.tolist()
    assert not opened.has_probabilities


@pytest.mark.parametrize("trees", [Trees(), Trees(factorization="carreras"), Trees(projective=False)], ids=str)
def test_what_a_hook_knows_changes_the_parse(trees):
    """Whether the number of a's is even tells which chain it is: no feature of arcs knows that."""
    rng = np.random.default_rng(4)
    sentences = []
    for _ in range(130):
        forms = [str(form) for form in rng.choice(["a", "b"], int(rng.integers(4, 8)))]
        even, n = forms.count("a") % 2 == 0, len(forms)
        sentences.append(Sentence.from_forms(forms, heads=range(n) if even else [*range(2, n + 1), 0]))

    def parity(sentence, parts):
        even, n = sentence.forms.count("a") % 2 == 0, len(sentence)
        yield [(m - 1, m) for m in range(1, n + 1)], f"left {even}"
        yield [(m + 1, m) for m in range(1, n)] + [(0, n)], f"right {even}"

    def knows_nothing(sentence, parts):
        return []

    kind = "projective" if trees.projective else "nonprojective"
    options = TrainingOptions(factorization=trees.factorization, trees=kind, **QUICK | {"epochs": 6})
    scores = [
        train_parser(sentences[:100], sentences[100:], options, hooks=[hook]).info["dev"]["UAS"]
        for hook in (parity, knows_nothing)
    ]
    assert scores[0] > 90
    assert scores[1] < 75


def test_hooks_that_cannot_be(chains):
    options = TrainingOptions(factorization="arc", **QUICK | {"epochs": 1})
    with pytest.raises(UsageError, match="there are 2 hooks named 'whole_chain': give each function a different name"):
        train_parser(chains, chains, options, hooks=[whole_chain, whole_chain])
    hard = TrainingOptions(trees="nonprojective", factorization="sibling", **QUICK)
    with pytest.raises(UsageError, match="hooks need a backbone"):
        train_parser(chains, chains, hard, hooks=[whole_chain])
    with pytest.raises(UsageError, match="needs marginals, which there are not with non-local features or hooks"):
        train_parser(
            chains, chains, TrainingOptions(factorization="arc", tags="gold", learner="log-linear"), hooks=[whole_chain]
        )
    parser = train_parser(chains, chains, options)
    parser.hooks.append(whole_chain)
    with pytest.raises(UsageError, match=r"'whole_chain': it proposes the feature 'left .', but the model was not"):
        parser.parse(chains[0], keep_tags=True)


def test_scores_of_hooks_count_without_training(chains):
    def last_is_root(sentence, parts):
        return [([(0, len(sentence))], 1e4)]

    for factorization in ("arc", "carreras"):
        quick = QUICK | {"epochs": 1, "beam": 1e-4}  # a hook cannot bring back what is pruned
        parser = train_parser(chains, chains, TrainingOptions(factorization=factorization, **quick))
        parser.hooks.append(last_is_root)
        assert all(parser.parse(s, keep_tags=True)[0].heads[-1] == 0 for s in chains[:5])


def test_the_gradient_is_that_of_the_score(chains):
    """Two factors of a tree have the feature, one of another tree: what is listed adds up to the difference."""

    def either(sentence, parts):
        yield [(0, 1), (1, 2)], ["chain", "both"]
        yield [(2, 3)], "both"
        yield [(0, 1)], 2.5

    features = DependencyFeatures.of(chains, kinds=["arc"], hooks=["either"])
    problem = ParsingProblem(chains[:1], features, Trees(), hooks=[either])
    rng = np.random.default_rng(1)
    weights = Weights(rng.normal(size=features.size))
    hashed, scores = problem.score(0, weights)
    proposed = problem._proposed(problem.examples[0], scores)
    assert proposed.owners.tolist() == [0, 0, 1]
    scored = features.factors(hashed, weights, scores.parts, proposed)
    rows, ones = np.arange(3)[:, None], np.ones(3, np.float32)
    places, values = features.gradient(hashed, {"hooks": (rows, ones)}, proposed)
    assert weights.values[places] @ values == pytest.approx(scored.scores.sum() - 2.5)
    assert len(set(places.tolist())) == 2


def test_whole_weights_round_the_bound(chains):
    """A perceptron's weights in training are whole, a finished model's are multiples of its scale: fewer searches."""
    options = TrainingOptions(factorization="carreras", non_local=["siblings", "grandchildren"], **QUICK)
    sentences = chains[:30]
    parser = train_parser(sentences, chains[30:], options)
    assert parser.scorer.weights.resolution == parser.scorer.weights.scale > 0
    whole = Weights(np.rint(parser.scorer.weights.decoded() / parser.scorer.weights.scale), resolution=1.0)
    for weights in (parser.scorer.weights, whole):
        calls = {True: 0, False: 0}
        for sentence in chains:
            problem = ParsingProblem([sentence], parser.scorer.features, parser.trees)
            hashed, scores = problem.score(0, weights)
            factors = parser.scorer.features.factors(hashed, weights, scores.parts)
            found = [
                best_with_factors(parser.trees, unit, scores, factors, None) for unit in (weights.resolution, None)
            ]
            assert found[0].certificate
            assert found[0].gap == 0
            assert found[0].score == pytest.approx(found[1].score, rel=1e-6)
            for parse, rounded in zip(found, (True, False), strict=True):
                calls[rounded] += parse.calls
        assert calls[True] <= calls[False]


def test_scores_that_are_no_multiples_are_not_rounded(chains):
    features = DependencyFeatures.of(chains, kinds=["arc"])
    weights = Weights(np.zeros(features.size, np.float32))
    _, scores = ParsingProblem(chains[:1], features, Trees(), [np.ones((len(chains[0]) + 1,) * 2, bool)]).score(
        0, weights
    )
    factors = Factors.of([([(0, 1)], 0.3), ([(0, 2)], 0.4)])
    assert best_with_factors(Trees(), 1.0, scores, factors, None).score == pytest.approx(0.4)
