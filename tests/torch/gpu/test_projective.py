"""Projective trees by kernels that follow tables, against the kernels of the CPU."""

import pytest
import torch

from tests.torch.gpu.problems import assert_close, check_sums, one_by_one, random_batch, trees_of
from treewright.inference import SearchSpace
from treewright.torch import gpu
from treewright.torch.gpu import projective

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of infinities in the interpreter

PROGRAMS = {
    "arc": ("arc",),
    "sibling": ("arc", "sibling", "last"),
    "grandchild": ("arc", "grandchild"),
    "carreras": ("arc", "sibling", "grandchild"),
    "grand-sibling": ("arc", "sibling", "last", "grandchild", "grand_sibling"),
    "tri-sibling": ("arc", "sibling", "grandchild", "grand_sibling", "tri_sibling"),
}


@pytest.mark.parametrize(
    ("factorization", "single_root", "dtype"),
    [
        ("arc", True, torch.float64),
        ("arc", False, torch.float32),
        ("sibling", True, torch.float32),
        ("carreras", False, torch.float64),
        ("grand-sibling", False, torch.float64),
        ("tri-sibling", True, torch.float64),
    ],
)
def test_sums(factorization, single_root, dtype):
    batch = random_batch(SearchSpace(True, single_root, factorization), PROGRAMS[factorization], [3, 2], dtype=dtype)
    check_sums(batch, 1e-10 if dtype == torch.float64 else 1e-5)


def test_scores_far_apart_and_forbidden_parts():
    batch = random_batch(SearchSpace(True, True, "arc"), ("arc",), [4], 1, scale=1e4, forbidden=0.1)
    check_sums(batch, 1e-9)


@pytest.mark.parametrize("single_root", [True, False])
def test_both_texts_of_arcs_agree(single_root, monkeypatch):
    """Sums over arcs have a kernel of their own beside the one that follows tables."""
    batch = random_batch(SearchSpace(True, single_root, "arc"), ("arc",), [9, 3], 6, forbidden=0.05)
    log_z, marginals = gpu.sums(batch)
    monkeypatch.setattr(projective, "_has_arcs_only", lambda batch: False)
    by_table, means = gpu.sums(batch)
    torch.testing.assert_close(log_z, by_table)
    torch.testing.assert_close(marginals["arc"], means["arc"])


def test_spans_wide_enough_to_wrap():
    check_sums(random_batch(SearchSpace(True, True, "arc"), ("arc",), [20], 6, forbidden=0.05), 1e-9)


def test_no_tree():
    batch = random_batch(SearchSpace(True, True, "arc"), ("arc",), [3, 2])
    batch.scores["arc"][0, :, 2] = -torch.inf
    log_z, marginals = gpu.sums(batch)
    assert log_z[0] == -torch.inf
    assert log_z[1] > -torch.inf
    assert not marginals["arc"][0].any()
    assert (gpu.argmax(batch)[1][0] == -1).all()


@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_tangents(scale):
    """Where scores are far apart, they come from the kernel for logarithms."""
    batch = random_batch(SearchSpace(True, False, "sibling"), ("arc", "sibling"), [3], 2, scale=scale)
    if scale > 1.0:
        batch.scores["sibling"][:] = 40.0  # out of range, but not far from each other
        batch.scores["arc"] /= scale
    direction = random_batch(batch.space, tuple(batch.scores), [3], 3).scores
    expected = [
        trees_of(batch.space).tangents(scores, along)
        for scores, along in zip(one_by_one(batch), one_by_one(batch, direction), strict=True)
    ]
    assert_close(batch, gpu.tangents(batch, direction), expected, 1e-9)


@pytest.mark.parametrize("factorization", ["arc", "sibling", "tri-sibling"])
def test_argmax(factorization):
    batch = random_batch(SearchSpace(True, True, factorization), PROGRAMS[factorization], [4, 2], 4)
    scores, heads = gpu.argmax(batch)
    for index, (given, n) in enumerate(zip(one_by_one(batch), [4, 2], strict=True)):
        best = trees_of(batch.space).argmax(given)
        assert scores[index].item() == pytest.approx(best.score, rel=1e-12)
        assert heads[index].tolist() == [*best.heads.tolist(), *[-1] * (4 - n)]


def test_samples():
    """They are trees, not always the same, the same for the same seed, and the sure choice where there is one."""
    batch = random_batch(SearchSpace(True, False, "arc"), ("arc",), [2, 2], 5)
    batch.scores["arc"][0] = 0.0
    batch.scores["arc"][1, 0, 1:] = 50.0
    heads = gpu.sample(batch, 8, 7)
    assert torch.equal(heads[:3], gpu.sample(batch, 3, 7))
    trees = {tuple(row) for row in heads[:, 0].tolist()}
    assert trees <= {(-1, 0, 0), (-1, 0, 1), (-1, 2, 0)}
    assert len(trees) > 1
    assert (heads[:, 1] == torch.tensor([-1, 0, 0], device=heads.device)).all()
