"""From scores that rank trees to probabilities that hold: three temperatures.

A tree is scored as a whole, but people ask about its parts, and errors come in clusters; so one distribution does not
answer every question well.  There are two, both exact distributions over all trees of a sentence, by the same programs.

- *Arcs and relations.*  The scores of the relations l of an arc (h, m) are divided by a temperature of their own, σ,
  and the arc competes by what all of them are worth together:

      P(l | h, m) = exp(label(h, m, l) / σ) / Z(h, m),    arc'(h, m) = (arc(h, m) + σ log Z(h, m)) / τ

  This is the nested logit model (McFadden 1978).  With τ = σ = 1 it is the log-linear model of labelled trees; as σ → 0
  an arc counts as much as its best relation, which is what margin-based learners train.
- *Whole trees.*  P(t) ∝ exp(score(t) / θ).  The ranking of trees is that of their scores, and the sum over all is one.

`treewright.dependency.temperatures` fits the temperatures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from treewright.inference import Scores
from treewright.inference.labels import reduced
from treewright.model import Manifest

__all__ = ["Calibration"]


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
