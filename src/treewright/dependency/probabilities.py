"""The probabilities of a tree that a parser has found: of each head, of each relation, and of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats
from treewright.dependency.calibration import Calibration
from treewright.inference import ConstrainedTrees, Parse, Scores, Trees
from treewright.inference.labels import add_labels

__all__ = ["Probabilities", "find_probabilities", "log_probabilities"]

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
    def expected_errors(self) -> float:
        """The expected number of words with a wrong head or relation."""
        correct = self.heads if self.relations is None else self.heads * self.relations
        return float((1 - correct).sum())


def log_probabilities(
    trees: Trees | ConstrainedTrees, calibration: Calibration, scores: Scores, parses: Sequence[Parse]
) -> list[float]:
    """Compute the logarithm of the probability of each of some trees of a sentence, with their relations."""
    distribution = calibration.of_trees(scores)
    log_partition = trees.log_partition(distribution)
    return [trees.score(distribution, parse.heads, parse.labels) - log_partition for parse in parses]


def find_probabilities(
    trees: Trees | ConstrainedTrees,
    calibration: Calibration,
    scores: Scores,
    parses: Sequence[Parse],
    tags: Floats | None = None,
    alternatives: int = 0,
) -> list[Probabilities]:
    """Compute the probabilities of some trees of a sentence, whose tags have the given probabilities."""
    distribution = calibration.of_parts(scores)
    marginals = trees.marginals(distribution)
    wholes = np.exp(np.minimum(log_probabilities(trees, calibration, scores, parses), 0.0)).tolist()
    found = []
    for parse, whole in zip(parses, wholes, strict=True):
        heads = np.minimum(np.maximum(marginals.of_arcs(parse.heads), 0.0), 1.0)
        relations = None
        if parse.labels is not None and scores.label is not None:
            relations = np.exp(add_labels(distribution, parse.heads, parse.labels))
        correct = heads if relations is None else heads * relations
        rivals = [
            _rivals(marginals, parse, m, alternatives) if alternatives and p < DOUBTFUL else []
            for m, p in enumerate(correct, 1)
        ]
        found.append(Probabilities(heads, relations, whole, tags, rivals))
    return found


def _rivals(marginals: Scores, parse: Parse, m: int, count: int) -> list[tuple[int, int, float]]:
    """Find the most probable heads and labels of a word beside those that it has."""
    parts = marginals.parts
    heads = np.delete(np.arange(marginals.n + 1), m) if parts is None else parts.arc[parts.arc[:, 1] == m, 0]
    rows = (heads, m) if parts is None else np.flatnonzero(parts.arc[:, 1] == m)
    joint = marginals.arc[rows][:, None] if marginals.label is None else marginals.label[rows]
    found = []
    for place in np.argsort(-joint, axis=None, kind="stable")[: count + 1].tolist():
        row, label = divmod(place, joint.shape[1])
        arc = int(heads[row]), label if marginals.label is not None else -1
        own = int(parse.heads[m]), -1 if parse.labels is None else int(parse.labels[m])
        if arc != own and joint[row, label] >= LEAST:
            found.append((*arc, float(joint[row, label])))
    return found[:count]
