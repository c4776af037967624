import numpy as np
import pytest

from treewright.neural.matrices import Matrix, padded
from treewright.neural.tiles import COLUMNS

RNG = np.random.default_rng(3)


@pytest.mark.parametrize(("rows", "inputs", "outputs"), [(1, 1, 1), (5, 5, 16), (13, 33, 40), (200, 3, 17)])
def test_products_are_those_of_numpy(rows, inputs, outputs):
    x, values = RNG.normal(size=(rows, inputs)).astype(np.float32), RNG.integers(-127, 128, (inputs, outputs), np.int8)
    scales, bias = RNG.normal(size=(2, outputs)).astype(np.float32)
    product = Matrix.of(values, scales, bias).apply(x)
    assert product.shape == (rows, padded(outputs, COLUMNS))
    wanted = x.astype(np.float64) @ values * scales + bias
    assert product[:, :outputs] == pytest.approx(wanted, rel=1e-4, abs=1e-3)
    assert not product[:, outputs:].any()


def test_rows_count_from_a_column_on():
    x, values = RNG.normal(size=(6, 9)).astype(np.float32), RNG.normal(size=(4, 3)).astype(np.float32)
    assert Matrix.of(values).apply(x, 5)[:, :3] == pytest.approx(x[:, 5:] @ values, abs=1e-5)


def test_a_row_has_the_same_product_anywhere():
    x, matrix = RNG.normal(size=(1, 300)).astype(np.float32), Matrix.of(RNG.normal(size=(300, 21)).astype(np.float32))
    alone = matrix.apply(x)
    for count in (2, 3, 4, 5, 6, 7, 120):
        assert (matrix.apply(np.repeat(x, count, axis=0)) == alone).all()


def test_parameters_stand_side_by_side():
    arrays = {
        "a": np.array([[1, 2]], np.int8),
        "a.scale": np.array([0.5, 0.25], np.float32),
        "a_bias": np.zeros(2, np.float32),
        "b": np.array([[3]], np.int8),
        "b.scale": np.array([2], np.float32),
        "b_bias": np.ones(1, np.float32),
    }
    product = Matrix.named(arrays, "a", "b", bias=True).apply(np.full((6, 1), 2, np.float32))
    assert product[0, :3].tolist() == [1.0, 1.0, 13.0]
