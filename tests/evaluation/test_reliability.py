"""Bins of equal mass, and what chance alone does to a perfectly calibrated parser."""

import math

import numpy as np
import pytest

from treewright.evaluation.reliability import judge_confidences


def judged(cases):
    confidences, correct = zip(*cases, strict=True)
    return judge_confidences(np.array(confidences), np.array(correct))


def test_bins_of_equal_mass_hold_as_many_cases_each():
    cases = [(0.9 + k / 1000, k % 10 != 0) for k in range(90)] + [(0.05, True)] * 10
    surplus = [confidence - right for confidence, right in sorted(cases)]
    gaps = [abs(sum(surplus[k : k + 10])) for k in range(0, 100, 10)]
    assert judged(cases)["ece_equal_mass"] == pytest.approx(sum(gaps) / 100)


def test_the_floor_is_what_chance_leaves_of_perfect_calibration():
    few, many = (judged([(0.5, k % 2 == 0) for k in range(count)]) for count in (4, 400))
    assert few["ece_floor"] == pytest.approx(0.5 * 3 / 8, rel=0.2)  # the mean of |binomial(4, 1/2) / 4 - 1/2|
    assert many["ece_floor"] == pytest.approx(0.5 * math.sqrt(2 / math.pi / 400), rel=0.2)
    assert judged([(1.0, True), (0.0, False)])["ece_floor"] == 0


def test_the_ceiling_is_above_95_of_100_draws():
    many = judged([(0.5, k % 2 == 0) for k in range(400)])
    assert many["ece_ceiling"] == pytest.approx(1.96 * 0.5 / math.sqrt(400), rel=0.15)  # |normal| of 95 %
