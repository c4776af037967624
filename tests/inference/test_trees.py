"""The laws, for every kind of trees and every factorization."""

import itertools

import pytest

from tests.inference.enumeration import all_trees
from tests.inference.laws import Laws
from tests.inference.parts import PARTS

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


def _name(projective: bool, single_root: bool, factorization: str) -> str:
    words = factorization.title().replace("-", "").replace("+", "")
    return f"Test{'Projective' if projective else 'Nonprojective'}{'Single' if single_root else 'Multi'}Root{words}"


for _kind in [
    *itertools.product([True], [True, False], PARTS),
    *itertools.product([False], [True, False], ["arc"]),
]:
    _settings = dict(zip(("projective", "single_root", "factorization"), _kind, strict=True))
    globals()[_name(*_kind)] = type(_name(*_kind), (Laws,), {**_settings, "__module__": __name__})
