"""Distributions over dependency trees for PyTorch: batched, differentiable, on the CPU and on GPUs."""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError("treewright.torch needs PyTorch: pip install treewright[torch]", name="torch") from None

from treewright.torch.answers import Marginals, RankedTrees
from treewright.torch.distribution import TreeDistribution
from treewright.torch.losses import distillation_loss, entropy_loss, forest_loss, hinge_loss, nll_loss, risk_loss

__all__ = [
    "Marginals",
    "RankedTrees",
    "TreeDistribution",
    "distillation_loss",
    "entropy_loss",
    "forest_loss",
    "hinge_loss",
    "nll_loss",
    "risk_loss",
]
