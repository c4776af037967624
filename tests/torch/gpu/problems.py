"""Small batches with random scores, and what the CPU says about them."""

from __future__ import annotations

import numpy as np
import torch

from treewright.inference import Parts, Scores, SearchSpace, Trees
from treewright.inference.kinds import PartKind
from treewright.torch import gpu
from treewright.torch.padded import Padded

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def random_batch(space, kinds, lengths, seed=0, dtype=torch.float64, scale=1.0, forbidden=0.0):
    """Draw dense scores; what belongs to no tree is NaN."""
    rng, size = np.random.default_rng(seed), max(lengths) + 1
    scores = {}
    for kind in kinds:
        array = rng.normal(size=(len(lengths), *PartKind(kind).shape(size - 1))) * scale
        array[rng.random(array.shape) < forbidden] = -np.inf
        for row, n in zip(array, lengths, strict=True):
            exists = PartKind(kind).exists(n)
            row[_small(kind, n)][~exists] = np.nan
        scores[kind] = torch.tensor(array, dtype=dtype, device=DEVICE)
    return Padded(scores, torch.tensor(lengths), space)


def _small(kind, n):
    return tuple(slice(0, 2 if index == "side" else n + 1) for index in PartKind(kind).indices)


def one_by_one(batch: Padded, tensors=None) -> list[Scores]:
    """Take the scores of each sentence out of a batch, or those of other tensors."""
    tensors = batch.scores if tensors is None else tensors
    if batch.parts is not None:
        return [
            Scores(**{k: v[i, : parts.count(k)].cpu().numpy() for k, v in tensors.items()}, parts=parts)
            for i, parts in enumerate(batch.parts)
        ]
    return [
        Scores.unchecked(**{k: v[(i, *_small(k, n))].cpu().numpy() for k, v in tensors.items()})
        for i, n in enumerate(batch.lengths.tolist())
    ]


def trees_of(space: SearchSpace) -> Trees:
    return Trees(projective=space.projective, single_root=space.single_root, factorization=space.factorization)


def pruned_batch(space, kinds, n, count, seed=0) -> Padded:
    """Draw scores of the parts that a chain of arcs and a few others make up."""
    rng, parts = np.random.default_rng(seed), []
    for _ in range(count):
        allowed = rng.random((n + 1, n + 1)) < 0.5
        allowed[np.arange(n), np.arange(1, n + 1)] = True
        parts.append(Parts(allowed, projective=space.projective))
    scores = {k: torch.tensor(rng.normal(size=(count, max(p.count(k) for p in parts))), device=DEVICE) for k in kinds}
    return Padded(scores, torch.full((count,), n), space, tuple(parts))


def assert_close(batch: Padded, found, expected: list[Scores], tolerance: float) -> None:
    """Compare tensors with what the CPU says of each sentence, and see that all else is zero."""
    for kind, tensor in found.items():
        wanted = np.zeros(tensor.shape)
        for i, (n, answer) in enumerate(zip(batch.lengths.tolist(), expected, strict=True)):
            array = getattr(answer, kind)
            wanted[(i, slice(0, len(array))) if batch.parts is not None else (i, *_small(kind, n))] = array
        np.testing.assert_allclose(tensor.cpu().numpy(), wanted, atol=tolerance, rtol=tolerance, err_msg=kind)


def check_sums(batch: Padded, tolerance: float) -> None:
    """Compare log Z and marginals with what the CPU says of each sentence."""
    log_z, marginals = gpu.sums(batch)
    expected = [trees_of(batch.space).expectations(scores) for scores in one_by_one(batch)]
    np.testing.assert_allclose(log_z.cpu(), [total for total, _ in expected], rtol=tolerance, atol=tolerance)
    assert_close(batch, marginals, [means for _, means in expected], tolerance)
