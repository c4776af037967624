"""Losses of distributions over trees, to train what scores them.

Each takes a `TreeDistribution` and, but for those without gold trees, heads of shape (*batch_shape, N), and returns one
number: the mean over the sentences of the batch, or what ``reduction`` says.
"""

from __future__ import annotations

import torch
from torch import Tensor

from treewright.torch.distribution import TreeDistribution
from treewright.torch.heads import are_words

__all__ = ["distillation_loss", "entropy_loss", "forest_loss", "hinge_loss", "nll_loss", "risk_loss"]


def nll_loss(
    trees: TreeDistribution, heads: Tensor, labels: Tensor | None = None, *, reduction: str = "mean"
) -> Tensor:
    """Compute the negative log-likelihood of gold trees; without labels, whatever theirs are."""
    return _reduced(-trees.log_prob(heads, labels), reduction)


def forest_loss(
    trees: TreeDistribution, heads: Tensor, labels: Tensor | None = None, *, reduction: str = "mean"
) -> Tensor:
    """Compute the negative log-likelihood of all trees that have the heads, and labels, that are known.

    Heads and labels that are not known are -1 (Li, Zhang, Zhang, Min & Chen 2016: log Z under constraints, less log Z).
    """
    return _reduced(trees.log_partition - trees.given(heads, labels).log_partition, reduction)


def risk_loss(trees: TreeDistribution, heads: Tensor, *, reduction: str = "mean") -> Tensor:
    """Compute the expected number of words with a wrong head (minimum risk: Smith & Eisner 2006)."""
    wrong = trees.given(heads).problem.permitted
    assert wrong is not None
    marginals = trees.expected_parts()["arc"]
    expected = torch.where(wrong, marginals, 0.0).flatten(1).sum(1)
    return _reduced((trees.problem.lengths - expected).reshape(trees.batch_shape), reduction)
