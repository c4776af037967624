"""Plans: one for each shape of a problem, and none for what would not fit into memory."""

import numpy as np
import pytest

from treewright.inference.charts.folding import Plan
from treewright.inference.charts.plans import plan_for
from treewright.inference.charts.programs import Program
from treewright.inference.kinds import FACTORIZATIONS, PartKind
from treewright.inference.parts import Parts


def arcs(n):
    return np.where(np.eye(n + 1), -np.inf, 0.0)


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
def test_marginals_have_the_kinds_that_are_scored(factorization):
    kinds = FACTORIZATIONS[factorization].kinds
    for last in {False, PartKind.LAST in kinds}:
        plan = plan_for(Program(factorization, last), arcs(4), None)
        wanted = {kind: (2, *kind.shape(4)) for kind in kinds if kind is not PartKind.LAST or last}
        assert {name: array.shape for name, array in plan.buffers(2).items()} == wanted


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
def test_problems_of_one_shape_share_a_plan(factorization):
    program = Program(factorization)
    assert plan_for(program, arcs(5), None) is plan_for(program, arcs(5), None)
    assert plan_for(program, arcs(5), None) is not plan_for(program, arcs(6), None)


@pytest.mark.parametrize("factorization", ["grand-sibling", "tri-sibling"])
def test_what_does_not_fit_is_refused(factorization):
    with pytest.raises(ValueError, match=f"'{factorization}' with 90,000 arcs over 300 words needs about .* prune"):
        plan_for(Program(factorization), arcs(300), None)


def chain(n):
    """Allow two arcs into each word: from the word before, and from the root."""
    allowed = np.zeros((n + 1, n + 1), bool)
    allowed[np.arange(n), np.arange(1, n + 1)] = allowed[0, 1:] = True
    return allowed


def test_siblings_need_memory_for_the_arcs_that_there_are():
    n = 1000
    allowed = chain(n)
    scores = np.where(allowed, 0.0, -np.inf)
    plan = plan_for(Program("sibling"), scores, Parts(allowed))
    assert len(plan.frame.modifiers) == n - 1 + n * (n + 1) // 2  # one for each word up to the head
    assert plan.buffers(1)["sibling"].shape == (1, n - 1 + n * (n + 1) // 2)
    with pytest.raises(ValueError, match=r"'sibling' with 1,999 arcs over 1,000 words needs about .* prune"):
        plan_for(Program("sibling"), scores, None)


@pytest.mark.parametrize("n", [1, 2, 7, 60, 130])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_siblings_weigh_in_pieces_what_others_weigh_at_once(n, dtype):
    rng = np.random.default_rng(n)
    arc, higher = rng.normal(size=(n + 1, n + 1)), {"sibling": rng.normal(size=(n + 1,) * 3).astype(dtype)}
    arc[:, n] = -np.inf
    plan = plan_for(Program("sibling"), arc, None)
    ours = [array.copy() for array in plan.weigh([arc], [higher])]
    for mine, wanted in zip(ours, Plan.weigh(plan, [arc], [higher]), strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-12)
