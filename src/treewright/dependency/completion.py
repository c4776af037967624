"""Trees around given heads that no tree of a model has, such as arcs that cross in a projective one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treewright.arrays import Floats
from treewright.dependency.probabilities import find_marginals
from treewright.dependency.search import Scoring, score_sentence
from treewright.inference import Constraints, Parse, Parts, Scores, Trees
from treewright.inference.labels import best_labels
from treewright.inference.problem import NoTreeError
from treewright.treebank import Sentence

__all__ = ["is_possible", "tree_around", "with_own_relations"]


def is_possible(trees: Trees, sentence: Sentence) -> bool:
    """Return whether some tree has the heads that a sentence has.

    Examples
    --------
    >>> crossing = Sentence.from_forms(["a", "b", "c", "d"], heads=[3, 4, -1, -1])
    >>> is_possible(Trees(), crossing), is_possible(Trees(projective=False), crossing)
    (False, True)
    """
    n = len(sentence)
    arcs = Scores(arc=np.zeros((n + 1, n + 1)), fixed_heads=sentence.rooted_heads())
    try:
        Trees(trees.projective, trees.single_root).argmax(arcs)
    except NoTreeError:
        return False
    return True


def tree_around(model: Scoring, sentence: Sentence, known: Constraints) -> Parse:
    """Find a tree with the heads that a tagged sentence has, of whatever kind.

    The others are chosen so that the expected number of correct arcs is highest under the model without these heads; or
    the sum of arc scores, where probabilities are intractable.  There is no certificate.

    Raises
    ------
    NoTreeError
        If the heads form a cycle.
    """
    arc, heads = _arc_values(model, sentence), sentence.rooted_heads()
    roots = heads[1:] == 0
    allowed = np.ones(arc.shape, bool)
    if roots.any():
        allowed[0, 1:] = roots
    several = np.count_nonzero(roots) > 1 or not model.trees.single_root
    parse = Trees(False, not several).argmax(Scores(arc=arc, allowed=allowed, fixed_heads=heads))
    allowed[:] = False
    allowed[parse.heads[1:], np.arange(1, len(heads))] = True
    scores = model.scorer.score(sentence, Parts(allowed, projective=model.trees.projective))
    labelled = replace(Constraints(), labels=known.labels).of_arcs(scores)
    return replace(parse, labels=best_labels(labelled, parse.heads), certificate=False)


def _arc_values(model: Scoring, sentence: Sentence) -> Floats:
    """Return what each arc is worth, in a matrix."""
    scores = score_sentence(model, sentence, Constraints(), model.pruner)
    if not model.trees.is_hard:
        scores = find_marginals(model.trees, model.calibration.of_parts(scores))
    if scores.parts is None:
        return np.where(scores.arc > -np.inf, scores.arc, 0.0).astype(np.float64)
    worst = 2 * float(scores.arc.min()) - float(scores.arc.max())  # of arcs that were pruned
    values = np.full((len(sentence) + 1,) * 2, min(worst, 0.0))
    values[tuple(scores.parts.arc.T)] = scores.arc
    return values


def with_own_relations(tree: Sentence, original: Sentence) -> Sentence:
    """Return a parsed sentence with the relations that it had before, where it had one."""
    pairs = zip(original.deprels, tree.deprels, strict=True)
    return tree.replace(deprels=[own if own != "_" else found for own, found in pairs])
