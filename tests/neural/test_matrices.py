import os
import subprocess
import sys

import numpy as np
import pytest

from treewright.neural.matrices import Matrix, padded
from treewright.neural.tiles import COLUMNS

RNG = np.random.default_rng(3)


def rounded(x):
    """Round rows to whole numbers; return these and what they are multiplied by."""
    x = x.astype(np.float64)
    factors = np.abs(x).max(axis=1, keepdims=True) / 127
    return np.floor(x / factors + 0.5), factors


@pytest.mark.parametrize(
    ("rows", "inputs", "outputs"), [(1, 1, 1), (5, 5, 16), (13, 32, 40), (200, 3, 17), (7, 500, 9)]
)
def test_products_with_bytes_are_those_of_rounded_rows(rows, inputs, outputs):
    x, values = RNG.normal(size=(rows, inputs)).astype(np.float32), RNG.integers(-127, 128, (inputs, outputs), np.int8)
    scales, bias = RNG.normal(size=(2, outputs)).astype(np.float32)
    product = Matrix.of(values, scales, bias).apply(x)
    assert product.shape == (rows, padded(outputs, COLUMNS))
    whole, factors = rounded(x)
    wanted = whole @ values * factors * scales + bias
    assert product[:, :outputs] == pytest.approx(wanted, rel=1e-5, abs=1e-4)
    assert not product[:, outputs:].any()
    unrounded = x.astype(np.float64) @ values * scales + bias
    assert np.square(product[:, :outputs] - unrounded).mean() < 1e-3 * np.square(unrounded).mean()


@pytest.mark.parametrize("value", [0.0, 1e-38, 1e36, -2.5])
def test_rows_of_any_size_are_rounded(value):
    x = np.full((2, 8), value, np.float32)
    product = Matrix.of(np.ones((8, 1), np.int8), np.full(1, 0.125, np.float32)).apply(x)[:, 0]
    assert product == pytest.approx(value, rel=1e-6, abs=1e-30)


PRODUCTS = """
import hashlib
import sys
from llvmlite import binding

features = binding.get_host_cpu_features()
features.update(dict.fromkeys(sys.argv[1:], False))
binding.get_host_cpu_features = lambda: features
import numpy as np
from treewright.neural.matrices import Matrix

rng, seen = np.random.default_rng(5), hashlib.sha256()
for inputs in (8, 32, 260):
    matrix = Matrix.of(rng.integers(-127, 128, (inputs, 20), np.int8), rng.normal(size=20).astype(np.float32))
    for rows in (*range(1, 15), 100):
        seen.update(matrix.apply(rng.normal(size=(rows, inputs)).astype(np.float32)))
print(matrix.panels.dtype, seen.hexdigest())
"""


def test_any_instructions_find_the_same(tmp_path):
    """Sums of whole numbers are exact: vectors of eight or sixteen, dot products or none, to the last bit."""
    found = []
    for number, lacking in enumerate(([], ["avx512vnni"], ["avx512f"], ["avx512f", "avxvnni"], None)):
        command = [sys.executable, "-c", PRODUCTS, *(lacking or [])]
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / str(number))}  # kernels of its own
        if lacking is None:
            environment["NUMBA_CPU_NAME"] = "generic"
        outcome = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.append(outcome.stdout.split())
    assert found[-1][0] == "int8"
    assert len({digest for _, digest in found}) == 1


def test_products_with_floats_are_those_of_numpy():
    x, values = RNG.normal(size=(13, 33)).astype(np.float32), RNG.normal(size=(33, 40)).astype(np.float32)
    assert Matrix.of(values).apply(x)[:, :40] == pytest.approx(x.astype(np.float64) @ values, rel=1e-4, abs=1e-4)


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
