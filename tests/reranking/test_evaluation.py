"""Choices, judged by hand."""

import pytest

from treewright.evaluation.significance import paired_test
from treewright.reranking import CandidatesBuilder, evaluate_choices


def lists():
    builder = CandidatesBuilder()
    builder.add([-1, -2, -3], [0.5, 1.0, 0.0], [[]] * 3, size=[10] * 3)
    builder.add([-1, -2], [0.8, 0.4], [[]] * 2, size=[30] * 2)
    builder.add([-1], [0.1], [[]], size=[10])
    return builder.build()


def test_choices_are_judged_by_hand():
    candidates = lists()
    outcome = evaluate_choices(candidates, [1, 4, 5], [0, 3, 5])
    assert outcome.chosen == pytest.approx((10 * 1.0 + 30 * 0.4 + 10 * 0.1) / 50)
    assert outcome.base == outcome.other == pytest.approx((10 * 0.5 + 30 * 0.8 + 10 * 0.1) / 50)
    assert outcome.oracle == pytest.approx((10 * 1.0 + 30 * 0.8 + 10 * 0.1) / 50)
    assert outcome.worst == pytest.approx((10 * 0.0 + 30 * 0.4 + 10 * 0.1) / 50)
    assert outcome.recovered == pytest.approx((23 - 30) / (35 - 30))
    assert outcome.changed == 2
    assert outcome.against_base == outcome.against_other == paired_test([10, 12, 1], [5, 24, 1])
    assert outcome.to_dict()["against_base"]["better"] == 1


@pytest.mark.parametrize("chosen", [[0, 3], [0, 2, 5], [3, 3, 5], [0, 3, 6], [-1, 3, 5]])
def test_choices_from_elsewhere_are_refused(chosen):
    with pytest.raises(ValueError, match=r"choice"):
        evaluate_choices(lists(), chosen)
