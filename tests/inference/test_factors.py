"""Factors: what they hold and refuse, what generators and hooks propose, and polynomials reduced to them."""

import itertools

import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from treewright.inference import BranchAndBound, Factors, Parts, Scores, Trees
from treewright.inference.bounds.non_local import NON_LOCAL, combs, propose
from treewright.inference.bounds.polynomials import any_of, exactly, valency
from treewright.inference.bounds.relaxation import Table, move, sift, uniform


def test_pairs_become_arrays():
    factors = Factors.of([([(2, 1), (0, 2)], 1.5), ([], 2.0), ([(2, 3)], -1.0)])
    assert factors.offsets.tolist() == [0, 2, 2, 3]
    assert list(zip(factors.heads.tolist(), factors.modifiers.tolist(), strict=True)) == [(2, 1), (0, 2), (2, 3)]
    assert factors.in_tree([-1, 2, 0, 2]).tolist() == [True, True, True]
    assert factors.in_tree([-1, 0, 1, 2]).tolist() == [False, True, True]
    assert factors.score([-1, 0, 1, 2]) == 1.0
    twice = Factors.together([factors, Factors.of([]), factors.scored([0, 0, 5])])
    assert len(twice) == 6
    assert twice.score([-1, 0, 1, 2]) == 6.0
    assert len(Factors.together([])) == 0


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ([([(0, 1)], 1.0), ([(0, 1), (2, 2)], 1.0)], r"^factor 1 names the arc \(2, 2\)"),
        ([([(1, 0)], 1.0)], r"^factor 0 names the arc \(1, 0\)"),
        ([([(0, 2), (-1, 2)], 1.0)], r"^factor 0 names the arc \(-1, 2\)"),
        ([([(0, 1)], 1.0), ([(0, 2)], np.nan)], r"^factor 1 scores nan"),
        ([([(0, 1)], -np.inf)], r"^factor 0 scores -inf"),
        ([([(0, 1)], 0.0), ([(0, 1, 2)], 0.0)], r"^factor 1 holds \[\(0, 1, 2\)\]"),
        ([([(0.5, 1)], 0.0)], "heads has shape .* whole numbers"),
    ],
)
def test_what_is_no_factor_is_refused_by_number(pairs, reason):
    with pytest.raises(ValueError, match=reason):
        Factors.of(pairs)


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        (([0, 2], [0], [1], [1.0]), "offsets must rise from 0 to 1"),
        (([0, 1, 0, 1], [0], [1], [1.0] * 3), "offsets must rise"),
        (([0, 1], [0], [1, 2], [1.0]), "1 heads and 2 modifiers"),
        (([0, 1], [0], [1], [1.0, 2.0]), "scores has shape"),
    ],
)
def test_arrays_fit_each_other(arrays, reason):
    with pytest.raises(ValueError, match=reason):
        Factors(*arrays)


def conjunctions(kind, heads):
    """The non-local parts of a tree from their definitions, as sets of arcs."""
    n = len(heads) - 1
    arcs = [(int(heads[m]), m) for m in range(1, n + 1)]
    if kind in ("siblings", "tri-siblings"):
        groups = itertools.combinations(arcs, 2 if kind == "siblings" else 3)
        return {frozenset(group) for group in groups if len({h for h, _ in group}) == 1}
    if kind in ("grandchildren", "great-grandchildren"):
        chains = [[arc] for arc in arcs]
        for _ in range(1 if kind == "grandchildren" else 2):
            chains = [[*chain, arc] for chain in chains for arc in arcs if arc[0] == chain[-1][1]]
        return {frozenset(chain) for chain in chains}
    found = set()
    for first in range(1, n + 1):
        for last in range(first, n + 1):
            for h in {int(heads[first])}:
                words = [m for m in range(first, last + 1) if m != h]
                if 4 <= len(words) <= 6 and heads[last] == h and all(heads[m] == h for m in words):
                    found.add(frozenset((h, m) for m in words))
    return found


@pytest.mark.parametrize("kind", NON_LOCAL)
def test_generators_list_what_trees_have(kind):
    rng = np.random.default_rng(0)
    n = 6
    trees = all_trees(n, False, False)
    met = 0
    for density in (1.0, 0.6):
        allowed = rng.random((n + 1, n + 1)) < density
        found = NON_LOCAL[kind](Parts(allowed))
        factors = found.factors
        pieces = [range(*factors.offsets[c : c + 2]) for c in range(len(factors))]
        listed = [frozenset((int(factors.heads[k]), int(factors.modifiers[k])) for k in piece) for piece in pieces]
        assert len(found.words) == len(factors) == len(set(listed))
        assert len({tuple(row) for row in found.words.tolist()}) == len(factors)
        assert all(allowed[arc] for arcs in listed for arc in arcs)
        for heads in trees[rng.integers(0, len(trees), 300)]:
            wanted = {arcs for arcs in conjunctions(kind, heads) if all(allowed[arc] for arc in arcs)}
            assert {listed[c] for c in np.flatnonzero(factors.in_tree(heads))} == wanted
            met += len(wanted)
    assert met > 3


