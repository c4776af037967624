"""Projective trees by kernels that follow tables, against the kernels of the CPU."""

import numpy as np
import pytest
import torch

from tests.torch.gpu.problems import assert_close, one_by_one, random_batch, trees_of
from treewright.inference import SearchSpace
from treewright.torch import gpu

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of infinities in the interpreter

PROGRAMS = {
    "arc": ("arc",),
    "sibling": ("arc", "sibling", "last"),
    "grandchild": ("arc", "grandchild"),
    "carreras": ("arc", "sibling", "grandchild"),
    "grand-sibling": ("arc", "sibling", "last", "grandchild", "grand_sibling"),
    "tri-sibling": ("arc", "sibling", "grandchild", "grand_sibling", "tri_sibling"),
}


def _check_sums(batch, tolerance):
    log_z, marginals = gpu.sums(batch)
    expected = [trees_of(batch.space).expectations(scores) for scores in one_by_one(batch)]
    np.testing.assert_allclose(log_z.cpu(), [total for total, _ in expected], rtol=tolerance, atol=tolerance)
    assert_close(batch, marginals, [means for _, means in expected], tolerance)


@pytest.mark.parametrize(
    ("factorization", "single_root", "dtype"),
    [
        ("arc", True, torch.float64),
        ("arc", False, torch.float32),
        ("sibling", True, torch.float32),
        ("grandchild", False, torch.float64),
        ("carreras", True, torch.float64),
        ("grand-sibling", False, torch.float64),
        ("tri-sibling", True, torch.float64),
    ],
)
def test_sums(factorization, single_root, dtype):
    batch = random_batch(SearchSpace(True, single_root, factorization), PROGRAMS[factorization], [3, 2], dtype=dtype)
    _check_sums(batch, 1e-10 if dtype == torch.float64 else 1e-5)
