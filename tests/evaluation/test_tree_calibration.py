"""Constituent trees are right if all phrases are, whatever their tags."""

import pytest

from treewright.errors import UsageError
from treewright.evaluation import has_same_phrases, measure_tree_calibration
from treewright.treebank import ConstituentTree

GOLD = ConstituentTree.from_string("(S (NP (N a)) (VP (V b) (. .)))")


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("(S (NP (X a)) (VP (Y b) (. .)))", True),
        ("(S (NP (N a)) (VP (V b)) (. .))", False),
        ("(S (XP (N a)) (VP (V b) (. .)))", False),
        ("(S (NP (NP (N a))) (VP (V b) (. .)))", False),
    ],
)
def test_tags_do_not_matter_and_punctuation_does(text, is_same):
    assert has_same_phrases(GOLD, ConstituentTree.from_string(text)) == is_same


def test_trees_that_do_not_match_are_refused():
    other = ConstituentTree.from_string("(S (NP (N a)) (VP (V c) (. .)))")
    with pytest.raises(UsageError, match="tree 1: word 2 is 'b'"):
        measure_tree_calibration([GOLD], [other], [0.5])
    with pytest.raises(UsageError, match="one probability for each"):
        measure_tree_calibration([GOLD], [GOLD], [])


def test_function_tags_and_empty_elements_of_the_gold_standard_are_left_out():
    gold = ConstituentTree.from_string("(S (NP-SBJ (N a)) (NP (-NONE- *)) (VP (V b) (. .)))")
    assert measure_tree_calibration([gold], [GOLD], [0.5]).correct == 1
