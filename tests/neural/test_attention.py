import numpy as np
import pytest

from treewright.neural.attention import exponentials, rotary_waves


def test_exponentials():
    scores = np.array([3.0, -2.5, 3.25, -200.0, 0.0, -np.inf, 7.0], np.float32)
    row = scores.copy()
    total = exponentials(row, 6, np.empty(6, np.int32))
    wanted = np.exp(scores[:6].astype(np.float64) - 3.25)
    assert row[:6] == pytest.approx(wanted, rel=1e-6, abs=1e-37)
    assert total == pytest.approx(wanted.sum(), rel=1e-6)
    assert row[6] == 7.0


def test_positions_turn_pairs():
    waves = rotary_waves(100.0, 4, 3)
    assert waves.shape == (2, 3, 2)
    assert waves[0, 2] == pytest.approx(np.cos([2.0, 0.2]), abs=1e-6)
    assert waves[1, 2] == pytest.approx(np.sin([2.0, 0.2]), abs=1e-6)
