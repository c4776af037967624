"""Losses of distributions over trees, to train what scores them.

Each takes a `TreeDistribution` and, where there are gold trees, int64 heads of shape (*batch_shape, N) and labels of
the same shape; what is at the root and in padding does not matter.  It returns the mean over the batch, or what
``reduction`` says: ``mean``, ``sum``, or ``none`` for one number a sentence.
"""

from __future__ import annotations

import torch
from torch import Tensor

from treewright.torch.distribution import TreeDistribution

__all__ = ["distillation_loss", "entropy_loss", "forest_loss", "hinge_loss", "nll_loss", "risk_loss"]


def nll_loss(
    trees: TreeDistribution, heads: Tensor, labels: Tensor | None = None, *, reduction: str = "mean"
) -> Tensor:
    """Compute the negative log-likelihood of gold trees; without labels, whatever theirs are."""
    return _reduced(-trees.log_prob(heads, labels), reduction)


def forest_loss(
    trees: TreeDistribution, heads: Tensor, labels: Tensor | None = None, *, reduction: str = "mean"
) -> Tensor:
    """Compute the negative log-likelihood of all trees with the heads, and labels, that are known; the others are -1.

    It is log Z, less log Z under these constraints (Li et al. 2014, 2016).
    """
    return _reduced(trees.log_partition - trees.given(heads, labels).log_partition, reduction)


def risk_loss(trees: TreeDistribution, heads: Tensor, *, reduction: str = "mean") -> Tensor:
    """Compute the expected number of wrong heads (minimum risk: Smith & Eisner 2006); words with -1 do not count."""
    problem = trees.problem
    right = problem.of_arcs(problem.agrees(trees.flat(heads)), True)
    wrong = torch.where(right, 0.0, trees.expected_parts()["arc"])
    return _reduced(wrong.flatten(1).sum(1).reshape(trees.batch_shape), reduction)


def hinge_loss(
    trees: TreeDistribution,
    heads: Tensor,
    labels: Tensor | None = None,
    *,
    cost: float = 1.0,
    reduction: str = "mean",
) -> Tensor:
    """Compute how much the best tree scores above the gold tree, plus a cost for each word it gets wrong.

    That tree is found by an argmax with the costs among the scores (Taskar et al. 2005).  A word is wrong if its head
    is, or its label, if labels are given.  This is the only loss for trees that need not be projective, with more than
    arc scores.
    """
    problem = trees.problem
    right = problem.of_arcs(problem.agrees(trees.flat(heads)), True)
    raised = {"arc": problem.scores["arc"] + cost * ~right}
    if labels is not None:
        others = problem.has_other_label(trees.flat(labels))
        raised["label"] = trees.scores["label"].reshape(others.shape) + cost * (others & right[..., None])
    augmented = trees.replace(**{name: one.reshape(trees.scores[name].shape) for name, one in raised.items()})
    best = augmented.mode
    return _reduced((_best_score(augmented, best) - _best_score(trees, heads, labels)).relu(), reduction)


def _best_score(trees: TreeDistribution, heads: Tensor, labels: Tensor | None = None) -> Tensor:
    """Return what trees score, with their best labels if none are given."""
    if labels is None and "label" in trees.scores:
        labels = trees.best_labels(heads)
    return trees.score(heads, labels)


def entropy_loss(trees: TreeDistribution, *, reduction: str = "mean") -> Tensor:
    """Compute the entropy, to be added to a loss with a positive weight (confident) or a negative one (cautious)."""
    return _reduced(trees.entropy(), reduction)


def distillation_loss(student: TreeDistribution, teacher: TreeDistribution, *, reduction: str = "mean") -> Tensor:
    """Compute the cross-entropy of a student under its teacher, in closed form; only the student gets a gradient."""
    scores = {name: tensor.detach() for name, tensor in teacher.scores.items()}
    return _reduced(teacher.replace(**scores).cross_entropy(student), reduction)


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    """Reduce the losses of sentences as PyTorch's losses do."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"reduction is {reduction!r}: it must be 'mean', 'sum' or 'none'")
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()
