"""Labels are arc-factored: they reduce into arc scores before the search and are read off after it.

The best tree with labels has on each arc the label that is best there, whatever the other arcs are, and the sum
over all labels of a tree is a product over its arcs; so the search need only know the largest label score of each
arc, or the log-sum of all of them, and costs O(Ln²) more.  The probability of a label is that of its arc times
that of the label there (Koo et al. 2007, section 3.4).
"""

from __future__ import annotations

import numpy as np

from treewright.arrays import Floats, Heads, Real
from treewright.inference.maximum import larger
from treewright.inference.scores import Scores
from treewright.kernels import kernel

__all__ = [
    "add_labels",
    "best_labels",
    "best_labels_of_all",
    "label_direction",
    "label_entropy",
    "label_marginals",
    "label_rows",
    "label_tangents",
    "reduced",
]


def reduced(label: Real, how: str) -> Floats:
    """Return the largest score over the labels of each arc, or the logarithm of the sum."""
    with np.errstate(all="ignore"):  # entries that are no arcs may hold anything
        rows: Real = np.ascontiguousarray(label).reshape(-1, label.shape[-1])  # type: ignore[assignment]
        largest = _largest(rows).reshape(label.shape[:-1])
        if how == "max":
            return largest
        shift = np.where(np.isfinite(largest), largest, 0.0)
        total = np.exp(label.astype(np.float64) - shift[..., None]).sum(axis=-1)
        logs: Floats = np.log(total) + shift
        return logs


@kernel
def _largest(rows: Real) -> Floats:
    """Find the largest number of each row: NumPy's own maximum of many short rows takes several times as long."""
    largest = np.empty(len(rows))
    for row in range(len(rows)):
        most = rows[row, 0]
        for k in range(rows.shape[1]):
            most = larger(most, rows[np.uintp(row), np.uintp(k)])
        largest[row] = most
    return largest


def label_rows(scores: Scores, heads: Heads) -> Real:
    """Return the label scores of the arcs of a tree, one row for each word."""
    assert scores.label is not None
    words = np.arange(1, heads.size)
    if scores.parts is not None:
        return scores.label[scores.parts.arcs.number[heads[1:], words]]
    return scores.label[heads[1:], words]


def best_labels(scores: Scores, heads: Heads) -> Heads | None:
    """Return the best label of each arc of a tree, -1 at the root; None when labels are not scored."""
    if scores.label is None:
        return None
    labels = np.full(heads.size, -1, np.int32)
    labels[1:] = label_rows(scores, heads).argmax(axis=1)
    return labels


def best_labels_of_all(scores: Scores, heads: Heads) -> list[Heads | None]:
    """Return the best labels of each of many trees, a row of heads for each; see `best_labels`."""
    if scores.label is None:
        return [None] * len(heads)
    words = np.arange(1, heads.shape[1])
    parts, modified = scores.parts, heads[:, 1:]
    arcs = modified * heads.shape[1] + words if parts is None else parts.arcs.number[modified, words]
    rows = scores.label.reshape(-1, scores.label.shape[-1])
    used = np.flatnonzero(np.bincount(arcs.ravel(), minlength=len(rows)))  # trees share most of their arcs
    best = np.full(len(rows), -1, np.int32)
    best[used] = rows[used].argmax(axis=1)
    labels = np.full(heads.shape, -1, np.int32)
    labels[:, 1:] = best[arcs]
    return list(labels)


def add_labels(scores: Scores, heads: Heads, labels: Heads) -> Floats:
    """Return the scores of given labels on the arcs of a tree."""
    rows = label_rows(scores, heads)
    return rows[np.arange(len(rows)), labels[1:]].astype(np.float64)


def label_marginals(scores: Scores, arc: Floats) -> Floats | None:
    """Divide the probability of each arc among its labels."""
    if scores.label is None:
        return None
    probability = _of_arcs(scores, arc)[..., None]
    return np.where(probability > 0, _shares(scores), 0.0) * probability


def label_direction(scores: Scores, direction: Scores) -> Floats:
    """Return the direction in which the log-sum of the labels of each arc moves, as those of labels do."""
    moved: Floats = _moved(scores, direction).sum(axis=-1)
    return moved


def label_tangents(scores: Scores, direction: Scores, arc: Floats, tangent: Floats) -> Floats | None:
    """Differentiate the probability of each label, given that of its arc and its derivative."""
    if scores.label is None:
        return None
    probability, change = _of_arcs(scores, arc)[..., None], _of_arcs(scores, tangent)[..., None]
    shares, moved = _shares(scores), _moved(scores, direction)
    with np.errstate(all="ignore"):
        tangents = change * shares + probability * (moved - shares * moved.sum(axis=-1, keepdims=True))
    return np.where(probability > 0, tangents, 0.0)


def _of_arcs(scores: Scores, arc: Floats) -> Floats:
    """Return numbers of arcs as scores have them: dense, or those of the arcs that have survived."""
    return arc[tuple(scores.parts.arc.T)] if scores.parts is not None else arc


def _shares(scores: Scores) -> Floats:
    """Return the probability of each label given its arc; anything where all labels are forbidden."""
    assert scores.label is not None
    with np.errstate(all="ignore"):
        return np.exp(scores.label.astype(np.float64) - reduced(scores.label, "sum")[..., None])


def _moved(scores: Scores, direction: Scores) -> Floats:
    """Return the direction of each label times its probability given the arc; forbidden labels do not move."""
    if direction.label is None:
        return np.zeros(_shares(scores).shape)
    shares = _shares(scores)
    return np.where(shares > 0, direction.label, 0.0) * shares


def label_entropy(scores: Scores, arc: Floats) -> float:
    """Compute the expected entropy of the labels of a tree, given its arcs."""
    if scores.label is None:
        return 0.0
    probability = _of_arcs(scores, arc)
    happens = probability > 0
    logs = scores.label[happens].astype(np.float64)
    logs -= reduced(logs, "sum")[..., None]
    shares = np.exp(logs)
    return float(-(probability[happens][..., None] * shares * np.where(shares > 0, logs, 0.0)).sum())
