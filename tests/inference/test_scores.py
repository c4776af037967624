"""Scores: what they accept and refuse."""

import dataclasses

import numpy as np
import pytest

from treewright.inference import Scores


@pytest.mark.parametrize("shape", [(3,), (3, 4), (2, 2, 2), ()])
def test_arc_scores_are_square(shape):
    with pytest.raises(ValueError, match=r"arc has shape .* must be \(n\+1, n\+1\)"):
        Scores(arc=np.zeros(shape))


@pytest.mark.parametrize("shape", [(1, 1), (0, 0)])
def test_a_sentence_has_words(shape):
    with pytest.raises(ValueError, match="there are no words"):
        Scores(arc=np.zeros(shape))


@pytest.mark.parametrize("shape", [(3, 3), (3, 4, 2), (4, 4, 2), (3, 3, 0)])
def test_label_scores_fit_the_arcs(shape):
    with pytest.raises(ValueError, match=r"label has shape .* must be \(3, 3, L\)"):
        Scores(arc=np.zeros((3, 3)), label=np.zeros(shape))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_plus_infinity_are_refused_by_index(value):
    arc, label = np.zeros((3, 3), np.float32), np.zeros((3, 3, 2))
    label[0, 2, 1] = value
    with pytest.raises(ValueError, match=rf"label\[0, 2, 1\] is {value}"):
        Scores(arc=arc, label=label)
    arc[2, 1] = value
    with pytest.raises(ValueError, match=rf"arc\[2, 1\] is {value}"):
        Scores(arc=arc)


def test_what_is_not_a_real_number_is_refused():
    with pytest.raises(ValueError, match="arc holds complex128"):
        Scores(arc=np.zeros((3, 3), complex))


def test_floats_are_kept_and_integers_become_floats():
    arc = np.zeros((3, 3), np.float32)
    assert Scores(arc=arc).arc is arc
    assert Scores(arc=np.zeros((3, 3), int)).arc.dtype == np.float64


def test_scores_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Scores(arc=np.zeros((3, 3))).arc = np.zeros((2, 2))
