"""What is lost from a tree to its derivation and back (Carreras, Collins and Koo 2008, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from treewright.constituency.spines.derivation import Derivation
from treewright.constituency.spines.extraction import Levels, extract_derivation
from treewright.constituency.spines.recovery import build_tree
from treewright.constituency.spines.spines import SpineTable
from treewright.evaluation import BracketRules, BracketScores, evaluate_brackets
from treewright.options import EmptyElements
from treewright.treebank import ConstituentTree, HeadRules, simplify

__all__ = ["RoundTrip", "round_trip"]


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """How well trees were rebuilt from their derivations.

    Attributes
    ----------
    trees, identical : int
        The number of trees, and of those rebuilt exactly, punctuation included.
    scores : BracketScores
        The rebuilt trees, scored against the original ones as by EVALB.
    derivations : list of Derivation
    table : SpineTable
        Their spines.
    """

    trees: int
    identical: int
    scores: BracketScores
    derivations: list[Derivation]
    table: SpineTable


def round_trip(
    trees: Iterable[ConstituentTree],
    rules: HeadRules | str = "collins",
    *,
    levels: Levels = "flat",
    empty: EmptyElements = "penn",
    table: SpineTable | None = None,
) -> RoundTrip:
    """Turn trees into derivations and back, and compare.

    Parameters
    ----------
    trees : iterable of ConstituentTree
        They are simplified first; those without words are skipped.
    rules : HeadRules or str
        Head rules, or the name of rules that come with the package.
    levels : {"flat", "all"}
        What to do with levels that r-adjunction cannot rebuild; see `extract_derivation`.
    empty : {"penn", "historical", "keep"}
        What counts as an empty element; see `treewright.treebank.simplify`.
    table : SpineTable, optional
        The numbers of spines; empty by default.

    Examples
    --------
    >>> trees = ["(S (NP (PRP I)) (VP (VP (VBD ran)) (ADVP (RB on))))", "(NP (NP (NN rain)))"]
    >>> found = round_trip(map(ConstituentTree.from_string, trees))
    >>> found.identical, found.scores.brackets
    (1, Score(correct=6, gold=7, system=6))
    """
    table = SpineTable() if table is None else table
    gold = [simple for tree in trees if (simple := simplify(tree, empty=empty)) is not None]
    derivations = [extract_derivation(tree, rules, table, levels=levels) for tree in gold]
    back = [build_tree(derivation, table) for derivation in derivations]
    identical = sum(one == other for one, other in zip(gold, back, strict=True))
    scores = evaluate_brackets(gold, back, BracketRules(empty=empty)).all
    return RoundTrip(len(gold), identical, scores, derivations, table)
