"""Derivations found again among the links of a space."""

import numpy as np
import pytest

from treewright.constituency.spines import Derivation, Grammar, Spine
from treewright.constituency.tag.automata import Automata
from treewright.constituency.tag.links import Links, Senses, sort_links
from treewright.constituency.tag.problem import gold_of, joins_of_gold
from treewright.constituency.tag.space import Space

#: More labels than fit into four digits, and two places for each.
LABELS = 10_001
AUTOMATA = Automata(Grammar([Spine((f"L{number}",)) for number in range(LABELS)], {"x": {0: 1}}))


def derivation(last, adjunction):
    """Join the second and the third word to the first, whose only node is L0."""
    return Derivation.from_lists(
        "abc", "xxx", spines=[0, 0, last], heads=[0, 1, 1], positions=[0, 0, 0], adjunctions=[0, adjunction, 0]
    )


@pytest.mark.parametrize(("last", "adjunction"), [(LABELS - 1, 0), (0, 1)])
def test_links_are_told_apart_whatever_their_numbers(last, adjunction):
    """Place 0 with top 10,000 is not place 1 with top 0, though both are the digits 1 0000."""
    candidates = [gold_of(AUTOMATA, derivation(LABELS - 1, 0)), gold_of(AUTOMATA, derivation(0, 1))]
    links = sort_links(Links(*map(np.append, *(gold.links for gold in candidates))))
    senses = Senses(np.array([0, 1, 2, 3, 5]), np.array([AUTOMATA.root, 0, 0, 0, LABELS - 1]))
    space = Space.of(AUTOMATA.tables, senses, links, second=True)
    gold = gold_of(AUTOMATA, derivation(last, adjunction))
    joins = joins_of_gold(space, gold)
    for column, wanted in zip(space.links, gold.links, strict=True):
        assert column[joins.links].tolist() == wanted.tolist()
    found = space.derivation(_Words("abc", "xxx"), joins)
    assert found.spines.tolist() == [0, 0, last]
    assert found.positions.tolist() == [0, 0, 0]
    assert found.adjunctions.tolist() == [0, adjunction, 0]


class _Words:
    def __init__(self, forms, xpos):
        self.forms, self.xpos = forms, xpos
