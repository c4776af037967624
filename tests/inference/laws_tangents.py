"""Laws of how marginals change along a direction."""

import numpy as np
import pytest

from tests.inference.laws_base import CLOSE, LawsBase, arrays_of, directions
from treewright.inference import Scores


def inner(scores, other) -> float:
    """The inner product of two sets of numbers of parts, but for parts that are in no tree."""
    return sum(float(np.nansum(getattr(other, name) * array)) for name, array in arrays_of(scores).items())


class TangentLaws(LawsBase):
    @pytest.mark.parametrize(
        ("kind", "labelled"),
        [("random", True), ("masked", False), ("masked", True), ("extreme", False), ("lowest", True)],
    )
    def test_tangents_are_covariances_over_all_trees(self, kind, labelled):
        for scores, oracle in self.cases(kind, labelled, np.float64, exact=True):
            direction = directions(scores)
            tangents, expected = self.trees.tangents(scores, direction), oracle.tangents(direction)
            assert list(arrays_of(tangents)) == list(arrays_of(scores))
            for name, array in arrays_of(tangents).items():
                assert array.dtype == np.float64
                np.testing.assert_allclose(array, getattr(expected, name), err_msg=name, **CLOSE)

    @pytest.mark.parametrize("kind", ["random", "extreme"])
    def test_tangents_of_longer_sentences_agree_with_each_other(self, kind):
        scores = self.draw(1, self.long, kind)
        first, second = directions(scores, 1), directions(scores, 2)
        tangents, others = self.trees.tangents(scores, first), self.trees.tangents(scores, second)
        assert inner(tangents, second) == pytest.approx(inner(others, first), rel=1e-9, abs=1e-9)
        assert inner(tangents, first) > -1e-9
        np.testing.assert_allclose(tangents.arc.sum(axis=0), 0.0, **CLOSE)
        np.testing.assert_allclose(tangents.label.sum(axis=2), tangents.arc, **CLOSE)

    def test_a_direction_that_all_trees_share_changes_nothing(self):
        scores = self.draw(2, self.long)
        shared = {name: np.zeros(array.shape) for name, array in arrays_of(scores).items()}
        for constants in (np.zeros(self.long + 1), np.arange(self.long + 1) - 3.0):
            tangents = self.trees.tangents(scores, Scores(**{**shared, "arc": shared["arc"] + constants}))
            for name, array in arrays_of(tangents).items():
                np.testing.assert_allclose(array, 0.0, atol=1e-11, err_msg=name)

    def test_tangents_scale_with_the_direction(self):
        scores = self.draw(3, 5)
        direction = directions(scores)
        tangents = self.trees.tangents(scores, direction)
        for factor in (-2.0, 1e200, 1e-200):
            scaled = Scores.unchecked(**{name: array * factor for name, array in arrays_of(direction).items()})
            for name, array in arrays_of(self.trees.tangents(scores, scaled)).items():
                np.testing.assert_allclose(array / factor, getattr(tangents, name), rtol=1e-9, atol=1e-12)

    def test_a_direction_that_does_not_fit_is_refused(self):
        scores = self.draw(4, 4, labelled=False)
        for direction, message in [
            ({"arc": np.zeros((4, 4))}, "same shape"),
            ({"arc": np.zeros((5, 5)), "label": np.zeros((5, 5, 2))}, "has label, which the scores do not"),
            ({"arc": np.full((5, 5), -np.inf)}, "must be finite"),
        ]:
            with pytest.raises(ValueError, match=message):
                self.trees.tangents(scores, Scores(**direction))
