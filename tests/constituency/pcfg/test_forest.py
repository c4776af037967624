"""Every answer about a short sentence, against the list of all its derivations."""

import itertools

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from tests.constituency.pcfg.enumeration import WORDS, Enumeration, TooManyError, annotations, expected_labels, trees
from treewright.constituency.pcfg import train_pcfg
from treewright.constituency.pcfg.forest import Forest
from treewright.treebank import ConstituentTree, Sentence


def treebank(*brackets):
    return [ConstituentTree.from_string(text) for text in brackets]


AMBIGUOUS = treebank(
    "(A (A (x a)) (A (B (A (x b))) (y c)))",
    "(A (A (x a) (y a)) (B (y b) (x c) (A (y a))))",
    "(B (A (B (A (x c) (x a)))) (x b) (B (y c)) (y a))",
)
PURE = treebank("(A (A (x a) (A (x a))) (A (x a)))", "(A (A (A (x a))) (A (A (x a)) (A (A (x a)) (A (x a)))))")
NO_SENTENCE = treebank("(B (A (x a) (x b)) (y c))")


def check(model, words):
    sentence = Sentence.from_forms(list(words))
    derivations = Enumeration(model, words).all()
    best = {}
    for score, tree in derivations:
        best[tree] = max(score, best.get(tree, -np.inf))
    whole = all(np.isfinite(model.log_probability(tree)) for _, tree in derivations)
    scores = [score for score, _ in derivations]
    total = np.logaddexp.reduce(scores)
    found = [(tree, log + total) for tree, log in model.k_best(sentence, len(best) + 5)]
    assert len({tree for tree, _ in found}) == len(found) == len(best)
    np.testing.assert_allclose([s for _, s in found], sorted(best.values(), reverse=True), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose([s for _, s in found], [best[tree] for tree, _ in found], rtol=1e-12, atol=1e-10)
    assert [tree for tree, _ in model.k_best(sentence, 3)] == [tree for tree, _ in found[:3]]
    assert model.parse_sentence(sentence) == found[0][0]
    assert model.log_partition(sentence) == pytest.approx(total, abs=1e-10)
    expected = expected_labels(derivations, model.labels, len(words))
    np.testing.assert_allclose(model.marginals(sentence), expected, atol=1e-10)
    if whole and len(best) == len(derivations):
        for tree, score in found:
            assert model.log_probability(tree) == pytest.approx(score, abs=1e-10)
    return derivations


@pytest.mark.parametrize("vertical", [1, 2])
@pytest.mark.parametrize("horizontal", [0, 1, None])
@pytest.mark.parametrize("words", ["a", "ab", "aba", "cabb", "bcz"])
def test_all_answers_on_an_ambiguous_grammar(vertical, horizontal, words):
    check(train_pcfg(AMBIGUOUS, vertical=vertical, horizontal=horizontal), words)


def test_the_ambiguous_grammar_is_ambiguous():
    model = train_pcfg(PURE, vertical=1, horizontal=0)
    derivations = check(model, "aaa")
    assert len(derivations) > 100
    assert len({tree for _, tree in derivations}) == len(derivations)  # one derivation for each tree


def test_no_derivation_is_found_twice():
    model = train_pcfg(PURE[:1], vertical=1, horizontal=0)
    forest = Forest(model.grammar, model.lexicon.scores("aaa", [None] * 3))
    many = len(Enumeration(model, "aaa").all())
    found = [tuple(chains) for _, chains in itertools.islice(forest.best_first(1), many + 1)]
    assert len(set(found)) == len(found) == many


def test_all_answers_on_fragments():
    model = train_pcfg(NO_SENTENCE)
    derivations = check(model, "cabc")
    assert model.log_probability(model.parse(list("cabc"))[0]) == -np.inf
    assert len(derivations) > 1


@settings(deadline=None, max_examples=40)
@given(st.lists(trees(max_words=4, max_chain=2), min_size=1, max_size=3), annotations(), st.data())
def test_all_answers_on_random_grammars(bank, settings, data):
    words = data.draw(st.lists(st.sampled_from([*WORDS, "zz"]), min_size=1, max_size=4))
    try:
        check(train_pcfg(bank, **settings), words)
    except TooManyError:
        reject()


def test_scores_as_extreme_as_those_of_long_sentences_do_not_underflow():
    model = train_pcfg(PURE, vertical=1, horizontal=0)
    sentence = Sentence.from_forms(["a"] * 60)
    assert model.k_best(sentence, 1)[0].log_probability < 0 > model.log_partition(sentence)
    marginals = model.marginals(sentence)
    assert np.isfinite(marginals).all()
    tag = model.labels.index("x")
    np.testing.assert_allclose([marginals[i, i + 1, tag] for i in range(60)], 1)
