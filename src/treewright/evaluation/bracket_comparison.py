"""Comparing the brackets of two systems on the same gold standard."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from treewright.evaluation.bootstrap import Bootstrap, paired_bootstrap, percent_f1
from treewright.evaluation.brackets import COLLINS, BracketRules, count_brackets
from treewright.evaluation.result import Plain
from treewright.evaluation.score import Score
from treewright.evaluation.significance import PairedTest, paired_test
from treewright.treebank import ConstituentTree

__all__ = ["BracketComparison", "compare_brackets"]


@dataclass(frozen=True, slots=True)
class BracketComparison(Plain):
    """The scores and tests of `compare_brackets`."""

    sentences: int  # how many are scored
    a: Score  # the brackets of the first system
    b: Score  # and those of the second
    f1: PairedTest  # on the F1 of each sentence
    bootstrap: Bootstrap  # on the F1 of the corpus


def compare_brackets(
    gold: Iterable[ConstituentTree],
    a: Iterable[ConstituentTree],
    b: Iterable[ConstituentTree],
    rules: BracketRules = COLLINS,
) -> BracketComparison:
    """Compare the brackets of two systems; for the arguments and errors see `evaluate_brackets`.

    Examples
    --------
    >>> gold = ConstituentTree.from_string("(S (NP (PRP I)) (VP (VBD ran)))")
    >>> flat = ConstituentTree.from_string("(S (PRP I) (VBD ran))")
    >>> comparison = compare_brackets([gold] * 8, [gold] * 8, [gold] * 2 + [flat] * 6)
    >>> comparison.f1.better, comparison.f1.sign_p, comparison.bootstrap.p < 0.05
    (6, 0.03125, True)
    """
    gold = list(gold)
    first, second = count_brackets(gold, a, rules), count_brackets(gold, b, rules)
    return BracketComparison(
        len(first),
        Score(*first.sum(0).tolist()),
        Score(*second.sum(0).tolist()),
        paired_test(percent_f1(first), percent_f1(second)),
        paired_bootstrap(first, second),
    )
