"""The laws, for every kind of trees."""

import pytest

from .enumeration import all_trees
from .laws import SearchLaws

COUNTS = {
    (True, True): [1, 2, 7, 30, 143],
    (True, False): [1, 3, 12, 55, 273],
    (False, True): [n ** (n - 1) for n in range(1, 6)],
    (False, False): [(n + 1) ** (n - 1) for n in range(1, 6)],
}


@pytest.mark.parametrize(("projective", "single_root"), COUNTS)
def test_enumeration_lists_as_many_trees_as_there_are(projective, single_root):
    counts = [len(all_trees(n, projective, single_root)) for n in range(1, 6)]
    assert counts == COUNTS[projective, single_root]


class TestProjectiveSingleRoot(SearchLaws):
    projective, single_root = True, True


class TestProjectiveMultiRoot(SearchLaws):
    projective, single_root = True, False


class TestNonprojectiveSingleRoot(SearchLaws):
    projective, single_root = False, True


class TestNonprojectiveMultiRoot(SearchLaws):
    projective, single_root = False, False
