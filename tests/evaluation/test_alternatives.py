"""Several trees of one sentence get the scores that each gets alone."""

import pytest

from treewright.errors import UsageError
from treewright.evaluation import Score, evaluate_brackets, score_alternatives
from treewright.treebank import ConstituentTree, read_trees

GOLD = ConstituentTree.from_string(
    "( (S (NP-SBJ (DT The) (NN tree)) (VP (VBD fell) (PRT (RP down)) (NP (-NONE- *)) (, ,)"
    " (PP (IN in) (NP (NN May)))) (. .)))"
)
OTHERS = [
    "(S (NP (DT The) (NN tree)) (VP (VBD fell) (ADVP (RP down)) (, ,) (PP (IN in) (NP (NN May)))) (. .))",
    "(S (NP (DT The)) (NP (NN tree) (VBD fell) (RP down)) (, ,) (PP (IN in) (NP (NN May) (. .))))",
    "(X (DT The) (NN tree) (VBD fell) (RP down) (, ,) (IN in) (NN May) (. .))",
]


def test_each_is_scored_as_alone():
    trees = [ConstituentTree.from_string(text) for text in OTHERS]
    scores = score_alternatives(GOLD, trees)
    assert scores == [evaluate_brackets([GOLD], [tree]).all.brackets for tree in trees]
    assert scores[0] == Score(6, 6, 6)
    assert scores[2] == Score(0, 6, 1)


def test_trees_of_a_treebank_agree_with_themselves():
    for tree in read_trees("tests/data/trees.mrg", spaces="keep"):
        [score] = score_alternatives(tree, [tree])
        assert score.correct == score.gold == score.system


def test_nothing_but_punctuation_has_no_brackets():
    tree = ConstituentTree.from_string("(X (. .))")
    assert score_alternatives(tree, [tree, tree]) == [Score(0, 0, 0)] * 2


def test_other_words_are_refused():
    with pytest.raises(UsageError, match="the gold standard has 2 words and the system 1"):
        score_alternatives(ConstituentTree.from_string("(X (A a) (B b))"), [ConstituentTree.from_string("(X (A a))")])
