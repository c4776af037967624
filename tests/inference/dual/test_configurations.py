"""The tighter relaxation: it certifies what the plain one cannot, and never loses a tree."""

import numpy as np
import pytest

from tests.inference.enumeration import all_trees
from tests.inference.instances import draw_arrays
from tests.inference.laws_base import EXACT
from tests.inference.parts import Oracle
from treewright.inference import DualDecomposition, Parts, Scores, Trees
from treewright.inference.dual.bigrams import BIGRAMS, GRAND_BIGRAMS, Bigrams, fold_grand
from treewright.inference.dual.configurations import IN, UNKNOWN, probe
from treewright.inference.dual.iteration import Multipliers

factorizations = pytest.mark.parametrize("factorization", ["sibling", "grand-sibling"])


def frustrated() -> Scores:
    """Word 1 takes both of 3 and 4 or neither, and word 2 takes one of them: at best, by themselves, for 0 + 1.

    Half of each is what two trees are on average, so that no dual value of the plain relaxation is less than 1; but
    every tree scores 0.
    """
    arc, sibling = np.full((5, 5), -np.inf), np.zeros((5, 5, 5))
    arc[0, [1, 2]] = 0.0
    arc[1:3, 3:] = 0.0
    sibling[1, 1, 3] = sibling[1, 1, 4] = -1.0
    sibling[1, 3, 4] = 1.0
    sibling[2, 2, 3] = sibling[2, 2, 4] = 1.0
    sibling[2, 3, 4] = -1.0
    return Scores(arc=arc, sibling=sibling)


@factorizations
def test_a_problem_that_the_plain_relaxation_cannot_solve(factorization):
    trees = Trees(False, False, factorization)
    plain = DualDecomposition(trees, tighten=False).trace(frustrated())
    assert not plain.parse.certificate
    assert plain.dual.min() >= 1.0 - 1e-9
    assert plain.parse.upper_bound == pytest.approx(1.0, abs=1e-3)
    trace = DualDecomposition(trees).trace(frustrated())
    assert (trace.parse.certificate, trace.proof, trace.parse.gap) == (True, "bound", 0.0)
    assert trace.parse.score == pytest.approx(0.0)
    assert len(trace.dual) == trace.parse.iterations
    assert not DualDecomposition(trees, time_limit=0.0).argmax(frustrated()).certificate


@factorizations
@pytest.mark.parametrize("projective", [True, False], ids=["projective", "nonprojective"])
def test_more_certificates_and_all_of_them_right(factorization, projective):
    rng, trees = np.random.default_rng(1), Trees(projective, False, factorization)
    plain, tight = (DualDecomposition(trees, tighten=tighten) for tighten in (False, True))
    counts = np.zeros(2, int)
    for _ in range(25):
        scores = Scores(**draw_arrays(rng, "random", 6, False, np.float64, factorization, projective))
        best = Oracle(scores, projective, False, factorization).best
        trace = tight.trace(scores)
        parse = trace.parse
        assert parse.upper_bound >= best - 1e-9
        assert (trace.dual >= best - 1e-9).all()
        assert len(trace.dual) == len(trace.primal) == parse.iterations
        if parse.certificate:
            assert parse.score == pytest.approx(best, **EXACT)
        counts += plain.argmax(scores).certificate, parse.certificate
    assert counts[0] < counts[1]


@factorizations
@pytest.mark.parametrize("projective", [True, False], ids=["projective", "nonprojective"])
def test_configurations_of_better_trees_are_left(factorization, projective):
    n, rng = 4, np.random.default_rng(2)
    parts, grand, dropped = Parts(np.ones((n + 1, n + 1), bool)), factorization == "grand-sibling", 0
    x = parts.arcs
    every = all_trees(n, projective, False)
    for _ in range(30):
        arrays = {"arc": rng.normal(size=(n + 1, n + 1)), "sibling": rng.normal(size=(n + 1, n + 1, n + 1))}
        scores = Scores(**arrays)
        arc, sibling = (arrays[name].reshape(-1)[parts.flat(name)] for name in ("arc", "sibling"))
        if projective:
            sibling[parts.crossing("sibling")] = -np.inf
        none = np.empty(0)
        data = Bigrams(fold_grand(x, sibling, none, none) if grand else sibling, np.zeros(x.list_start[-1]))
        totals = np.array([Trees(projective, False, factorization).score(scores, heads) for heads in every])
        floor = np.sort(totals)[-8]
        arcs, multipliers = rng.permutation(len(arc))[:5], Multipliers(*rng.normal(0, 0.3, (2, len(arc))))
        kernel, heads = probe(GRAND_BIGRAMS if grand else BIGRAMS, projective), np.full(n + 1, -1, np.int32)
        left, primal = kernel(x, arc, data, False, 0.001, multipliers, floor, heads, arcs, 32)
        assert floor <= primal <= totals.max() + 1e-9
        assert (left != UNKNOWN).all()
        for tree, total in zip(every, totals, strict=True):
            says = tree[x.modifiers[arcs]] == x.heads[arcs]
            if total > primal + 1e-9:
                assert (left == np.where(says, IN, 0)).all(axis=1).any()
        few, _ = kernel(x, arc, data, False, 0.001, multipliers, floor, heads, arcs, 2)
        assert len(few) <= 4
        dropped += 32 - len(left)
    assert dropped > 100, "no configuration was ever dropped"
