"""The reference itself: parts of trees made by hand, and an oracle that agrees with what is known."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from tests.inference.instances import KINDS, draw_arrays, many
from tests.inference.parts import PARTS, RANKS, Oracle, can_exist, incidence, parts_of, score_of
from treewright.inference import Scores

#: 3 is the root; 1 and 2 modify it on the left, 4, 5 and 6 on the right; 7 modifies 6.
FAN = [-1, 3, 3, 0, 3, 3, 3, 6]
FAN_ARCS = [(0, 3), (3, 1), (3, 2), (3, 4), (3, 5), (3, 6), (6, 7)]
FAN_SIBLINGS = [(0, 0, 3), (3, 2, 1), (3, 3, 2), (3, 3, 4), (3, 4, 5), (3, 5, 6), (6, 6, 7)]
FAN_LAST = [(0, 3, 1), (3, 1, 0), (3, 6, 1), (6, 6, 0), (6, 7, 1)]
FAN_LAST = sorted(FAN_LAST + [(h, h, side) for h in (1, 2, 4, 5, 7) for side in (0, 1)])
FAN_PARTS = {
    "arc": {"arc": FAN_ARCS},
    "sibling": {"arc": FAN_ARCS, "sibling": FAN_SIBLINGS},
    "sibling+last": {"arc": FAN_ARCS, "sibling": FAN_SIBLINGS, "last": FAN_LAST},
    "grandchild": {
        "arc": FAN_ARCS,
        "grandchild": [(0, 0, 3), (0, 3, 1), (0, 3, 2), (0, 3, 4), (0, 3, 5), (0, 3, 6), (3, 6, 7)],
    },
    "carreras": {
        "arc": FAN_ARCS,
        "sibling": FAN_SIBLINGS,
        "grandchild": [(0, 0, 3), (0, 3, 1), (0, 3, 6), (3, 6, 7)],
    },
    "grand-sibling": {
        "arc": FAN_ARCS,
        "sibling": FAN_SIBLINGS,
        "grandchild": [(0, 0, 3), (0, 3, 1), (0, 3, 2), (0, 3, 4), (0, 3, 5), (0, 3, 6), (3, 6, 7)],
        "grand_sibling": [
            (0, 0, 0, 3),
            (0, 3, 2, 1),
            (0, 3, 3, 2),
            (0, 3, 3, 4),
            (0, 3, 4, 5),
            (0, 3, 5, 6),
            (3, 6, 6, 7),
        ],
    },
    "tri-sibling": {
        "arc": FAN_ARCS,
        "sibling": FAN_SIBLINGS,
        "grandchild": [(0, 0, 3), (0, 3, 1), (0, 3, 2), (0, 3, 5), (0, 3, 6), (3, 6, 7)],
        "grand_sibling": [(0, 0, 0, 3), (0, 3, 2, 1), (0, 3, 5, 6), (3, 6, 6, 7)],
        "tri_sibling": [
            (0, 0, 0, 3),
            (3, 3, 2, 1),
            (3, 3, 3, 2),
            (3, 3, 3, 4),
            (3, 3, 4, 5),
            (3, 4, 5, 6),
            (6, 6, 6, 7),
        ],
    },
}


FAN_PARTS["grand-sibling+last"] = FAN_PARTS["grand-sibling"] | {"last": FAN_LAST}


@pytest.mark.parametrize("factorization", PARTS)
def test_parts_of_a_fan(factorization):
    assert parts_of(FAN, factorization) == FAN_PARTS[factorization]


def test_parts_of_a_chain():
    assert parts_of([-1, 0, 1, 2], "tri-sibling") == {
        "arc": [(0, 1), (1, 2), (2, 3)],
        "sibling": [(0, 0, 1), (1, 1, 2), (2, 2, 3)],
        "grandchild": [(0, 0, 1), (0, 1, 2), (1, 2, 3)],
        "grand_sibling": [(0, 0, 0, 1), (0, 1, 1, 2), (1, 2, 2, 3)],
        "tri_sibling": [(0, 0, 0, 1), (1, 1, 1, 2), (2, 2, 2, 3)],
    }


def test_parts_of_several_roots():
    assert parts_of([-1, 0, 0, 0], "tri-sibling") == {
        "arc": [(0, 1), (0, 2), (0, 3)],
        "sibling": [(0, 0, 1), (0, 1, 2), (0, 2, 3)],
        "grandchild": [(0, 0, 2), (0, 0, 3)],
        "grand_sibling": [(0, 0, 2, 3)],
        "tri_sibling": [(0, 0, 0, 1), (0, 0, 1, 2), (0, 1, 2, 3)],
    }
    assert parts_of([-1, 0, 0, 0], "carreras")["grandchild"] == [(0, 0, 3)]


@pytest.mark.parametrize("factorization", PARTS)
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("projective", [True, False])
def test_what_can_exist_is_what_some_tree_has(factorization, projective, single_root):
    for n in range(1, 6):
        for name, (_, parts) in incidence(n, projective, single_root, factorization).items():
            possible = can_exist(name, n, projective, single_root)
            assert np.array_equal(np.unique(parts), np.flatnonzero(possible)), name


@pytest.mark.parametrize("factorization", PARTS)
def test_no_part_is_twice_in_a_tree(factorization):
    for name, (rows, parts) in incidence(5, True, False, factorization).items():
        assert len(set(zip(rows.tolist(), parts.tolist(), strict=True))) == len(rows), name


def test_scores_by_hand():
    arc = np.arange(9.0).reshape(3, 3)
    sibling = np.zeros((3, 3, 3))
    sibling[0, 1, 2] = 100.0
    sibling[0, 0, 1] = 1000.0
    scores = SimpleNamespace(n=2, arc=arc, label=None, sibling=sibling)
    assert score_of(scores, [-1, 0, 0], "sibling") == 1 + 2 + 100 + 1000
    assert score_of(scores, [-1, 0, 1], "sibling") == 1 + 5 + 1000
    assert score_of(scores, [-1, 2, 0], "sibling") == 2 + 7
    oracle = Oracle(scores, True, False, "sibling")
    assert oracle.ranking.tolist() == [1103, 1006, 9]
    assert oracle.log_partition == pytest.approx(1103)
    labelled = Scores(arc=arc, label=np.arange(18.0).reshape(3, 3, 2))
    assert score_of(labelled, [-1, 2, 0], "arc") == 2 + 7 + 5 + 15
    assert score_of(labelled, [-1, 2, 0], "arc", [-1, 0, 1]) == 2 + 7 + 5 + 14


@pytest.mark.parametrize("kind", ["random", "masked", "extreme"])
@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("single_root", [True, False])
def test_labels_can_be_listed_one_by_one(kind, projective, single_root):
    for scores in many(kind, True, np.float64, each=4, longest=3):
        oracle = Oracle(scores, projective, single_root, "arc")
        if not oracle.possible:
            continue
        totals = {}
        for heads in oracle.trees.tolist():
            for labels in itertools.product(range(3), repeat=scores.n):
                arcs = [(h, m, labels[m - 1]) for m, h in enumerate(heads) if m]
                totals[tuple(arcs)] = sum(float(scores.arc[h, m]) + float(scores.label[h, m, k]) for h, m, k in arcs)
        top = max(totals.values())
        assert oracle.best == pytest.approx(top)
        z = math.fsum(math.exp(total - top) for total in totals.values())
        assert oracle.log_partition == pytest.approx(top + math.log(z))
        chances = {arcs: math.exp(total - top) / z for arcs, total in totals.items()}
        assert oracle.entropy == pytest.approx(-math.fsum(p * math.log(p) for p in chances.values() if p), abs=1e-9)
        label = np.zeros(scores.label.shape)
        for arcs, chance in chances.items():
            for index in arcs:
                label[index] += chance
        np.testing.assert_allclose(oracle.marginals.label, label, atol=1e-9)
        np.testing.assert_allclose(oracle.marginals.arc, label.sum(axis=2), atol=1e-9)


@pytest.mark.parametrize("factorization", PARTS)
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_oracle_keeps_its_own_laws(factorization, single_root, kind):
    for scores in _with_parts(kind, factorization):
        oracle = Oracle(scores, True, single_root, factorization)
        if not oracle.possible:
            continue
        assert oracle.score(oracle.trees[oracle.totals.argmax()]) == pytest.approx(oracle.best)
        assert math.fsum(oracle.probabilities) == pytest.approx(1.0)
        np.testing.assert_allclose(oracle.marginals.arc[:, 1:].sum(axis=0), 1.0)
        np.testing.assert_allclose(oracle.marginals.label.sum(axis=2), oracle.marginals.arc, atol=1e-9)
        if "sibling" in PARTS[factorization]:
            np.testing.assert_allclose(oracle.marginals.sibling.sum(axis=1), oracle.marginals.arc, atol=1e-9)
        if factorization in ("grandchild", "grand-sibling"):
            np.testing.assert_allclose(oracle.marginals.grandchild.sum(axis=0), oracle.marginals.arc, atol=1e-9)
        if "tri_sibling" in PARTS[factorization]:
            np.testing.assert_allclose(oracle.marginals.tri_sibling.sum(axis=1), oracle.marginals.sibling, atol=1e-9)
        assert 0 <= oracle.mbr <= scores.n + 1e-9


def _with_parts(kind, factorization):
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 4, 4, 5, 5):
        yield SimpleNamespace(n=n, **draw_arrays(rng, kind, n, True, np.float64, factorization))


def test_every_array_has_a_rank():
    assert {name for names in PARTS.values() for name in names} == set(RANKS)


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("single_root", [True, False])
def test_zero_scores_count_trees(projective, single_root):
    for n in range(1, 6):
        oracle = Oracle(Scores(arc=np.zeros((n + 1, n + 1))), projective, single_root, "arc")
        assert math.exp(oracle.log_partition) == pytest.approx(len(all_trees(n, projective, single_root)))
        assert oracle.entropy == pytest.approx(oracle.log_partition)
