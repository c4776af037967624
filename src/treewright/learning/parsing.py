"""Dependency parsing as an online problem: search with cost, compare with the gold tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.features import DependencyFeatures, Weights
from treewright.features.arcs import HashedSentence
from treewright.inference import Scores, Trees
from treewright.learning.online import Mistake
from treewright.treebank import Sentence, projectivize

__all__ = ["ParsingProblem"]

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Example:
    sentence: Sentence
    heads: IntArray
    labels: IntArray


class ParsingProblem:
    """A treebank as training examples for a parser.

    For projective trees the gold trees are projectivized (Koo et al. 2007, footnote 4).

    Parameters
    ----------
    sentences : sequence of Sentence
    features : DependencyFeatures
    trees : Trees
        The trees that are searched.
    """

    def __init__(self, sentences: Sequence[Sentence], features: DependencyFeatures, trees: Trees) -> None:
        self.features = features
        self.trees = trees
        self.size = features.size
        self._examples = []
        for sentence in sentences:
            if trees.projective:
                sentence = sentence.replace(heads=projectivize(sentence.heads))
            labels = features.label_indices(sentence.deprels)
            self._examples.append(_Example(sentence, sentence.rooted_heads(), labels))

    def __len__(self) -> int:
        return len(self._examples)

    def words(self, index: int) -> int:
        """Count the words of a sentence."""
        return len(self._examples[index].sentence)

    def mistake(self, index: int, weights: Weights, cost: float) -> Mistake | None:
        """Parse one sentence, each wrong head and each wrong label adding ``cost``."""
        example = self._examples[index]
        hashed = self.features.hash(example.sentence)
        scores = self.features.score(hashed, weights)
        if cost:
            add_cost(scores, example.heads, example.labels, cost)
        parse = self.trees.argmax(scores)
        assert parse.labels is not None
        errors = np.count_nonzero(parse.heads != example.heads) + np.count_nonzero(parse.labels != example.labels)
        if not errors:
            return None
        augmented = tree_score(scores, example.heads, example.labels) - parse.score
        unknown = np.count_nonzero(example.labels[1:] < 0)
        margin = augmented + cost * (errors - unknown)
        places, values = self._difference(hashed, example, parse.heads, parse.labels)
        return Mistake(places, values, float(errors), margin)

    def _difference(
        self, hashed: HashedSentence, example: _Example, heads: IntArray, labels: IntArray
    ) -> tuple[IntArray, npt.NDArray[np.float32]]:
        """List the features of the gold tree less those of another, leaving out the arcs that they share."""
        differs = np.flatnonzero((heads != example.heads) | (labels != example.labels)).astype(np.int32)
        gold = np.stack([example.heads[differs], differs, example.labels[differs]], axis=1)
        found = np.stack([heads[differs], differs, labels[differs]], axis=1)
        coefficients = np.repeat(np.array([1, -1], np.float32), len(differs))
        return self.features.gradient(hashed, np.concatenate([gold, found]), coefficients)


def add_cost(scores: Scores, heads: IntArray, labels: IntArray, cost: float) -> None:
    """Make errors attractive: change ``scores`` so that each wrong head and each wrong label adds ``cost``.

    All trees are lowered by the same 2n · cost, and what is right by nothing more, so that gold arcs and gold
    labels lose ``cost`` and everything else keeps its score.  A gold label of -1, one that the model does not
    have, is wrong whatever is found.
    """
    assert scores.label is not None
    modifiers = np.arange(1, heads.size)
    scores.arc[heads[1:], modifiers] -= cost
    known = np.flatnonzero(labels >= 0)
    scores.label[:, known, labels[known]] -= cost


def tree_score(scores: Scores, heads: IntArray, labels: IntArray) -> float:
    """Add up the scores of the labelled arcs of a tree; a label of -1 adds nothing."""
    assert scores.label is not None
    modifiers = np.arange(1, heads.size)
    known = np.flatnonzero(labels >= 0)
    arcs = scores.arc[heads[1:], modifiers].sum(dtype=np.float64)
    return float(arcs + scores.label[heads[known], known, labels[known]].sum(dtype=np.float64))
