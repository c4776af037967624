"""Constituent trees in memory."""

import numpy as np
import pytest
from hypothesis import given

from tests.treebank.constituents.strategies import trees
from treewright.errors import TreebankError, UsageError
from treewright.treebank import ConstituentTree


@given(trees())
def test_spans_are_those_of_the_brackets(tree):
    for node in range(len(tree.labels)):
        below = {node}
        for other in range(node + 1, len(tree.labels)):
            if tree.parents[other] in below:
                below.add(other)
        words = [i for i, leaf in enumerate(tree.leaves) if leaf in below]
        assert words == list(range(tree.starts[node], tree.ends[node]))
    assert sum(map(len, tree.children())) == len(tree.labels) - 1


@given(trees())
def test_checking_agrees_with_reading(tree):
    assert ConstituentTree(tree.labels, tree.parents, tree.words) == tree
    assert hash(tree) == hash(ConstituentTree.from_string(str(tree)))


@pytest.mark.parametrize(
    ("labels", "parents", "words", "reason"),
    [
        ([], [], [], "no nodes"),
        (["S"], [0], ["a"], "parent of the top"),
        (["S", "A", "B", "C"], [-1, 0, 0, 1], ["a", "b"], "not open there"),
        (["S", "A"], [-1, 1], ["a"], "not open there"),
        (["S", "A"], [-1, 0], ["a", "b"], "1 leaves and 2 words"),
        (["S", ""], [-1, 0], ["a"], "without a label"),
        ([""], [-1], ["a"], "without a label"),
        (["S"], [-1], [""], "word 1 is empty"),
        (["S"], [-1, 0], ["a"], "1 labels"),
    ],
)
def test_what_is_no_tree_is_refused(labels, parents, words, reason):
    with pytest.raises(UsageError, match=reason):
        ConstituentTree(labels, np.array(parents, int), words)


def test_a_tree_cannot_be_changed():
    tree = ConstituentTree.from_string("(NP (NN a))")
    with pytest.raises(ValueError, match="read-only"):
        tree.parents[0] = 3
    with pytest.raises(AttributeError):
        tree.labels = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(N a) (N b)", "<string>:1:1: 2 trees where one was expected"),
        (" \n", "<string>:1:1: 0 trees where one was expected"),
        ("\n (N a", "<string>:2:2: the tree that starts here is not closed; 1 closing bracket is missing"),
        ("\ufeff(N \ud800)", "<string>:1:5: byte 0xed is not UTF-8; convert the file to UTF-8"),
    ],
)
def test_a_text_that_is_not_one_tree_is_refused(text, message):
    with pytest.raises(TreebankError) as caught:
        ConstituentTree.from_string(text)
    assert str(caught.value) == message


@given(trees())
def test_depths_count_the_nodes_above(tree):
    for node, parent in enumerate(tree.parents):
        assert tree.depths[node] == (tree.depths[parent] + 1 if node else 0)
