"""Bracket scores of several trees of one sentence, from which rerankers learn."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treewright.errors import UsageError
from treewright.evaluation.brackets import COLLINS, BracketRules, brackets_of, describe_difference, simplify_system
from treewright.evaluation.score import Score
from treewright.treebank import ConstituentTree, simplify

__all__ = ["score_alternatives"]


def score_alternatives(
    gold: ConstituentTree, trees: Iterable[ConstituentTree], rules: BracketRules = COLLINS
) -> list[Score]:
    """Score each of several trees of the same sentence, as `evaluate_brackets` does.

    A sentence of only punctuation, which is not counted there, has no brackets here.

    Raises
    ------
    UsageError
        If the words of a tree differ from those of the gold standard.

    Examples
    --------
    >>> gold = ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow) (ADVP (RB slowly))))")
    >>> flat = ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow) (NN slowly)))")
    >>> score_alternatives(gold, [gold, flat])
    [Score(correct=4, gold=4, system=4), Score(correct=3, gold=4, system=3)]
    """
    reference = simplify(gold, empty=rules.empty)
    kept = [] if reference is None else [tag not in rules.deleted for tag in reference.tags]
    places = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
    brackets = None if reference is None else brackets_of(reference, places, rules)
    scores = []
    for tree in trees:
        other = simplify_system(tree, reference, rules)
        words = [() if side is None else side.words for side in (reference, other)]
        if words[0] != words[1]:
            raise UsageError(describe_difference(*words))
        if brackets is None or other is None:
            scores.append(Score(0, 0, 0))
            continue
        found = brackets_of(other, places, rules)
        scores.append(Score((brackets & found).total(), brackets.total(), found.total()))
    return scores
