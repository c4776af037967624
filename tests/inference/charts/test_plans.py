"""Plans: one for each shape of a problem, and none for what would not fit into memory."""

import numpy as np
import pytest

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


@pytest.mark.parametrize("n", [1, 2, 7, 60])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sibling_parts_lie_in_the_order_of_the_chart(n, dtype):
    """Short and long, near and far: what is folded and unfolded again is what there was, with zeros between."""
    rng = np.random.default_rng(n)
    plan, siblings = plan_for(Program("sibling"), arcs(n), None), rng.normal(size=(n + 1,) * 3).astype(dtype)
    parts = plan.fold([np.zeros((n + 1, n + 1))], [{"sibling": siblings}])
    ends = np.sort([plan.frame.heads[:-1], plan.frame.modifiers], axis=0)
    assert (np.diff(ends[0] * (n + 1) + ends[1]) >= 0).all()
    found = {kind: np.full_like(array, np.nan) for kind, array in plan.buffers(1).items()}
    plan.unfold(parts, found)
    wanted = np.where(PartKind.SIBLING.exists(n), siblings.astype(np.float64), 0.0)
    np.testing.assert_array_equal(found["sibling"][0], wanted)
    np.testing.assert_allclose(found["arc"][0], wanted.sum(axis=1), rtol=1e-9, atol=1e-12)
