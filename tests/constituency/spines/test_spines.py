"""Spines and their texts, and tables of spines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.constituency.spines import Spine, SpineTable
from treewright.errors import UsageError


@given(st.lists(st.text(r"A/\()é- ", max_size=4), max_size=4).map(tuple))
def test_texts_of_spines_come_back(labels):
    spine = Spine(labels)
    assert Spine.from_string(str(spine)) == spine


def test_spines_can_be_keys():
    assert {Spine(("VP", "S")): 1}[Spine.from_string("S/VP")] == 1
    assert Spine(("VP", "S")) != Spine(("S", "VP"))
    assert str(Spine(("A/B", "(", ""))) == r"/\(/A\/B"


@pytest.mark.parametrize("text", ["S(VP", "S\\", "S/)"])
def test_other_texts_are_refused(text):
    with pytest.raises(UsageError, match="is not a spine; write labels with /"):
        Spine.from_string(text)


@given(st.lists(st.lists(st.sampled_from("AB"), max_size=3).map(tuple)))
def test_tables_number_spines_as_they_come(chains):
    table = SpineTable()
    numbers = [table.add(chain) for chain in chains]
    assert [spine.labels for spine in table] == list(dict.fromkeys(chains))
    assert [table[number].labels for number in numbers] == chains
    assert all(table.find(Spine(chain)) == number for chain, number in zip(chains, numbers, strict=True))
    assert table.find(Spine(("C",))) is None
    assert list(SpineTable(table)) == list(table)
