"""Fitting the temperatures of a `Calibration`, on sentences that the model has not learned from.

Each is the one under which what is known is most likely (Platt 1999; Guo et al. 2017): τ so that the correct heads are
most likely, word by word; σ so that the correct relations of the correct arcs are; θ so that the probability of the
best tree predicts best whether it is entirely correct, together with the power γ of the probability of its tags.  Each
may be a mixture of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Heads
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
    """Score sentences that a parser has not learned from, as examples for `fit_calibration`."""
    number = {label: index for index, label in enumerate(parser.scorer.labels)}

    def example(one: tuple[Sentence, float]) -> Example:
        sentence, log_tags = one
        labels = np.array([-1, *(number.get(relation, -1) for relation in sentence.deprels)], np.int32)
        return Example(parser.scores(sentence), sentence.rooted_heads(), labels, log_tags)

    known = list(zip(sentences, log_tags or [0.0] * len(sentences), strict=True))
    return list(in_order(example, known, threads))


class Example(NamedTuple):
    """The scores of a sentence, with its correct heads and relations: -1 where the model does not know one."""

    scores: Scores
    heads: Heads
    labels: Heads
    log_tags: float = 0.0  # the logarithm of the probability of its tags


def fit_calibration(trees: Trees, examples: Sequence[Example], threads: int | None = None) -> Calibration:
    """Fit the temperatures to sentences that the scores were not learned from."""
    relations = _fit_relations(examples)

    def correct_heads(factor: float) -> Floats:
        calibration = Calibration(Mixture((1 / factor,)), relations)

        def one(example: Example) -> Floats:
            [(_, scores)] = calibration.of_parts(example.scores)
            found: Floats = np.maximum(trees.marginals(replace(scores, label=None)).of_arcs(example.heads), 0.0)
            return found

        return np.concatenate(list(in_order(one, examples, threads)))

    judged = [_best_tree(trees, example) for example in examples]

    def correct_judgements(factor: float) -> Floats:
        def one(best: tuple[Scores, float, bool]) -> float:
            scores, score, is_right = best
            probability = np.exp(min(score * factor - trees.log_partition(scores.scaled(factor)), 0.0))
            return float(probability if is_right else 1 - probability)

        return np.array(list(in_order(one, judged, threads)))

    is_right = np.array([is_right for _, _, is_right in judged], bool)
    logs = np.array([example.log_tags for example in examples])
    return Calibration(fit_mixture(correct_heads), relations, *fit_discounted(correct_judgements, is_right, logs))


def _best_tree(trees: Trees, example: Example) -> tuple[Scores, float, bool]:
    """Find the best tree of an example: its scores, the score of the tree, and whether the tree is right."""
    parse = trees.argmax(example.scores)
    is_right = np.array_equal(parse.heads[1:], example.heads[1:])
    if parse.labels is not None:
        is_right = is_right and np.array_equal(parse.labels[1:], example.labels[1:])
    return example.scores, trees.score(example.scores, parse.heads, parse.labels), is_right


def _fit_relations(examples: Sequence[Example]) -> Mixture:
    """Fit the temperatures of relations on correct arcs; 1 where relations are not predicted."""
    found = [_of_correct_arcs(example) for example in examples if example.scores.label is not None]
    if not sum(len(labels) for _, labels in found):
        return Mixture()
    most = max(rows.shape[1] for rows, _ in found)  # in folds, not every model knows every relation
    margins = np.concatenate(
        [
            np.pad(
                rows - rows[np.arange(len(rows)), labels][:, None],
                ((0, 0), (0, most - rows.shape[1])),
                constant_values=-np.inf,
            )
            for rows, labels in found
        ]
    )
    return fit_mixture(lambda factor: np.exp(-reduced(margins * factor, "sum")))


def _of_correct_arcs(example: Example) -> tuple[Floats, Heads]:
    """Return the label scores of the correct arcs that survived pruning, and the correct labels."""
    known = (example.scores.of_arcs(example.heads) > -np.inf) & (example.labels[1:] >= 0)
    rows = label_rows(example.scores, example.heads)
    return rows[known].astype(np.float64), example.labels[1:][known]
