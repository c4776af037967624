"""Derivations that are none, each refused with its reason."""

import pytest

from treewright.constituency.spines import Derivation, Spine, SpineTable, build_tree, grammatical_relations
from treewright.errors import UsageError

TABLE = SpineTable([Spine(()), Spine(("NP",)), Spine(("VP", "S")), Spine(("", "S"))])
GOOD = {"spines": [1, 2, 1], "heads": [2, 0, 2], "positions": [1, 0, 0], "adjunctions": [0, 0, 0]}

BAD = [
    ({"heads": [2, 0]}, r"there are 3 words, but heads has shape \(2,\)"),
    ({"spines": [1, 4, 1]}, "word 2 has spine 4; the table has 4 spines"),
    ({"spines": [1, -1, 1]}, "word 2 has spine -1"),
    ({"heads": [2, 0, 4]}, "word 3 has head 4; there are 3 words"),
    ({"adjunctions": [0, 0, 2]}, r"word 3 has adjunction 2; it must be 0 \(sister\) or 1 \(regular\)"),
    ({"heads": [0, 0, 2]}, "2 words are joined to the root; there must be exactly one"),
    ({"heads": [2, 3, 2]}, "0 words are joined to the root"),
    ({"heads": [3, 0, 1]}, "the heads form a cycle"),
    ({"positions": [2, 0, 0]}, "word 1 is joined at position 2 to the spine of word 2, which has 2 nodes"),
    ({"positions": [-1, 0, 0]}, "word 1 is joined at position -1"),
    ({"spines": [1, 0, 1]}, "word 1 is joined at position 1 to the spine of word 2, which has 0 nodes"),
    ({"positions": [1, 1, 0]}, "word 2 is joined at position 1 to the spine of the root, which has 1 node$"),
    ({"adjunctions": [0, 1, 0]}, "word 2 is r-adjoined to the root; it must be s-adjoined"),
    (
        {"heads": [0, 1, 1], "spines": [2, 1, 1], "positions": [0, 1, 0]},
        "word 3 is joined to word 1 at position 0, but a word nearer to it at position 1; positions must not go down",
    ),
    (
        {"heads": [3, 3, 0], "spines": [1, 1, 2], "positions": [0, 1, 0]},
        "word 1 is joined to word 3 at position 0, but a word nearer to it at position 1",
    ),
]


def derivation(**changes):
    return Derivation.from_lists(["a", "b", "c"], ["A", "B", "C"], **{**GOOD, **changes})


def test_the_good_one():
    assert str(build_tree(derivation(), TABLE)) == "(S (NP (A a)) (VP (B b) (NP (C c))))"


@pytest.mark.parametrize(("changes", "reason"), BAD)
def test_what_is_no_derivation_is_refused(changes, reason):
    for function in (build_tree, grammatical_relations):
        with pytest.raises(UsageError, match=f"^not a derivation: {reason}"):
            function(derivation(**changes), TABLE)


def test_crossing_dependencies():
    crossing = Derivation.from_lists(
        "abcd", "ABCD", spines=[1, 2, 1, 1], heads=[3, 0, 2, 1], positions=[0] * 4, adjunctions=[0] * 4
    )
    with pytest.raises(UsageError, match="its dependencies cross; projectivize the heads"):
        build_tree(crossing, TABLE)


def test_a_label_that_is_empty_below_the_top():
    with pytest.raises(UsageError, match="a label is empty"):
        build_tree(derivation(spines=[1, 3, 1]), TABLE)


def test_tags_are_counted():
    one = derivation()
    with pytest.raises(UsageError, match="there are 3 words, but 2 tags"):
        build_tree(Derivation(one.words, one.tags[:2], one.spines, one.heads, one.positions, one.adjunctions), TABLE)


def test_no_words():
    none = Derivation.from_lists([], [], spines=[], heads=[], positions=[], adjunctions=[])
    with pytest.raises(UsageError, match="0 words are joined to the root"):
        build_tree(none, TABLE)


def test_derivations_are_compared_by_content():
    assert derivation() == derivation()
    assert derivation() != derivation(adjunctions=[1, 0, 0])
    assert derivation() != "derivation"
