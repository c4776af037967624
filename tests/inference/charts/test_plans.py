"""Plans: one for each shape of a problem, and none for what would not fit into memory."""

import numpy as np
import pytest

from treewright.inference.charts.plans import plan_for
from treewright.inference.charts.programs import Program
from treewright.inference.kinds import FACTORIZATIONS, PartKind


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
