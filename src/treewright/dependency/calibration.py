"""From scores that rank trees to probabilities that hold: temperatures.

A tree is scored as a whole, but people ask about its parts, and errors come in clusters; so one distribution does not
answer every question well.  There are two, both exact distributions over all trees of a sentence, by the same programs.

- *Arcs and relations.*  The scores of the relations l of an arc (h, m) are divided by a temperature of their own, σ,
  and the arc competes by what all of them are worth together:

      P(l | h, m) = exp(label(h, m, l) / σ) / Z(h, m),    arc'(h, m) = (arc(h, m) + σ log Z(h, m)) / τ

  This is the nested logit model (McFadden 1978).  With τ = σ = 1 it is the log-linear model of labelled trees; as σ → 0
  an arc counts as much as its best relation, which is what margin-based learners train.
- *Whole trees.*  P(t) ∝ exp(score(t) / θ).  The ranking of trees is that of their scores, and the sum over all is one.
  A tree is found for the best tags, and if these are wrong, so may be the tree.  Therefore what is stated is
  P(t) P(tags)ᵞ, where P(tags) is the product of the probabilities of the predicted tags (UPOS), and γ is between 0 (the
  tags do not matter) and 1 (every wrong tag spoils the tree).  All trees of a sentence sum to P(tags)ᵞ; the rest is the
  probability that the right tree is found only with other tags.

Each of τ, σ and θ may be a mixture of temperatures (`treewright.parsing.mixture.Mixture`): P(l | h, m) is then an
average over σ, and so is σ log Z(h, m); the marginals of arcs are averages over τ; and P(t) is one over θ.

`treewright.dependency.temperatures` fits the temperatures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np

from treewright.arrays import Floats
from treewright.inference import Scores
from treewright.inference.labels import reduced
from treewright.model import Manifest
from treewright.parsing.mixture import UNIT, Mixture

__all__ = ["Calibration", "Weighted", "log_product"]

#: The smallest probability of a tag in a product.
SMALLEST = 1e-6


#: A distribution over trees as an average of several: the share of each, and its scores.
Weighted: TypeAlias = list[tuple[float, Scores]]


@dataclass(frozen=True)
class Calibration:
    """The temperatures by which scores become probabilities.

    Attributes
    ----------
    heads, relations, trees : Mixture
        Those of heads (τ), of relations given heads (σ), and of whole trees (θ).
    tags : float
        γ, the power of the probability of predicted tags that the probability of a tree is multiplied by.

    Examples
    --------
    >>> scores = Scores(arc=[[0, 2.0], [0, 0]], label=np.log([[[1, 1], [1, 4]], [[1, 1], [1, 1]]]))
    >>> [(share, distribution)] = Calibration.of(relations=0.5).of_parts(scores)
    >>> np.exp(distribution.label[0, 1]).round(3)
    array([0.059, 0.941])
    """

    heads: Mixture = UNIT
    relations: Mixture = UNIT
    trees: Mixture = UNIT
    tags: float = 0.0

    @classmethod
    def of(cls, heads: float = 1.0, relations: float = 1.0, trees: float = 1.0) -> Self:
        """Make a calibration of single temperatures."""
        return cls(Mixture((heads,)), Mixture((relations,)), Mixture((trees,)))

    @classmethod
    def restore(cls, manifest: Manifest) -> Self:
        """Read the temperatures from a model file; older files have one for everything."""
        if "calibration" in manifest:
            mixtures = dict(manifest["calibration"])
            tags = float(mixtures.pop("tags", 0.0))  # which older files do not have
            return cls(**{name: Mixture.restore(value) for name, value in mixtures.items()}, tags=tags)
        temperature = float(manifest.get("temperature", 1.0))
        return cls.of(temperature, temperature, temperature)

    def describe(self) -> dict[str, Any]:
        """Describe the temperatures for a model file."""
        mixtures = {name: getattr(self, name).describe() for name in ("heads", "relations", "trees")}
        return {**mixtures, "tags": self.tags}

    def log_discount(self, tags: Floats | None) -> float:
        """Compute the logarithm of P(tags)ᵞ from the probability of each tag; 0 if none was predicted."""
        if tags is None or not self.tags:
            return 0.0
        return self.tags * log_product(tags)

    def of_parts(self, scores: Scores) -> Weighted:
        """Return scores whose marginals, averaged, are the probabilities of arcs and relations.

        The exponentials of the label scores sum to one on each arc.
        """
        arc, label = scores.arc, None
        if scores.label is not None:
            worth, label = _of_relations(scores.label.astype(np.float64), self.relations)
            with np.errstate(all="ignore"):  # entries that are no arcs may hold anything
                arc = scores.arc + worth
        found = []
        for temperature, share in self.heads:
            scaled = replace(scores, arc=arc, label=None).scaled(1 / temperature)
            found.append((share, replace(scaled, label=label)))
        return found

    def of_trees(self, scores: Scores) -> Weighted:
        """Return scores under which whole trees, on average, have their probabilities."""
        return [(share, scores.scaled(1 / temperature)) for temperature, share in self.trees]


def log_product(probabilities: Floats) -> float:
    """Compute the logarithm of a product of probabilities, none of which counts as less than one in a million."""
    return float(np.log(np.maximum(probabilities, SMALLEST)).sum())


def _of_relations(label: Floats, mixture: Mixture) -> tuple[Floats, Floats]:
    """Compute what all relations of each arc are worth together, and the log-probability of each of them."""
    worth, logs = np.zeros(label.shape[:-1]), None
    for temperature, share in mixture:
        scaled = label / temperature
        totals = reduced(scaled, "sum")
        with np.errstate(all="ignore"):
            worth += share * temperature * totals
            scaled += math.log(share) - np.where(totals > -np.inf, totals, 0.0)[..., None]
            logs = scaled if logs is None else np.logaddexp(logs, scaled)
    assert logs is not None
    return worth, logs
