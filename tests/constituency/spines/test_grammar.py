"""Which spines a tag may have."""

import json

import numpy as np
import pytest

from treewright.constituency.spines import Grammar, Spine, SpineTable, extract_derivation
from treewright.errors import UsageError
from treewright.treebank import ConstituentTree

TRAINING = [
    "(S (NP (DT the) (NN dog)) (VP (VBD ran)))",
    "(S (NP (NN rain)) (VP (VBD fell)))",
    "(FRAG (NP (NN rain) (NN dog)))",
]


@pytest.fixture
def training():
    table = SpineTable()
    derivations = [extract_derivation(ConstituentTree.from_string(text), "collins", table) for text in TRAINING]
    return table, derivations, Grammar.count(derivations, table)


def test_grammars_count_spines_by_tag(training):
    _, _, grammar = training
    found = {tag: [str(grammar.spines[number]) for number in grammar.candidates_of(tag)] for tag in grammar.tags}
    assert found == {"DT": ["()"], "NN": ["NP", "()", "FRAG/NP"], "VBD": ["S/VP"]}
    assert grammar.offsets.tolist() == [0, 1, 4, 5]
    assert grammar.counts.tolist() == [1, 2, 1, 1, 2]
    assert [str(grammar.spines[number]) for number in grammar.candidates_of("XX")][:2] == ["()", "NP"]
    assert len(grammar.candidates_of("XX")) == len(grammar.spines) == 4


def test_grammars_have_the_nodes_of_spines_as_arrays(training):
    _, _, grammar = training
    for number, spine in enumerate(grammar.spines):
        nodes = grammar.nodes[grammar.starts[number] : grammar.starts[number + 1]]
        assert tuple(grammar.labels[node] for node in nodes) == spine.labels
        assert grammar.lengths[number] == len(spine)
    assert len(set(grammar.labels)) == len(grammar.labels)
    with pytest.raises(ValueError, match="read-only"):
        grammar.nodes[0] = 7


def test_what_a_grammar_covers(training):
    table, derivations, grammar = training
    assert all(grammar.covers(derivation).all() for derivation in derivations)
    tree = ConstituentTree.from_string("(NP (DT all) (NN art) (XX !))")
    other = ConstituentTree.from_string("(S (NP (DT all)) (VP (VBD ran) (ADVP (XX on))))")
    assert grammar.covers(extract_derivation(tree, "collins", table)).tolist() == [True, True, True]
    assert grammar.covers(extract_derivation(other, "collins", table)).tolist() == [False, True, False]
    assert len(table) == len(grammar.spines) + 1


def test_grammars_survive_json(training):
    _, _, grammar = training
    back = Grammar.restore(json.loads(json.dumps(grammar.describe()[0])))
    assert back.spines == grammar.spines
    assert back.tags == grammar.tags
    for name in ("starts", "nodes", "offsets", "candidates", "counts", "lengths"):
        assert np.array_equal(getattr(back, name), getattr(grammar, name))


def test_an_empty_grammar():
    grammar = Grammar.count([], SpineTable())
    assert grammar.tags == ()
    assert grammar.candidates_of("NN").tolist() == []


def test_a_spine_that_is_not_there():
    with pytest.raises(UsageError, match="a tag has a spine that does not exist; there are 1 spines"):
        Grammar([Spine(())], {"NN": {1: 2}})
