"""Trees of any shape: elimination on a GPU against that on the CPU."""

import pytest
import torch

from tests.torch.gpu.problems import assert_close, check_sums, one_by_one, pruned_batch, random_batch, trees_of
from treewright.inference import SearchSpace
from treewright.torch import gpu

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of infinities in the interpreter


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(
    ("dtype", "scale", "forbidden"), [(torch.float64, 1.0, 0.0), (torch.float64, 1e4, 0.1), (torch.float32, 1.0, 0.1)]
)
def test_sums(single_root, dtype, scale, forbidden):
    batch = random_batch(SearchSpace(False, single_root), ("arc",), [6, 1, 4], 0, dtype, scale, forbidden)
    check_sums(batch, 1e-10 if dtype == torch.float64 else 1e-5)


def test_sums_of_pruned_sentences():
    check_sums(pruned_batch(SearchSpace(False, True), ("arc",), 4, 2), 1e-10)


def test_no_tree():
    batch = random_batch(SearchSpace(False, True), ("arc",), [3, 2])
    batch.scores["arc"][0, :, 2] = -torch.inf
    log_z, marginals = gpu.sums(batch)
    assert log_z[0] == -torch.inf
    assert log_z[1] == gpu.log_partition(batch)[1]
    assert not marginals["arc"][0].any()


@pytest.mark.parametrize(("single_root", "scale"), [(True, 1.0), (False, 1.0), (True, 100.0)])
def test_tangents(single_root, scale):
    batch = random_batch(SearchSpace(False, single_root), ("arc",), [5, 2], 1, scale=scale)
    direction = random_batch(batch.space, ("arc",), [5, 2], 2).scores
    expected = [
        trees_of(batch.space).tangents(scores, along)
        for scores, along in zip(one_by_one(batch), one_by_one(batch, direction), strict=True)
    ]
    assert_close(batch, gpu.tangents(batch, direction), expected, 1e-9)
