"""The best tree of a sentence under the scores of a model, by what it takes to find it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.features import DependencyFeatures, Weights
from treewright.features.hooks import proposal
from treewright.inference import DualDecomposition, Factors, Parse, Scores, Trees
from treewright.inference.bounds.non_local import Proposer
from treewright.treebank import Sentence

if TYPE_CHECKING:
    from treewright.inference import BoundedParse

__all__ = ["MOST_NODES", "best_tree", "best_with_factors"]


#: Nodes of branch and bound at most, unless the best tree is asked for however long it takes.
MOST_NODES = 100

#: How far from a whole number a score may be, in units of the resolution, to be one that rounding has moved.
ROUNDED = 0.05


def best_tree(
    trees: Trees,
    features: DependencyFeatures,
    weights: Weights,
    hooks: Sequence[Proposer],
    sentence: Sentence,
    scores: Scores,
    exact: bool,
) -> Parse:
    """Find the best tree by a dynamic program, dual decomposition, or branch and bound."""
    if features.has_factors or hooks:
        assert scores.parts is not None
        proposed = proposal(hooks, sentence, scores.parts, features.settings.hooks)
        factors = features.factors(features.hash(sentence), weights, scores.parts, proposed)
        return best_with_factors(trees, weights, scores, factors, None if exact else MOST_NODES)
    if exact and trees.is_hard:
        return DualDecomposition(trees, exact=True).argmax(scores)
    return trees.argmax(scores)


def best_with_factors(
    trees: Trees, weights: Weights, scores: Scores, factors: Factors, max_nodes: int | None
) -> BoundedParse:
    """Find the best tree under parts and factors.

    If the weights are whole multiples of a number, so are the scores of trees, and bounds may be rounded down to such
    multiples (Qian & Liu 2013, section 4.4).  Those of a perceptron in training are whole numbers; those of a finished
    model are rounded to one byte, that is, to multiples of their scale.  Scores are counted in units of that number
    then, which also undoes the rounding of float32.
    """
    from treewright.inference import BranchAndBound  # few models need it

    unit = weights.resolution
    whole = None if unit is None else _in_units(scores, factors, unit)
    if unit is None or whole is None:
        return BranchAndBound(trees, max_nodes=max_nodes).argmax(scores, factors)
    parse = BranchAndBound(trees, max_nodes=max_nodes, resolution=1.0).argmax(*whole)
    return replace(parse, score=parse.score * unit, gap=parse.gap * unit)


def _in_units(scores: Scores, factors: Factors, unit: float) -> tuple[Scores, Factors] | None:
    """Count scores in units; None if something else has been added to them, such as costs or the scores of hooks."""
    counted: dict[str, Any] = {}
    for name, array in scores.arrays.items():
        counted[name] = _counted(array, unit)
    counts = _counted(factors.scores, unit)
    if counts is None or any(array is None for array in counted.values()):
        return None
    return replace(scores, **counted), factors.scored(counts)


def _counted(array: npt.NDArray[Any], unit: float) -> npt.NDArray[np.float64] | None:
    units = array.astype(np.float64) / unit
    with np.errstate(invalid="ignore"):
        whole = np.rint(units)
        is_whole = not (np.abs(units - whole) > ROUNDED).any()  # what is forbidden stays so
    return whole if is_whole else None
