"""Coverage, counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from tests.constituency.tag.conftest import sentence_of
from treewright.constituency.spines import Grammar, SpineTable, extract_derivation
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.candidates import SpineDictionary
from treewright.constituency.tag.coverage import Coverage, count_coverage, measure_coverage
from treewright.constituency.tag.links import Links
from treewright.constituency.tag.problem import gold_of
from treewright.constituency.tag.tags import with_coarse_tags
from treewright.treebank import ConstituentTree

#: Seen spines: NP of a noun, and S/VP of a verb.
SEEN = "(S (NP (NNS dogs)) (VP (VBP eat) (NP (NN cake))))"
SPINES = SpineTable()
SEEN_DERIVATION = extract_derivation(ConstituentTree.from_string(SEEN), "collins", SPINES)
AUTOMATA = Automata(Grammar.count([SEEN_DERIVATION], SPINES))
GOLD = gold_of(AUTOMATA, SEEN_DERIVATION).links


def coverage_of(text, links, tags=None):
    """Count the coverage of a gold tree, whose words have these tags for the parser."""
    tree, table = ConstituentTree.from_string(text), SpineTable(AUTOMATA.grammar.spines)
    derivation = extract_derivation(tree, "collins", table)
    choices = SpineDictionary(AUTOMATA).choices(tags or tree.tags)
    return count_coverage(AUTOMATA, choices, links, derivation, table)


def without(*modifiers):
    kept = ~np.isin(GOLD.modifiers, modifiers)
    return Links(*(column[kept] for column in GOLD))


def test_the_dependencies_in_the_beam_are_counted():
    assert coverage_of(SEEN, GOLD) == Coverage(dependencies=3, kept=3, unseen=0, spines=3, survivors=3)
    assert coverage_of(SEEN, without(1)) == Coverage(3, 2, 0, 3, 2)
    assert coverage_of(SEEN, without(1, 2, 3)) == Coverage(3, 0, 0, 3, 0)


@pytest.mark.parametrize("column", ["heads", "places", "tops"])
def test_a_dependency_with_another_head_or_relation_is_not_the_gold_one(column):
    changed = getattr(GOLD, column).copy()
    changed[2] = changed[1]
    assert coverage_of(SEEN, GOLD._replace(**{column: changed})).kept == 2


def test_the_kind_of_adjunction_does_not_count():
    both = Links(*(np.append(column, column) for column in GOLD))
    both.adjunctions[3:] = 1
    assert coverage_of(SEEN, both) == Coverage(3, 3, 0, 3, 3)
    assert coverage_of(SEEN, Links(*(column[3:] for column in both))) == Coverage(3, 3, 0, 3, 3)


def test_a_spine_that_was_never_seen_does_not_void_the_tree():
    """The noun is NP/NX, so that its spine is lost; but NP is its top as ever, and all dependencies are the same."""
    found = coverage_of("(S (NP (NNS dogs)) (VP (VBP eat) (NP (NX (NN cake)))))", GOLD)
    assert found == Coverage(dependencies=3, kept=3, unseen=0, spines=2, survivors=3)


def test_dependencies_that_no_seen_spine_has_are_told_from_those_that_are_pruned():
    top = "(S (NP (NNS dogs)) (VP (VBP eat) (QP (NN cake))))"  # QP is no label of the grammar
    assert coverage_of(top, GOLD) == Coverage(3, 2, 1, 2, 3)
    assert coverage_of(top, without(1)) == Coverage(3, 1, 1, 2, 2)
    place = "(S (VP (NP (NNS dogs)) (VBP eat) (NP (NN cake))))"  # dogs below VP: pruned, as VP is a node of eat
    assert coverage_of(place, GOLD) == Coverage(3, 2, 0, 3, 3)
    mistagged = coverage_of(SEEN, without(1, 2, 3), tags=["NNS", "NN", "NN"])  # a noun is never S, nor has it VP
    assert mistagged == Coverage(3, 0, 3, 2, 0)


def test_percentages_and_sums():
    total = Coverage(10, 7, 1, 8, 100) + Coverage(10, 9, 1, 10, 20)
    assert total == Coverage(20, 16, 2, 18, 120)
    percentages = total.coverage, total.lost_unseen, total.lost_pruned, total.spine_coverage
    assert percentages == (80, 10, 10, 90)
    assert Coverage().coverage == 0


def test_a_parser_that_prunes_nothing_loses_nothing_it_has_seen(parser, trees):
    """And one that prunes much loses something."""
    table = SpineTable(parser.scorer.features.automata.grammar.spines)
    derivations = [extract_derivation(tree, "collins", table) for tree in trees[:20]]
    sentences = [with_coarse_tags(sentence_of(tree)) for tree in trees[:20]]
    arcs = parser.pruner.arcs.with_limits(beam=0.0)
    found = [
        measure_coverage(parser.scorer.features.automata, sentences, derivations, table, pruner.links)
        for pruner in (replace(parser.pruner, beam=0.0, arcs=arcs), parser.pruner, replace(parser.pruner, beam=1.0))
    ]
    words = sum(map(len, sentences))
    assert (found[0].kept, found[0].spines, found[0].unseen, found[0].dependencies) == (words, words, 0, words)
    assert found[0].kept >= found[1].kept > found[2].kept
    assert found[0].survivors > found[1].survivors > found[2].survivors


def test_trees_may_have_top_above_them():
    """The label is that of the root in relations, too; a word joined to the root keeps its links."""
    table = SpineTable()
    derivation = extract_derivation(ConstituentTree.from_string(f"(TOP {SEEN})"), "collins", table)
    automata = Automata(Grammar.count([derivation], table))
    assert len(set(automata.labels)) == len(automata.labels)
    choices = SpineDictionary(automata).choices(derivation.tags)
    gold = gold_of(automata, derivation).links
    assert count_coverage(automata, choices, gold, derivation, table) == Coverage(3, 3, 0, 3, 3)
