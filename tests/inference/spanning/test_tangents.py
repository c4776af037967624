"""The derivatives of arc marginals: on logarithms as on weights, and where no determinant has digits left."""

import math

import numpy as np
import pytest

from treewright.inference.spanning.matrix_tree import matrix_tree
from treewright.inference.spanning.tangents import matrix_tree_tangents

single_or_multi = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])


def tangents(arc, direction, single_root):
    marginals, found = np.empty((2, *arc.shape))
    assert matrix_tree_tangents(arc, direction, single_root, marginals, found) > -np.inf
    expected = np.empty(arc.shape)
    matrix_tree(arc, single_root, expected)
    np.testing.assert_array_equal(marginals, expected)
    return found


@single_or_multi
@pytest.mark.parametrize("scale", [1.0, 10.0, 60.0])
def test_they_are_what_a_small_step_changes(single_root, scale):
    """A determinant of 25 words has no digits left at the last of these scales, nor do weights."""
    rng = np.random.default_rng(1)
    arc, direction = scale * rng.normal(size=(26, 26)), rng.normal(size=(26, 26))
    arc[rng.random(arc.shape) < 0.2] = -np.inf
    arc[np.arange(25), np.arange(1, 26)] = scale
    step, ends = 1e-5, np.empty((2, *arc.shape))
    for end, sign in zip(ends, (1.0, -1.0), strict=True):
        matrix_tree(arc + sign * step * direction, single_root, end)
    np.testing.assert_allclose(tangents(arc, direction, single_root), (ends[0] - ends[1]) / (2 * step), atol=1e-8)


@single_or_multi
def test_a_pair_of_rival_heads_far_below_everything_else_still_moves(single_root):
    """Word 3 is either side's modifier, whatever it costs to attach the others: a difference of two directions."""
    arc, direction = np.full((4, 4), -1e4), np.zeros((4, 4))
    arc[0, 1], arc[1, 2], arc[1, 3], arc[2, 3] = 0.0, 1e4, 5.0, 6.0
    direction[1, 3] = 1.0
    chance = 1 / (1 + math.e)
    expected = chance * (1 - chance)
    moved = tangents(arc, direction, single_root)
    assert moved[1:3, 3] == pytest.approx([expected, -expected], rel=1e-12)
    assert np.abs(moved).sum() == pytest.approx(2 * expected, rel=1e-12)


def test_where_there_is_no_tree_the_total_says_so():
    arc = np.full((3, 3), -np.inf)
    arc[1, 2] = arc[2, 1] = 0.0
    assert matrix_tree_tangents(arc, np.ones((3, 3)), True, np.empty((3, 3)), np.empty((3, 3))) == -np.inf
