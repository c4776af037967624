"""Weights of one byte: how far they are from what they stand for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from treewright.features import Weights

LEVELS = 127

tables = arrays(
    np.float32, st.integers(1, 50), elements=st.floats(-1e6, 1e6, width=32).filter(lambda w: w == 0 or abs(w) > 1e-20)
)


@given(tables)
def test_the_error_is_at_most_half_a_step_of_the_root(values):
    """A root r is rounded to k with |k - r| ≤ ½, so |k² - r²| = |k - r| (k + r) ≤ r + ¼."""
    largest = float(np.abs(values).max()) or 1.0
    roots = LEVELS * np.sqrt(np.abs(values.astype(np.float64)) / largest)
    bound = (roots + 0.25) * largest / LEVELS**2
    error = np.abs(Weights.compress(values).decoded() - values.astype(np.float64))
    assert (error <= bound * (1 + 1e-3)).all()


@given(tables)
def test_zero_stays_zero_and_signs_and_order_are_kept(values):
    decoded = Weights.compress(values).decoded()
    assert (decoded[values == 0] == 0).all()
    assert (decoded * values >= 0).all()
    assert (np.diff(decoded[np.argsort(values)]) >= 0).all()


@settings(deadline=None)
@given(tables)
def test_the_largest_is_kept(values):
    extreme = np.abs(values).argmax()
    assert Weights.compress(values).decoded()[extreme] == pytest.approx(values[extreme], rel=1e-6)


def test_all_255_levels_are_used():
    values = np.linspace(-1, 1, 100_001, dtype=np.float32)
    codes = Weights.compress(values).values
    assert codes.dtype == np.int8
    assert set(codes.tolist()) == set(range(-LEVELS, LEVELS + 1))


def test_compressing_twice_changes_nothing():
    values = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    once = Weights.compress(values)
    twice = Weights.compress(once.decoded())
    assert np.array_equal(once.values, twice.values)
    assert twice.scale == pytest.approx(once.scale)


def test_compressed_weights_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        Weights.compress(np.ones(3, np.float32)).values[0] = 1


@pytest.mark.parametrize("size", [0, 3])
def test_nothing_but_zeros(size):
    assert Weights.compress(np.zeros(size, np.float32)).decoded().tolist() == [0.0] * size


def test_compressed_weights_describe_and_restore_themselves():
    weights = Weights.compress(np.array([0.5, -2.0, 0.0], np.float32))
    manifest, arrays = weights.describe("pruner")
    assert manifest == {"scale": weights.scale}
    again = Weights.restore(manifest, arrays, 3, "pruner")
    assert np.array_equal(again.decoded(), weights.decoded())
    assert again.resolution == weights.resolution
    for size, table in ((4, arrays["pruner"]), (3, arrays["pruner"].astype(np.float32))):
        with pytest.raises(ValueError, match="do not fit"):
            Weights.restore(manifest, {"weights": table}, size)


def test_floats_are_decoded_as_they_are():
    values = np.array([0.5, -2.0], np.float32)
    assert np.array_equal(Weights(values).decoded(), values)
    assert np.array_equal(Weights(values, 2.0).decoded(), 2 * values)
