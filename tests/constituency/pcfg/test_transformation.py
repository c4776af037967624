"""Trees to derivations and back."""

import pytest
from hypothesis import given, settings

from tests.constituency.pcfg.enumeration import annotations, trees
from treewright.constituency.pcfg import Annotation, Symbol, restore, transform
from treewright.errors import UsageError
from treewright.treebank import ConstituentTree


@settings(deadline=None)
@given(trees(max_words=8), annotations())
def test_the_way_back_gives_the_same_tree(tree, orders):
    annotation = Annotation(orders["vertical"], orders["horizontal"], orders["annotate_tags"])
    derivation = transform(tree, annotation)
    assert restore(derivation, tree.words) == tree
    assert sum(chain[-1].kind == "tag" for chain in derivation) == len(tree)


def test_each_order_remembers_what_it_should():
    tree = ConstituentTree.from_string("(S (NP (D a) (J b) (N c) (N d)) (VP (V e)))")
    symbols = {symbol for chain in transform(tree, Annotation(2, 1)) for symbol in chain}
    assert Symbol("phrase", "S", ("",)) in symbols
    assert Symbol("phrase", "NP", ("S",)) in symbols
    assert Symbol("tag", "N") in symbols
    states = {symbol for symbol in symbols if symbol.kind == "state"}
    assert states == {Symbol("state", "NP", ("S", "D")), Symbol("state", "NP", ("S", "J"))}


def test_no_vertical_order_and_all_children():
    tree = ConstituentTree.from_string("(NP (D a) (J b) (N c) (N d))")
    states = [chain[0] for chain in transform(tree, Annotation(1, None)) if chain[0].kind == "state"]
    assert [state.context for state in states] == [("D",), ("D", "J")]


def test_tags_are_annotated_when_asked():
    tree = ConstituentTree.from_string("(S (NP (N a)) (VP (V b)))")
    assert transform(tree, Annotation(3, 2, tags=True))[1][-1] == Symbol("tag", "N", ("NP", "S"))


def test_deep_and_wide_trees_take_no_recursion():
    deep = ConstituentTree(["A"] * 3000, range(-1, 2999), ["a"])
    wide = ConstituentTree(["A", *["x"] * 3000], [-1, *[0] * 3000], ["a"] * 3000)
    for tree in (deep, wide):
        assert restore(transform(tree, Annotation()), tree.words) == tree


@pytest.mark.parametrize(("orders", "reason"), [((0, 1), "vertical is 0"), ((1, -1), "horizontal is -1")])
def test_impossible_orders_are_refused(orders, reason):
    with pytest.raises(UsageError, match=reason):
        Annotation(*orders)
