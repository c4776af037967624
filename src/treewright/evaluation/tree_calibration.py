"""Calibration of constituent trees: of those that are stated with probability 0.9, nine in ten should be correct.

A tree is correct if all its phrases are, whatever the tags of its words.  Punctuation and the top of the tree count:
the probability is that of the whole tree, and EVALB leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from treewright.errors import UsageError
from treewright.evaluation.brackets import BracketRules, describe_difference, simplify_system
from treewright.evaluation.reliability import Calibration, judge_confidences
from treewright.options import EmptyElements
from treewright.treebank import ConstituentTree, simplify

__all__ = ["has_same_phrases", "measure_tree_calibration"]


def measure_tree_calibration(
    gold: Iterable[ConstituentTree],
    system: Iterable[ConstituentTree],
    probabilities: Sequence[float],
    empty: EmptyElements = "penn",
) -> Calibration:
    """Compare the probabilities of constituent trees with what is correct.

    Parameters
    ----------
    gold, system : iterable of ConstituentTree
        The same sentences with the same words, apart from empty elements.
    probabilities : sequence of float
        Those of the trees of the system, such as `treewright.parsing.Ranked.probability`.
    empty : {"penn", "historical", "keep"}
        What counts as an empty element; see `treewright.treebank.simplify`.

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (PRP I)) (VP (VBD saw) (NP (NN art))))")
    >>> other = ConstituentTree.from_string("(S (NP (PRP I)) (VP (VBD saw) (NN art)))")
    >>> calibration = measure_tree_calibration([tree, tree], [tree, other], [0.75, 0.25])
    >>> calibration.accuracy, calibration.ece
    (0.5, 0.25)
    """
    gold, system = list(gold), list(system)
    if not len(gold) == len(system) == len(probabilities):
        raise UsageError(
            f"the gold standard has {len(gold)} trees, the system {len(system)}, with {len(probabilities)} "
            "probabilities: there must be one tree and one probability for each gold tree"
        )
    rules, correct, stated, words = BracketRules(empty=empty), [], [], 0
    for number, (one, other, probability) in enumerate(zip(gold, system, probabilities, strict=True), 1):
        reference = simplify(one, empty=empty)
        tree = simplify_system(other, reference, rules)
        if reference is None or tree is None:
            continue
        if reference.words != tree.words:
            raise UsageError(f"tree {number}: {describe_difference(reference.words, tree.words)}")
        words += len(reference)
        correct.append(has_same_phrases(reference, tree))
        stated.append(probability)
    if not correct:
        raise UsageError("there is nothing to evaluate: the gold standard has no words")
    measures = judge_confidences(np.array(stated), np.array(correct))
    return Calibration(len(correct), words, words, punctuation="keep", of="trees", **measures)


def has_same_phrases(one: ConstituentTree, other: ConstituentTree) -> bool:
    """Return whether two trees over the same words are equal, tags aside."""
    if not np.array_equal(one.parents, other.parents):
        return False
    return all(a == b or leaf for a, b, leaf in zip(one.labels, other.labels, one.is_leaf, strict=True))
