"""What a network is trained to make small: how far its scores are from a treebank, or from those of teachers."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from treewright.neural.learning.batches import Batch
from treewright.neural.learning.network import Network, Outputs
from treewright.torch import TreeDistribution
from treewright.torch.losses import forest_loss, hinge_loss, nll_loss

__all__ = ["LOSSES", "arc_logits", "treebank_loss", "trees_of"]

#: How heads are learned: each word's head by itself; the likelihood of trees; a margin between trees.
LOSSES = ("heads", "tree-crf", "hinge")

#: What stands for minus infinity where gradients must stay finite.
_NEVER = -1e9


def arc_logits(network: Network, outputs: Outputs, words: Tensor) -> Tensor:
    """Score the heads of each word, shape (batch, N, N), modifiers before heads; what is no head never is."""
    scores = network.arc_scores(outputs).mT
    own = torch.eye(scores.shape[1], dtype=torch.bool, device=scores.device)
    return scores.masked_fill(own | ~words[:, None], _NEVER)


def trees_of(
    network: Network, outputs: Outputs, words: Tensor, *, projective: bool = True, single_root: bool = True
) -> TreeDistribution:
    """Return the distribution over trees without labels."""
    parts = network.part_scores(outputs)
    return TreeDistribution(
        network.arc_scores(outputs),
        **parts,  # type: ignore[arg-type]
        lengths=words.sum(1) - 1,
        projective=projective,
        single_root=single_root,
        factorization=network.settings.factorization,
        validate_args=False,
    )


def treebank_loss(
    network: Network, batch: Batch, loss: str, *, projective: bool = True, single_root: bool = True
) -> Tensor:
    """Compute the loss of a batch of a treebank, a mean over words.

    Heads, relations and values of columns that are -1 are not known, and do not count.  Relations are learned at the
    heads that are known.
    """
    outputs = network(batch.rows, batch.words)
    if loss == "heads":
        total = _cross_entropy(arc_logits(network, outputs, batch.words), batch.heads)
    else:
        trees = trees_of(network, outputs, batch.words, projective=projective, single_root=single_root)
        count = batch.lengths.sum()
        of_trees = hinge_loss if loss == "hinge" else forest_loss if batch.is_partial else nll_loss
        total = of_trees(trees, batch.heads, reduction="sum") / count
    if network.settings.labels:
        labels = batch.labels.masked_fill(batch.heads < 0, -1)
        total = total + _cross_entropy(network.label_scores(outputs, batch.heads), labels)
    for name, logits in outputs.columns.items():
        total = total + _cross_entropy(logits, batch.columns[name])
    return total


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Compute the mean cross-entropy of the targets that are not -1."""
    count = (targets >= 0).sum().clamp(min=1)
    return F.cross_entropy(logits.flatten(0, -2), targets.flatten(), ignore_index=-1, reduction="sum") / count
