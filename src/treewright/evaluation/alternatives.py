"""Bracket scores of several trees of one sentence, from which rerankers learn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from treewright.errors import UsageError
from treewright.evaluation.brackets import (
    COLLINS,
    Bracket,
    BracketRules,
    brackets_of,
    describe_difference,
    simplify_system,
)
from treewright.evaluation.score import Score
from treewright.treebank import ConstituentTree, simplify

__all__ = ["score_alternatives", "scored_brackets"]


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
    brackets, *others = scored_brackets(gold, (gold, *trees), rules)
    return [Score((brackets & found).total(), brackets.total(), found.total()) for found in others]


def scored_brackets(
    gold: ConstituentTree, trees: Iterable[ConstituentTree], rules: BracketRules = COLLINS
) -> Iterator[Counter[Bracket]]:
    """Count the brackets that the score of each tree depends on; see `score_alternatives`."""
    reference = simplify(gold, empty=rules.empty)
    kept = [] if reference is None else [tag not in rules.deleted for tag in reference.tags]
    places = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
    for tree in trees:
        other = simplify_system(tree, reference, rules)
        words = [() if side is None else side.words for side in (reference, other)]
        if words[0] != words[1]:
            raise UsageError(describe_difference(*words))
        yield Counter() if other is None else brackets_of(other, places, rules)
