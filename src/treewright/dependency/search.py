"""The best tree of a sentence under the scores of a model, by what it takes to find it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from treewright.dependency.annotation import constraints_in
from treewright.dependency.calibration import Calibration
from treewright.dependency.pruning import Cascade
from treewright.features import Scorer
from treewright.features.hooks import proposal
from treewright.inference import ConstrainedTrees, Constraints, Factors, Parse, Parts, Scores, Trees
from treewright.inference.bounds.non_local import Proposer
from treewright.inference.branching import Search
from treewright.inference.parts import all_parts
from treewright.inference.problem import NoTreeError
from treewright.treebank import Sentence

if TYPE_CHECKING:
    from treewright.inference import BoundedParse

__all__ = ["MOST_NODES", "best_tree", "best_with_factors", "known_of", "score_sentence", "searched", "summable"]

R = TypeVar("R")

#: That nothing is known of a tree.
NOTHING = Constraints()


#: Nodes of branch and bound at most, unless the best tree is asked for however long it takes.
MOST_NODES = 100

#: How far from a whole number a score may be, in units of the resolution, to be one that rounding has moved.
ROUNDED = 0.05


class Scoring(Protocol):
    """What a parser scores sentences by."""

    scorer: Scorer
    trees: Trees
    pruner: Cascade | None
    calibration: Calibration
    hooks: list[Proposer]
    at_most_one: Sequence[str]


def known_of(
    model: Scoring, sentence: Sentence, fix_heads: bool, constraints: Constraints | None = None, obey: bool = False
) -> Constraints:
    """Return all that must hold of a tree: what is asked for, heads and relations that are kept, rules of the model."""
    if not (model.at_most_one or fix_heads or constraints or obey):
        return NOTHING
    known = Constraints(at_most_one=model.at_most_one) | (constraints or NOTHING)
    if obey:
        known |= constraints_in(sentence)
    if fix_heads:
        heads, names = sentence.heads.tolist(), set(model.scorer.labels)
        known |= Constraints(
            required=[(head, word) for word, head in enumerate(heads, 1) if head >= 0],
            labels=[(None, word, relation) for word, relation in enumerate(sentence.deprels, 1) if relation in names],
        )
    return known.numbered(model.scorer.labels)


def score_sentence(model: Scoring, sentence: Sentence, known: Constraints, pruner: Cascade | None) -> Scores:
    """Score the parts of a sentence that survive pruning, in which arcs count that are known."""
    parts = None
    if pruner is not None:
        parts = Parts(pruner.allowed(sentence, known), projective=model.trees.projective)
    elif model.hooks:
        parts = all_parts(len(sentence))
    return model.scorer.score(sentence, parts)


def searched(model: Scoring, sentence: Sentence, known: Constraints, search: Callable[[Scores], R]) -> tuple[Scores, R]:
    """Score a sentence and search; once more with as many arcs as possible if all trees that obey were pruned."""
    scores = score_sentence(model, sentence, known, model.pruner)
    try:
        return scores, search(scores)
    except NoTreeError:
        if model.pruner is None or not known:
            raise
    scores = score_sentence(model, sentence, known, model.pruner.with_limits(beam=0.0))
    return scores, search(scores)


def summable(trees: Trees, known: Constraints) -> Trees | ConstrainedTrees:
    """Return the trees over which probabilities are computed: constraints on several arcs are intractable."""
    known = replace(known, at_most_one=(), projective=())
    return ConstrainedTrees(trees, known) if known else trees


def best_tree(
    model: Scoring,
    sentence: Sentence,
    scores: Scores,
    exact: bool,
    known: Constraints,
    time_limit: float = math.inf,
) -> Parse:
    """Find the best tree that obeys, by a dynamic program, dual decomposition, or branch and bound."""
    trees, scorer = model.trees, model.scorer
    search: Search | None = None
    if scorer.has_factors or model.hooks:
        assert scores.parts is not None
        proposed = proposal(model.hooks, sentence, scores.parts, scorer.hooks)
        factors = scorer.factors(sentence, scores.parts, proposed)

        def with_factors(scores: Scores) -> Parse:
            most = None if exact else MOST_NODES
            return best_with_factors(trees, scorer.resolution, scores, factors, most, time_limit)

        search = with_factors
    elif exact and trees.is_hard:
        from treewright.inference import DualDecomposition

        search = DualDecomposition(trees, exact=True, time_limit=time_limit).argmax
    if known:
        return ConstrainedTrees(trees, known, time_limit).argmax(scores, search)
    return (search or trees.argmax)(scores)


def best_with_factors(
    trees: Trees,
    unit: float | None,
    scores: Scores,
    factors: Factors,
    max_nodes: int | None,
    time_limit: float = math.inf,
) -> BoundedParse:
    """Find the best tree under parts and factors.

    If the weights are whole multiples of a unit, so are the scores of trees, and bounds may be rounded down to such
    multiples (Qian & Liu 2013, section 4.4).  Those of a perceptron in training are whole numbers; those of a finished
    model are rounded to one byte, that is, to multiples of their scale.  Scores are counted in units of that number
    then, which also undoes the rounding of float32.
    """
    from treewright.inference import BranchAndBound  # few models need it

    seconds = time_limit if time_limit < math.inf else None
    whole = None if unit is None else _in_units(scores, factors, unit)
    if unit is None or whole is None:
        return BranchAndBound(trees, max_nodes=max_nodes, time_limit=seconds).argmax(scores, factors)
    solver = BranchAndBound(trees, max_nodes=max_nodes, time_limit=seconds, resolution=1.0)
    parse = solver.argmax(*whole)
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
