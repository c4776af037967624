"""Trees without traces, function tags and empty brackets."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import TREEBANKS
from tests.treebank.constituents.strategies import trees
from treewright.errors import UsageError
from treewright.treebank import ConstituentTree, escape_brackets, read_trees, simplify, unescape_brackets
from treewright.treebank.constituents.simplification import remove_nodes

#: Words without empty elements, by the README of the data.
WORDS = {"craft-const": 67_652, "gum-const": 28_119, "icepahc-const": 143_963, "wsj-sample": 6_094}


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("( (S (NP-SBJ (NN a))))", {}, "(S (NP (NN a)))"),
        ("( (S (NP-SBJ (NN a))))", {"top": False}, "( (S (NP (NN a))))"),
        ("( (S (NN a)) (S (NN b)))", {}, "( (S (NN a)) (S (NN b)))"),
        ("(S (NP-SBJ-1 (NN a)) (NP=2 (NN-X b)))", {}, "(S (NP (NN a)) (NP (NN-X b)))"),
        ("(S (NP-SBJ-1 (NN a)))", {"functions": False}, "(S (NP-SBJ-1 (NN a)))"),
        ("(S (X (NN a) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))) (. .))", {}, "(S (X (NN a)) (. .))"),
        ("(S (NN a) (S (-NONE- *)))", {"empty": "keep"}, "(S (NN a) (S (-NONE- *)))"),
        ("(S (CD 0) (SYM *))", {}, "(S (CD 0) (SYM *))"),
        ("(IP (C 0) (NP-SBJ *con*-D) (NUM-N 0) (N-N x))", {"empty": "historical"}, "(IP (NUM-N 0) (N-N x))"),
        ("(IP (NP-SBJ *T*-1) (N-N x))", {"empty": "keep"}, "(IP (NP-SBJ *T*-1) (N-N x))"),
        ("(PRN (-LRB- -LRB-) (NN a))", {}, "(PRN (-LRB- -LRB-) (NN a))"),
        ("(NP (NP (NP (NN a))))", {}, "(NP (NP (NP (NN a))))"),
    ],
)
def test_what_is_left(text, options, expected):
    assert str(simplify(ConstituentTree.from_string(text), **options)) == expected


def test_nothing_may_be_left():
    assert simplify(ConstituentTree.from_string("( (S (-NONE- *)))")) is None
    with pytest.raises(UsageError, match="empty is 'some'"):
        simplify(ConstituentTree.from_string("(S a)"), empty="some")


@given(trees(), st.data())
def test_removing_nodes_is_removing_brackets(tree, data):
    """Print the brackets of the nodes that stay, with the words that stay; the others print nothing."""
    removed = np.array([False, *(data.draw(st.booleans()) for _ in tree.labels[1:])])
    found = remove_nodes(tree, removed)
    children, words = tree.children(), iter(tree.words)

    def show(node):
        if not children[node]:
            word = next(words)
            return "" if removed[node] else f"({tree.labels[node]} {word})"
        inside = " ".join(filter(None, map(show, children[node])))
        return inside if removed[node] or not inside else f"({tree.labels[node]} {inside})"

    assert ("" if found is None else str(found)) == show(0)


def test_brackets_are_escaped_and_back():
    tree = ConstituentTree(["NP", "X", "X"], [-1, 0, 0], ["(", "a)"])
    assert str(escape_brackets(tree)) == "(NP (X -LRB-) (X a-RRB-))"
    assert unescape_brackets(escape_brackets(tree)) == tree
    assert unescape_brackets(ConstituentTree.from_string("(X -LSB--RCB-)")).words == ("[}",)


@pytest.mark.parametrize("name", WORDS)
def test_the_words_that_are_left_are_those_of_the_text(name):
    path: Path = TREEBANKS / name / "dev.mrg.gz"
    if not path.exists():
        pytest.skip("the treebanks are not here")
    empty = "historical" if name == "icepahc-const" else "penn"
    simple = [simplify(tree, empty=empty) for tree in read_trees(path)]
    assert sum(len(tree) for tree in simple if tree is not None) == WORDS[name]
