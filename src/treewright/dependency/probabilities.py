"""The probabilities of a tree that a parser has found: of each head, of each relation, and of the whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.dependency.calibration import Calibration, Weighted
from treewright.inference import ConstrainedTrees, Parse, Scores, Trees
from treewright.inference.labels import add_labels

__all__ = [
    "Probabilities",
    "find_marginals",
    "find_probabilities",
    "find_rivals",
    "head_matrix",
    "log_probabilities",
]

#: A word is doubtful whose head and relation are less probable than this; a rival has at least that probability.
DOUBTFUL, LEAST = 0.9, 0.005


@dataclass(frozen=True, eq=False)
class Probabilities:
    """The probabilities of the parts of a tree, and of the whole.

    Attributes
    ----------
    heads : float array
        The probability of the head of each word.
    relations : float array, optional
        The probability of each relation given that head; None where relations are not predicted.
    tree : float
        The probability that all heads and relations are correct.
    tags : float array, optional
        The probability of the tag (UPOS) of each word; None where tags were not predicted.
    rivals : sequence of sequences
        For each doubtful word the most probable other heads and labels (-1 where there are none), with their
        probabilities, as many as were asked for.

    Examples
    --------
    >>> Probabilities(np.array([0.9, 1.0]), np.array([0.5, 1.0]), 0.4).expected_errors
    0.55
    """

    heads: Floats
    relations: Floats | None
    tree: float
    tags: Floats | None = None
    rivals: Sequence[Sequence[tuple[int, int, float]]] = ()

    @property
    def correct(self) -> Floats:
        """The probability that head and relation of each word are correct."""
        return self.heads if self.relations is None else self.heads * self.relations

    @property
    def expected_errors(self) -> float:
        """The expected number of words with a wrong head or relation."""
        return float((1 - self.correct).sum())


def log_probabilities(
    trees: Trees | ConstrainedTrees, calibration: Calibration, scores: Scores, parses: Sequence[Parse]
) -> list[float]:
    """Compute the logarithm of the probability of each of some trees of a sentence, with their relations."""
    found = []
    for share, distribution in calibration.of_trees(scores):
        start = math.log(share) - trees.log_partition(distribution)
        found.append([start + trees.score(distribution, parse.heads, parse.labels) for parse in parses])
    logs: list[float] = np.logaddexp.reduce(found).tolist()
    return logs


def find_marginals(trees: Trees | ConstrainedTrees, weighted: Weighted) -> Scores:
    """Average the marginals of some distributions, by their shares."""
    (share, first), *others = weighted
    total = trees.marginals(first)
    if not others:
        return total
    sums: dict[str, Any] = {name: share * array for name, array in total.arrays.items()}
    for share, scores in others:
        for name, array in trees.marginals(scores).arrays.items():
            sums[name] += share * array
    return replace(total, **sums)


def head_matrix(marginals: Scores) -> Floats:
    """Lay out the marginals of arcs: a row for each word, a column for each head from 0; 0 where an arc was pruned."""
    n, parts = marginals.n, marginals.parts
    matrix = np.zeros((n + 1, n + 1))
    index = tuple(np.indices(matrix.shape)) if parts is None else tuple(parts.arc.T)
    matrix[index] = marginals.arc[index] if parts is None else marginals.arc
    np.fill_diagonal(matrix, 0.0)
    return np.clip(matrix.T[1:], 0.0, 1.0)


def find_probabilities(
    trees: Trees | ConstrainedTrees,
    calibration: Calibration,
    scores: Scores,
    parses: Sequence[Parse],
    tags: Floats | None = None,
    alternatives: int = 0,
) -> list[Probabilities]:
    """Compute the probabilities of some trees of a sentence, whose tags have the given probabilities."""
    weighted = calibration.of_parts(scores)
    marginals, (_, distribution) = find_marginals(trees, weighted), weighted[0]
    wholes = np.exp(np.minimum(log_probabilities(trees, calibration, scores, parses), 0.0)).tolist()
    found = []
    for parse, whole in zip(parses, wholes, strict=True):
        heads = np.minimum(np.maximum(marginals.of_arcs(parse.heads), 0.0), 1.0)
        relations = None
        if parse.labels is not None and scores.label is not None:
            relations = np.exp(add_labels(distribution, parse.heads, parse.labels))
        one = Probabilities(heads, relations, whole, tags)
        found.append(find_rivals([(1.0, marginals)], parse, one, alternatives))
    return found


def find_rivals(weighted: Weighted, parse: Parse, probabilities: Probabilities, count: int) -> Probabilities:
    """Add the most probable other heads and labels of doubtful words, by averages of marginals."""
    if not count:
        return probabilities
    rivals = [
        _rivals(weighted, parse, m, count) if correct < DOUBTFUL else []
        for m, correct in enumerate(probabilities.correct.tolist(), 1)
    ]
    return replace(probabilities, rivals=rivals)


def _rivals(weighted: Weighted, parse: Parse, m: int, count: int) -> list[tuple[int, int, float]]:
    """Find the most probable heads and labels of a word beside those that it has."""
    joint = sum(share * _joint(marginals, m) for share, marginals in weighted)
    assert isinstance(joint, np.ndarray)
    has_labels, found = parse.labels is not None, []
    own = int(parse.heads[m]), -1 if parse.labels is None else int(parse.labels[m])
    for place in np.argsort(-joint, axis=None, kind="stable")[: count + 1].tolist():
        head, label = divmod(place, joint.shape[1])
        arc = head, label if has_labels else -1
        if arc != own and joint[head, label] >= LEAST:
            found.append((*arc, float(joint[head, label])))
    return found[:count]


def _joint(marginals: Scores, m: int) -> Floats:
    """Return the probability of each head of a word with each label, or of each head alone; 0 where it was pruned."""
    parts = marginals.parts
    heads = np.delete(np.arange(marginals.n + 1), m) if parts is None else parts.arc[parts.arc[:, 1] == m, 0]
    rows = (heads, m) if parts is None else np.flatnonzero(parts.arc[:, 1] == m)
    found = marginals.arc[rows][:, None] if marginals.label is None else marginals.label[rows]
    joint = np.zeros((marginals.n + 1, found.shape[1]))
    joint[heads] = found
    return joint
