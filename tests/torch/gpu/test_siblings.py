"""Siblings and grand-siblings by a kernel of their own, against the kernels of the CPU and against tables."""

import pytest
import torch

from tests.torch.gpu.problems import check_sums, pruned_batch, random_batch
from treewright.inference import SearchSpace
from treewright.torch import gpu
from treewright.torch.gpu import siblings

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of infinities in the interpreter

SIBLINGS = SearchSpace(True, True, "sibling"), ("arc", "sibling")
GRAND = SearchSpace(True, False, "grand-sibling"), ("arc", "sibling", "grandchild", "grand_sibling")


@pytest.mark.parametrize(("program", "lengths"), [(SIBLINGS, [4, 2]), (GRAND, [3, 1])])
def test_sums(program, lengths):
    check_sums(random_batch(*program, lengths, dtype=torch.float32), 1e-5)


def test_some_kinds_of_scores():
    check_sums(random_batch(SearchSpace(True, True, "grand-sibling"), ("arc", "grandchild"), [3]), 1e-10)


@pytest.mark.parametrize("program", [SIBLINGS, GRAND])
def test_scores_far_apart_and_forbidden_parts(program):
    check_sums(random_batch(*program, [3], 1, scale=1e4, forbidden=0.1), 1e-9)


@pytest.mark.parametrize("program", [SIBLINGS, GRAND])
def test_sums_of_pruned_sentences(program):
    check_sums(pruned_batch(*program, 4, 2), 1e-10)


def test_large_scores_of_float32_are_not_rounded():
    """They are laid out as float32, which would lose what they differ by."""
    batch = random_batch(*SIBLINGS, [3], 2, dtype=torch.float32)
    batch.scores["arc"] += 3e4
    check_sums(batch, 1e-6)


def test_no_tree():
    batch = random_batch(*GRAND, [2, 2])
    batch.scores["arc"][0, :, 2] = -torch.inf
    log_z, marginals = gpu.sums(batch)
    assert log_z[0] == -torch.inf
    assert log_z[1] == gpu.log_partition(batch)[1]
    assert not any(tensor[0].any() for tensor in marginals.values())


def test_both_texts_agree(monkeypatch):
    """Spans are wide enough for more than one step of the lanes."""
    batch = random_batch(*SIBLINGS, [10], 6, forbidden=0.05)
    log_z, marginals = gpu.sums(batch)
    monkeypatch.setattr(siblings, "fits", lambda batch: False)
    by_table, means = gpu.sums(batch)
    torch.testing.assert_close(log_z, by_table)
    torch.testing.assert_close(marginals, means)
