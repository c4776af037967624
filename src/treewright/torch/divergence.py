"""What cross-entropies of trees are made of.

The log-probability of a tree under q is the sum of the scores of its parts, less log Z; so its expectation under p
needs no more than the marginals of those parts under p, and

    H(p, q) = log Z_q - Σ μ_p · s_q,        KL(p, q) = log Z_q - log Z_p + Σ μ_p · (s_p - s_q).

The entropy of p is H(p, p).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from treewright.inference.kinds import FACTORIZATIONS, PartKind
from treewright.torch.padded import ByKind
from treewright.torch.problem import Problem

__all__ = ["common_factorization", "expected_score"]


def expected_score(problem: Problem, marginals: ByKind) -> Tensor:
    """Compute the expected score of a tree, given the probabilities of its parts; minus infinity if one is forbidden.

    Parts that never occur have no share in it, and in its gradient, whatever they score.
    """
    scores = dict(problem.batch().scores)
    if problem.label is not None:
        scores["label"] = problem.label
    total = marginals["arc"].new_zeros(len(problem.lengths))
    for kind, tensor in scores.items():
        happens = marginals[kind].detach() > 0
        forbidden = happens & (tensor.detach() == -math.inf)
        total = total + (marginals[kind] * torch.where(happens & ~forbidden, tensor, 0.0)).flatten(1).sum(1)
        total = torch.where(forbidden.flatten(1).any(1), -math.inf, total)
    return total


def common_factorization(p: Problem, q: Problem) -> str:
    """Return the factorization that has the parts of both; refuse distributions that have no cross-entropy."""
    if (q.space.projective and not p.space.projective) or (q.space.single_root and not p.space.single_root):
        raise ValueError("the first distribution has trees that the second does not: both need the same kind of trees")
    if p.lengths.shape != q.lengths.shape or p.size != q.size:
        shapes = f"{len(p.lengths)} sentences of {p.size - 1} words and {len(q.lengths)} of {q.size - 1}"
        raise ValueError(f"the two distributions are of {shapes}: they must be of the same batch")
    if (p.label is None) != (q.label is None):
        raise ValueError("one of the two distributions has labels, and the other does not")
    if (p.parts is None) != (q.parts is None) or any(
        a is not b for a, b in zip(p.parts or (), q.parts or (), strict=True)
    ):
        raise ValueError("the two distributions are pruned differently: give both the same parts")
    for name in FACTORIZATIONS:
        if _fits(p, name) and _fits(q, name):
            return name
    names = f"{p.space.factorization!r} and {q.space.factorization!r}"
    raise NotImplementedError(f"no factorization has the parts of both {names}")


def _fits(problem: Problem, name: str) -> bool:
    """Whether the parts that a problem scores mean the same in another factorization."""
    own, other = FACTORIZATIONS[problem.space.factorization], FACTORIZATIONS[name]
    kinds = [PartKind(kind) for kind in problem.scores]
    same = (own.outermost, own.inner) == (other.outermost, other.inner)
    return all(kind in other.kinds and (same or not kind.can_cross) for kind in kinds)