def test_rows_name_the_words():
    parts = Parts(np.ones((4, 4), bool))
    assert [1, 2, 3] in NON_LOCAL["siblings"](parts).words.tolist()
    assert [0, 2, 1] in NON_LOCAL["grandchildren"](parts).words.tolist()
    assert [0, 3, 1, 2] in NON_LOCAL["great-grandchildren"](parts).words.tolist()
    assert NON_LOCAL["tri-siblings"](parts).words.tolist() == [[0, 1, 2, 3]]
    assert combs(parts, 2, 2).words.tolist() == [[0, 1, 2], [0, 2, 3], [1, 2, 3], [2, 1, 3], [3, 1, 2]]
    assert len(combs(parts).factors) == 0
    with pytest.raises(ValueError, match="shortest is 3 and longest 2"):
        combs(parts, 3, 2)


def test_hooks_propose_factors():
    def chain(sentence, parts):
        return [([(0, 1), (1, 2)], float(len(sentence)))]

    def nothing(sentence, parts):
        return Factors.of([])

    def wrong(sentence, parts):
        return [([(0, 9)], 1.0)]

    parts = Parts(np.ones((3, 3), bool))
    assert propose([chain, nothing, chain], "ab", parts).score([-1, 0, 1]) == 4.0
    with pytest.raises(ValueError, match=r"^the hook 'wrong': factor 0 names the arc \(0, 9\): there are 2 words"):
        propose([chain, wrong], "ab", parts)


def test_polynomials_count_arcs():
    arcs = [(0, 1), (2, 1), (2, 3), (3, 4), (1, 4)]
    for heads in all_trees(4, False, False):
        held = sum(heads[m] == h for h, m in arcs)
        assert any_of(arcs, 3.0).score(heads) == pytest.approx(3.0 * (held > 0))
        for count in range(5):
            assert exactly(count, arcs, -2.0).score(heads) == pytest.approx(-2.0 * (held == count))
        for count in range(4):
            assert valency(2, count, [1, 3, 4], 1.0).score(heads) == (list(heads[1:]).count(2) == count)
    with pytest.raises(ValueError, match="too many terms"):
        valency(0, 2, range(1, 30), 1.0)


@pytest.mark.parametrize("projective", [True, False])
def test_the_best_tree_under_polynomials(projective):
    rng = np.random.default_rng(1)
    n = 4
    trees = all_trees(n, projective, True)
    for _ in range(40):
        arc = rng.normal(size=(n + 1, n + 1))
        truth = arc[trees[:, 1:], np.arange(1, n + 1)].sum(axis=1)
        factors = []
        for h in range(1, n + 1):
            count, score = int(rng.integers(0, 3)), float(rng.normal()) * 2
            factors.append(valency(h, count, [m for m in range(1, n + 1) if m != h], score))
            truth += score * ((trees[:, 1:] == h).sum(axis=1) == count)
        either, score = [(0, 1), (3, 2)], float(rng.normal()) * 2
        factors.append(any_of(either, score))
        truth += score * ((trees[:, 1] == 0) | (trees[:, 2] == 3))
        parse = BranchAndBound(Trees(projective)).argmax(Scores(arc=arc), Factors.together(factors))
        assert parse.certificate
        assert parse.score == pytest.approx(truth.max(), abs=1e-7)


# --- kernels --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("single_root", [True, False])
def test_only_impossible_pairs_of_arcs_are_sifted_out(projective, single_root):
    n = 4
    arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
    trees = all_trees(n, projective, single_root)
    for (g, h), (k, m) in itertools.combinations(arcs, 2):
        table = Table(np.array([0, 2]), np.array([g * (n + 1) + h, k * (n + 1) + m]), np.ones(1))
        left = sift(table, n + 1, projective, single_root)
        exists = ((trees[:, h] == g) & (trees[:, m] == k)).any()
        assert len(left.scores) == 1 if exists else len(left.scores) <= 1
        if not exists and projective:  # two arcs that exclude each other do so for reasons that the kernel knows
            assert len(left.scores) == 0 or (g == 0) != (k == 0)


def projected(q):
    """The projection onto the simplex by sorting (Duchi et al. 2008, Figure 1)."""
    u = np.sort(q)[::-1]
    rho = max(j for j in range(len(q)) if u[j] - (u[: j + 1].sum() - 1) / (j + 1) > 0)
    return np.maximum(q - (u[: rho + 1].sum() - 1) / (rho + 1), 0)


def test_multipliers_stay_on_the_simplex():
    rng = np.random.default_rng(2)
    for _ in range(300):
        r = int(rng.integers(2, 7))
        table = Table(np.array([0, r]), np.arange(r), np.array([0.5]))
        p = projected(rng.normal(size=r))
        in_tree = rng.random(r) < 0.5
        step = float(rng.choice([0.01, 0.3, 1.0, 1.9]))
        wanted = projected(p - step * in_tree) if 0 < in_tree.sum() < r else p
        before = p.copy()
        move(table, p, in_tree, np.array([in_tree.sum()]), step)
        assert p == pytest.approx(wanted, abs=1e-12)
        move(table, before, in_tree, np.array([in_tree.sum()]), 1e300)
        assert before.sum() == pytest.approx(1.0)
    assert uniform(Table(np.array([0, 2, 4]), np.arange(4), np.array([1.0, -1.0]))).tolist() == [0.5, 0.5, 0, 0]
