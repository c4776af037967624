"""Trees to learn from: the questions of learners that need more than the best answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from treewright.arrays import Array, Heads, Ints, Places, Real, Singles
from treewright.features import Hashed, WeightedParts, Weights
from treewright.inference import Constraints, Parts, Scores, Trees
from treewright.kernels import kernel
from treewright.learning.training import Examples

__all__ = ["TreeProblem", "add_cost", "weighted_parts"]


class TreeProblem(Examples, Protocol):
    """Sentences with gold trees, whose parts are scored."""

    @property
    def trees(self) -> Trees:
        """The trees that are searched."""

    def score(self, index: int, weights: Weights) -> tuple[Hashed, Scores]:
        """Score the parts of a sentence; also return its hashed attributes, for `gradient`."""

    def gradient(self, hashed: Hashed, parts: Mapping[str, WeightedParts]) -> tuple[Places, Singles]:
        """List the learned features of parts, each with the coefficient of its part."""

    def gold(self, index: int) -> tuple[Heads, Heads | None]:
        """Return the heads of the gold tree, and its labels if labels are predicted."""

    def gold_parts(self, index: int) -> dict[str, Ints]:
        """List the parts of the gold tree."""

    def known(self, index: int) -> Constraints | None:
        """Return what holds of the trees that agree with a partial gold tree; None if the gold tree is whole."""


def add_cost(scores: Scores, heads: Heads, labels: Heads | None, cost: float) -> None:
    """Change ``scores`` so that each wrong head and each wrong label adds ``cost`` to the score of a tree.

    All trees are also lowered by the same 2n · cost, so that it suffices to subtract ``cost`` from gold arcs and gold
    labels.  A gold label of -1, one that the model does not have, is wrong whatever is found.  A head of -1 is not
    known, and costs nothing.
    """
    label, of_labels = np.empty((0, 1), scores.arc.dtype), heads[:0]
    if scores.label is not None and labels is not None:
        label, of_labels = scores.label.reshape(-1, scores.label.shape[-1]), labels
    exact: Any = scores.arc.dtype.type(cost)  # which is no more precise than the scores
    if scores.parts is None:
        _subtract_from_all(scores.arc, label, heads, of_labels, exact)
    else:
        arcs = scores.parts.arcs
        _subtract_from_parts(scores.arc, label, arcs.number, arcs.modifiers, heads, of_labels, exact)


@kernel
def _subtract_from_all(arc: Real, label: Real, heads: Heads, labels: Heads, cost: float) -> None:
    """Subtract the cost where all arcs have scores."""
    for m in range(1, len(heads)):
        if heads[m] >= 0:
            arc[heads[m], m] -= cost
    for row in range(len(label)):
        right = labels[row % len(heads)]
        if right >= 0:
            label[row, right] -= cost


@kernel
def _subtract_from_parts(
    arc: Real, label: Real, number: Ints, modifiers: Ints, heads: Heads, labels: Heads, cost: float
) -> None:
    """Subtract the cost where the arcs that survive pruning have scores."""
    for m in range(1, len(heads)):
        if heads[m] >= 0:
            arc[number[heads[m], m]] -= cost
    for row in range(len(label)):
        right = labels[modifiers[row]]
        if right >= 0:
            label[row, right] -= cost


def weighted_parts(
    coefficients: Mapping[str, Array], parts: Parts | None, threshold: float
) -> dict[str, WeightedParts]:
    """List the parts, by kind, whose coefficients exceed a threshold in magnitude.

    Coefficients are arrays as in `Scores`: vectors over ``parts``, or dense.
    """
    weighted = {}
    for name, array in coefficients.items():
        index = np.nonzero(np.abs(array) > threshold)
        if parts is None:
            rows = np.stack(index, axis=1)
        elif name == "label":
            rows = np.concatenate([parts.arc[index[0]], index[1][:, None]], axis=1)
        else:
            rows = getattr(parts, name)[index[0]]
        weighted[name] = rows, array[index].astype(np.float32)
    return weighted
