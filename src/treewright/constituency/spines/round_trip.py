"""What is lost between a tree, its derivation and the tree of that (Carreras, Collins and Koo 2008, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from treewright.constituency.spines.derivation import Derivation
from treewright.constituency.spines.extraction import Levels, extract_derivation
from treewright.constituency.spines.recovery import build_tree
from treewright.constituency.spines.spines import SpineTable
from treewright.evaluation import BracketRules, BracketScores, evaluate_brackets
from treewright.treebank import ConstituentTree, HeadRules, simplify
from treewright.treebank.constituents.simplification import EmptyElements

__all__ = ["RoundTrip", "round_trip"]


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """What came back of some trees.

    Attributes
    ----------
    trees, identical : int
        How many there are, and how many came back as they were, punctuation and all.
    scores : BracketScores
        The trees that came back, scored against the trees as EVALB does.
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
        They are simplified first; those without words are left out.
    rules : HeadRules or str
        What tells the heads; a name is that of rules which come with the package.
    levels : {"flat", "all"}
        Whether to give up levels that r-adjunction cannot bring back; see `extract_derivation`.
    empty : {"penn", "historical", "keep"}
        What counts as an empty element; see `treewright.treebank.simplify`.
    table : SpineTable, optional
        Where spines have their numbers; an empty one unless given.

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
