"""Candidates that no score can tell apart count once."""

import itertools

import numpy as np
import pytest

from treewright.evaluation import BracketRules
from treewright.reranking import CandidatesBuilder
from treewright.reranking.candidates.kinds import Constituents, Dependencies
from treewright.reranking.candidates.listing import CandidateList
from treewright.reranking.candidates.scored_lists import add_lists
from treewright.treebank import ConstituentTree, Sentence

GOLD = "(S (NP (NNS Trees)) (VP (VBP grow) (PRT (RP up))) (. .))"
TREES = [
    "(S (NP (NN Trees)) (VP (VBP grow) (PRT (RP up))) (. .))",  # another tag
    "(S (NP (NNS Trees)) (VP (VBP grow) (ADVP (RB up))) (. .))",  # PRT counts as ADVP
    "(S (NP (NNS Trees)) (VP (VBP grow) (PRT (RP up)) (. .)))",  # punctuation is elsewhere
    "(TOP (S (NP (NNS Trees)) (VP (VBP grow) (PRT (RP up))) (. .)))",  # a top
    "(S (NP (NNS Trees)) (VP (VBP grow) (RP up)) (. .))",  # a bracket less
    "(S (NP (NNS Trees)) (VP (VP (VBP grow) (PRT (RP up)))) (. .))",  # one twice
]


KIND = Constituents()


def add(gold, trees, kind=KIND, **options):
    builder = CandidatesBuilder()
    found = CandidateList(trees, [-1.0 - place for place in range(len(trees))])
    add_lists(builder, [gold], [found], kind, lambda tree: ["one"], **options)
    return builder.build()


def test_the_most_probable_of_trees_with_the_same_brackets_is_kept():
    gold, *trees = map(ConstituentTree.from_string, [GOLD, *TREES])
    made = add(gold, trees)
    assert list(made.ids) == [TREES[0], TREES[4], TREES[5]]
    assert made.log_probability.tolist() == [-1.0, -5.0, -6.0]
    assert made.gold[0] == 1
    assert list(add(gold, trees[::-1]).ids) == [TREES[5], TREES[4], TREES[3]]
    assert list(add(gold, trees, distinct="trees").ids) == TREES


@pytest.mark.parametrize("seed", range(3))
def test_trees_are_equal_if_they_have_the_same_score_against_every_tree(seed):
    random, words = np.random.default_rng(seed), ["a", "b", "c", "."]

    def tree(first, end):
        label = random.choice(["A", "PRT", "ADVP"])
        if end - first == 1:
            return f"({'.' if words[first] == '.' else random.choice(['X', 'Y'])} {words[first]})"
        cuts = [first, *sorted(random.choice(range(first + 1, end), random.integers(1, end - first), False)), end]
        return f"({label} {' '.join(tree(a, b) for a, b in itertools.pairwise(cuts))})"

    trees = [ConstituentTree.from_string(tree(0, 4)) for _ in range(60)]
    scores = np.array([KIND.score(gold, trees)[0] for gold in trees]).T
    keys = KIND.scored_keys(trees[0], trees)
    for a, b in itertools.combinations(range(60), 2):
        assert (keys[a] == keys[b]) == (scores[a] == scores[b]).all()
    assert 5 < len(set(keys)) < 60


def test_relations_that_do_not_count_make_no_difference():
    gold = Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])
    trees = [gold, gold.replace(deprels=["obj", "root"]), gold.replace(heads=[0, 1])]
    assert len(add(gold, trees, Dependencies())) == 3
    assert len(add(gold, trees, Dependencies(relations=False))) == 2


def test_empty_elements_that_are_kept_are_words():
    gold = ConstituentTree.from_string("(S (NP (-NONE- *T*)) (VP (VB go)))")
    other = ConstituentTree.from_string("(S (NP (X *T*)) (VP (VB go)))")
    assert len(add(gold, [gold, other], Constituents(BracketRules(empty="keep")))) == 1
