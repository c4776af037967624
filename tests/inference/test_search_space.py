"""Search spaces: which trees there are to ask about."""

import dataclasses

import pytest

import treewright.inference as inference
from treewright.inference import SearchSpace, Trees


def test_names_are_sorted_and_there():
    assert inference.__all__ == sorted(inference.__all__)
    assert all(hasattr(inference, name) for name in inference.__all__)


def test_search_spaces_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Trees().projective = False


@pytest.mark.parametrize("kind", [SearchSpace, Trees])
def test_an_unknown_factorization_is_refused(kind):
    with pytest.raises(ValueError, match="there is no factorization 'arcs'; there are arc, sibling"):
        kind(factorization="arcs")


def test_search_is_hard_beyond_arcs_without_projectivity():
    assert SearchSpace(False, True, "sibling").is_hard
    assert not SearchSpace(False, True, "arc").is_hard
    assert not SearchSpace(True, True, "tri-sibling").is_hard
