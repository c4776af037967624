"""Labels are arc-factored: they reduce into arc scores before the search and are read off after it.

The best tree with labels has on each arc the label that is best there, whatever the other arcs are; so the
search need only know the score of each arc with its best label, and costs O(Ln²) more.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treewright.inference.scores import Scores

__all__ = ["best_labels", "with_best_labels"]


def with_best_labels(scores: Scores) -> npt.NDArray[np.float64]:
    """Return a new array with the score of each arc under its best label."""
    arc = scores.arc.astype(np.float64, order="C")
    if scores.label is not None:
        with np.errstate(invalid="ignore"):  # the diagonal may hold anything
            arc += scores.label.max(axis=2)
    return arc


def best_labels(scores: Scores, heads: npt.NDArray[np.int32]) -> npt.NDArray[np.int32] | None:
    """Return the best label of each arc of a tree, -1 at the root; None when labels are not scored."""
    if scores.label is None:
        return None
    labels = np.full(heads.size, -1, np.int32)
    labels[1:] = scores.label[heads[1:], np.arange(1, heads.size)].argmax(axis=1)
    return labels
