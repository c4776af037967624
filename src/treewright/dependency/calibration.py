"""From scores that rank trees to probabilities that hold: three temperatures.

A tree is scored as a whole, but people ask about its parts, and errors come in clusters; so one distribution does not
answer every question well.  There are two, both exact distributions over all trees of a sentence, by the same programs.

- *Arcs and relations.*  The scores of the relations l of an arc (h, m) are divided by a temperature of their own, σ,
  and the arc competes by what all of them are worth together:

      P(l | h, m) = exp(label(h, m, l) / σ) / Z(h, m),    arc'(h, m) = (arc(h, m) + σ log Z(h, m)) / τ

  This is the nested logit model (McFadden 1978).  With τ = σ = 1 it is the log-linear model of labelled trees; as σ → 0
  an arc counts as much as its best relation, which is what margin-based learners train.
- *Whole trees.*  P(t) ∝ exp(score(t) / θ).  The ranking of trees is that of their scores, and the sum over all is one.

Each temperature is fitted on sentences that the model has not learned from (Platt 1999; Guo et al. 2017): τ so that the
correct heads are most likely, word by word; σ so that the correct relations of the correct arcs are; θ so that the
probability of the best tree predicts best whether it is entirely correct.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from treewright.arrays import Floats, Heads
from treewright.inference import Scores, Trees
from treewright.inference.labels import label_rows, reduced
from treewright.learning.calibration import SMALLEST, fit_temperature
from treewright.model import Manifest
from treewright.threads import in_order

__all__ = ["ENOUGH", "Calibration", "Example", "fit_calibration"]

#: Sentences that are enough to fit three numbers.
ENOUGH = 1_000


@dataclass(frozen=True)
class Calibration:
    """The temperatures by which scores become probabilities.

    Attributes
    ----------
    heads, relations, trees : float
        Those of heads (τ), of relations given heads (σ), and of whole trees (θ).

    Examples
    --------
    >>> scores = Scores(arc=[[0, 2.0], [0, 0]], label=np.log([[[1, 1], [1, 4]], [[1, 1], [1, 1]]]))
    >>> np.exp(Calibration(relations=0.5).of_parts(scores).label[0, 1]).round(3)
    array([0.059, 0.941])
    """

    heads: float = 1.0
    relations: float = 1.0
    trees: float = 1.0

    def __post_init__(self) -> None:
        if not all(temperature > 0 for temperature in (self.heads, self.relations, self.trees)):
            raise ValueError(f"temperatures must be positive: {self}")

    @classmethod
    def restore(cls, manifest: Manifest) -> Self:
        """Read the temperatures from a model file; older files have one for everything."""
        if "calibration" in manifest:
            return cls(**{name: float(value) for name, value in manifest["calibration"].items()})
        temperature = float(manifest.get("temperature", 1.0))
        return cls(temperature, temperature, temperature)

    def of_parts(self, scores: Scores) -> Scores:
        """Return scores whose marginals are the probabilities of arcs and relations.

        The exponentials of the label scores sum to one on each arc.
        """
        if scores.label is None:
            return scores.scaled(1 / self.heads)
        label = scores.label.astype(np.float64) / self.relations
        totals = reduced(label, "sum")
        with np.errstate(all="ignore"):  # entries that are no arcs may hold anything
            arc = (scores.arc + self.relations * totals) / self.heads
            label -= np.where(totals > -np.inf, totals, 0.0)[..., None]
        larger: dict[str, Any] = {
            name: array * array.dtype.type(1 / self.heads) for name, array in scores.higher.items()
        }
        return replace(scores, arc=arc, label=label, **larger)

    def of_trees(self, scores: Scores) -> Scores:
        """Return scores under which whole trees have their probabilities."""
        return scores.scaled(1 / self.trees)


class Example(NamedTuple):
    """The scores of a sentence, with its correct heads and relations: -1 where the model does not know one."""

    scores: Scores
    heads: Heads
    labels: Heads


def fit_calibration(trees: Trees, examples: Sequence[Example], threads: int | None = None) -> Calibration:
    """Fit the temperatures to sentences that the scores were not learned from."""
    relations = _fit_relations(examples)

    def heads_loss(factor: float) -> float:
        calibration = Calibration(1 / factor, relations)

        def one(example: Example) -> float:
            marginals = trees.marginals(replace(calibration.of_parts(example.scores), label=None))
            return -float(np.log(np.maximum(marginals.of_arcs(example.heads), SMALLEST)).sum())

        return sum(in_order(one, examples, threads))

    judged = [_best_tree(trees, example) for example in examples]

    def trees_loss(factor: float) -> float:
        def one(best: tuple[Scores, float, bool]) -> float:
            scores, score, is_right = best
            probability = np.exp(score * factor - trees.log_partition(scores.scaled(factor)))
            return -float(np.log(max(probability if is_right else 1 - probability, SMALLEST)))

        return sum(in_order(one, judged, threads))

    return Calibration(fit_temperature(heads_loss), relations, fit_temperature(trees_loss))


def _best_tree(trees: Trees, example: Example) -> tuple[Scores, float, bool]:
    """Find the best tree of an example: its scores, the score of the tree, and whether the tree is right."""
    parse = trees.argmax(example.scores)
    is_right = np.array_equal(parse.heads[1:], example.heads[1:])
    if parse.labels is not None:
        is_right = is_right and np.array_equal(parse.labels[1:], example.labels[1:])
    return example.scores, trees.score(example.scores, parse.heads, parse.labels), is_right


def _fit_relations(examples: Sequence[Example]) -> float:
    """Fit the temperature of relations on correct arcs; 1 where relations are not predicted."""
    found = [_of_correct_arcs(example) for example in examples if example.scores.label is not None]
    if not sum(len(labels) for _, labels in found):
        return 1.0
    rows, labels = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    margins = rows - rows[np.arange(len(rows)), labels][:, None]
    return fit_temperature(lambda factor: float(reduced(margins * factor, "sum").sum()))


def _of_correct_arcs(example: Example) -> tuple[Floats, Heads]:
    """Return the label scores of the correct arcs that survived pruning, and the correct labels."""
    known = (example.scores.of_arcs(example.heads) > -np.inf) & (example.labels[1:] >= 0)
    rows = label_rows(example.scores, example.heads)
    return rows[known].astype(np.float64), example.labels[1:][known]
