"""What survives pruning."""

import itertools
from dataclasses import replace

from tests.constituency.tag.conftest import sentence_of
from treewright import ConstituentParser
from treewright.constituency.tag import search
from treewright.constituency.tag.candidates import SpineDictionary


def test_pruning_nothing_changes_nothing(parser, trees):
    """With a beam of zero every link on every arc survives, and the best derivation is that of all there are."""
    arcs = parser.pruner.arcs.with_limits(beam=0.0)
    parser_of_all = ConstituentParser(parser.scorer, replace(parser.pruner, beam=0.0, arcs=arcs), None, {})
    dictionary, tables = SpineDictionary(parser.scorer.features.automata), parser.scorer.features.automata.tables
    for tree in sorted(trees, key=len)[:3]:
        space, scores, _ = parser_of_all.explore(sentence_of(tree), keep_tags=True)
        choices = dictionary.choices(tree.tags).words
        expected = 0
        for h, m in itertools.permutations(range(len(tree) + 1), 2):
            places = choices.places[choices.place_starts[h] : choices.place_starts[h + 1]]
            kinds = 1 + (tables.first[places] == tables.second[places])
            expected += int(kinds.sum() * (choices.top_starts[m + 1] - choices.top_starts[m]) * (m > 0))
        assert len(space.links.heads) == expected
        best, _ = search.best(space, scores)
        pruned, _ = search.best(*_parts_of(parser, tree))
        assert pruned <= best + 1e-9


def _parts_of(parser, tree):
    space, scores, _ = parser.explore(sentence_of(tree), keep_tags=True)
    return space, scores
