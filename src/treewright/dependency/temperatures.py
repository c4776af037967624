"""Fitting the temperatures of a `Calibration`, on sentences that the model has not learned from.

Each is the one under which what comes true of the best tree is most likely (Platt 1999; Guo et al. 2017): τ so that the
probabilities of its heads predict best which of them are correct, word by word; σ so that those of the relations of its
correct arcs do; θ so that its own probability predicts best whether it is entirely correct, together with the power γ
of the probability of its tags.  Each may be a mixture of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Heads, Mask
from treewright.dependency.calibration import Calibration
from treewright.dependency.parser import Parser
from treewright.inference import Scores, Trees
from treewright.inference.labels import label_rows, reduced
from treewright.parsing.calibration import fit_discounted, fit_mixture
from treewright.parsing.mixture import Mixture
from treewright.threads import in_order
from treewright.treebank import Sentence

__all__ = ["Example", "calibrate", "fit_calibration", "list_examples"]


def calibrate(
    parser: Parser, sentences: Sequence[Sentence], log_tags: Sequence[float] = (), threads: int | None = None
) -> Calibration:
    """Fit a calibration of a parser to sentences that it has not learned from, tagged as when they are parsed.

    ``log_tags`` are the logarithms of the probabilities of the tags of each sentence, if they were predicted.
    """
    return fit_calibration(parser.trees, list_examples(parser, sentences, log_tags, threads), threads)


def list_examples(
    parser: Parser, sentences: Sequence[Sentence], log_tags: Sequence[float] = (), threads: int | None = None
) -> list[Example]:
    """Score sentences that a parser has not learned from, as examples for `fit_calibration`.

    Partial trees are left out: there is no saying what is right about them.
    """
    number = {label: index for index, label in enumerate(parser.scorer.labels)}

    def example(one: tuple[Sentence, float]) -> Example:
        sentence, log_tags = one
        labels = np.array([-1, *(number.get(relation, -1) for relation in sentence.deprels)], np.int32)
        return Example(parser.scores(sentence), sentence.rooted_heads(), labels, log_tags)

    pairs = zip(sentences, log_tags or [0.0] * len(sentences), strict=True)
    return list(in_order(example, [pair for pair in pairs if (pair[0].heads >= 0).all()], threads))


class Example(NamedTuple):
    """The scores of a sentence, with its correct heads and relations: -1 where the model does not know one."""

    scores: Scores
    heads: Heads
    labels: Heads
    log_tags: float = 0.0  # the logarithm of the probability of its tags


def fit_calibration(trees: Trees, examples: Sequence[Example], threads: int | None = None) -> Calibration:
    """Fit the temperatures to sentences that the scores were not learned from; without any, all of them are one."""
    if not examples:
        return Calibration()
    judged = list(in_order(lambda example: _judge(trees, example), examples, threads))
    relations = _fit_relations(judged)
    right_heads = np.concatenate([one.right_heads for one in judged])

    def correct_heads(factor: float) -> Floats:
        calibration = Calibration(Mixture((1 / factor,)), relations)

        def stated(one: Judged) -> Floats:
            [(_, scores)] = calibration.of_parts(one.scores)
            return trees.marginals(replace(scores, label=None)).of_arcs(one.heads).astype(np.float64)

        return _likelihood(np.concatenate(list(in_order(stated, judged, threads))), right_heads)

    is_right = np.array([one.is_right for one in judged], bool)

    def correct_trees(factor: float) -> Floats:
        def stated(one: Judged) -> float:
            return float(np.exp(one.score * factor - trees.log_partition(one.scores.scaled(factor))))

        return _likelihood(np.array(list(in_order(stated, judged, threads))), is_right)

    logs = np.array([example.log_tags for example in examples])
    return Calibration(fit_mixture(correct_heads), relations, *fit_discounted(correct_trees, is_right, logs))


class Judged(NamedTuple):
    """The best tree of an example, and what of it is right."""

    scores: Scores
    heads: Heads
    labels: Heads | None
    right_heads: Mask  # of words 1…n, like the next
    right_labels: Mask
    judged_labels: Mask  # those of correct arcs whose correct relation the model knows
    score: float
    is_right: bool


def _judge(trees: Trees, example: Example) -> Judged:
    parse = trees.argmax(example.scores)
    right_heads = parse.heads[1:] == example.heads[1:]
    right_labels = np.ones_like(right_heads) if parse.labels is None else parse.labels[1:] == example.labels[1:]
    score = trees.score(example.scores, parse.heads, parse.labels)
    is_right = bool((right_heads & right_labels).all())
    judged_labels = right_heads & (example.labels[1:] >= 0)
    return Judged(example.scores, parse.heads, parse.labels, right_heads, right_labels, judged_labels, score, is_right)


def _likelihood(stated: Floats, is_right: Mask) -> Floats:
    """Compute the probability of what came true, given those with which things were said to be right."""
    stated = np.clip(stated, 0.0, 1.0)
    return np.where(is_right, stated, 1 - stated)


def _fit_relations(judged: Sequence[Judged]) -> Mixture:
    """Fit the temperatures of relations on correct arcs; 1 where relations are not predicted."""
    found = [_of_correct_arcs(one, one.labels) for one in judged if one.labels is not None]
    if not sum(len(rows) for rows in found):
        return Mixture()
    most = max(rows.shape[1] for rows in found)  # in folds, not every model knows every relation
    margins = np.concatenate(
        [np.pad(rows, ((0, 0), (0, most - rows.shape[1])), constant_values=-np.inf) for rows in found]
    )
    is_right = np.concatenate([one.right_labels[one.judged_labels] for one in judged])
    return fit_mixture(lambda factor: _likelihood(np.exp(-reduced(margins * factor, "sum")), is_right))


def _of_correct_arcs(one: Judged, labels: Heads) -> Floats:
    """Return by how much each label of the correct arcs scores more than the one that was found."""
    rows = label_rows(one.scores, one.heads)[one.judged_labels].astype(np.float64)
    return rows - rows[np.arange(len(rows)), labels[1:][one.judged_labels]][:, None]
