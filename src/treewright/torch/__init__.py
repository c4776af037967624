"""Distributions over dependency trees for PyTorch: batched, differentiable, on the CPU and on GPUs."""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError("treewright.torch needs PyTorch: pip install treewright[torch]", name="torch") from None

from treewright.torch.distribution import RankedTrees, TreeDistribution
from treewright.torch.marginals import Marginals

__all__ = ["Marginals", "RankedTrees", "TreeDistribution"]
