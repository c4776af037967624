"""The table of kinds of parts, against the definitions."""

import numpy as np
import pytest

from tests.inference.parts import MODELS, PARTS, RANKS, can_exist, shape_of
from treewright.inference import Parts
from treewright.inference.kinds import FACTORIZATIONS, PartKind, check_scored


def test_the_kinds_are_those_of_the_definitions() -> None:
    assert {kind: kind.rank for kind in PartKind} == RANKS
    assert [kind.shape(3) for kind in PartKind] == [shape_of(name, 3) for name in RANKS]


@pytest.mark.parametrize("kind", PartKind)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_entries_that_exist_are_those_of_the_definitions(kind: PartKind, n: int) -> None:
    assert np.array_equal(kind.exists(n), can_exist(kind, n, False, False))


@pytest.mark.parametrize("kind", PartKind)
def test_parts_of_each_kind_are_counted_and_listed(kind: PartKind) -> None:
    allowed = np.random.default_rng(0).random((7, 7)) < 0.7
    parts = Parts(allowed)
    rows = parts.rows(kind)
    assert rows.shape == (parts.count(kind), kind.rank)
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert np.array_equal(parts.flat(kind), np.ravel_multi_index(tuple(rows.T), kind.shape(6)))


def test_the_factorizations_score_what_they_are_defined_by() -> None:
    assert list(FACTORIZATIONS) == MODELS
    for name, factorization in FACTORIZATIONS.items():
        assert factorization.kinds == PARTS.get(f"{name}+last", PARTS[name])


def test_an_array_that_is_not_scored_is_refused() -> None:
    check_scored(["sibling", "last"], "sibling")
    with pytest.raises(ValueError, match="grandchild is given, but the factorization 'sibling' does not score it"):
        check_scored(["sibling", "grandchild"], "sibling")
