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

    Examples
    --------
    >>> Probabilities(np.array([0.9, 1.0]), np.array([0.5, 1.0]), 0.4).expected_errors
    0.55
    """

    heads: Floats
    relations: Floats | None
    tree: float
    tags: Floats | None = None

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
        found.append(Probabilities(heads, relations, whole, tags))
    return found
