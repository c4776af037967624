"""Kinds of trees: what listing candidates has to know of constituents and of dependencies."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from treewright.errors import UsageError
from treewright.evaluation import COLLINS, BracketRules, score_alternatives
from treewright.treebank import ConstituentTree, Sentence, format_sentence, format_tree, read_string, read_trees_string

__all__ = ["Constituents", "Dependencies", "Kind"]

S = TypeVar("S")
T = TypeVar("T")


class Kind(Generic[S, T]):
    """A kind of trees T, over sentences S."""

    def sentence(self, gold: T) -> S:
        """Give what a parser may see of a gold tree."""
        raise NotImplementedError

    def key(self, tree: T) -> Hashable:
        """Give what two trees have in common when, and only when, they are duplicates."""
        raise NotImplementedError

    def score(self, gold: T, trees: Sequence[T]) -> tuple[list[float], int]:
        """Give the accuracy of each tree, from 0 to 1, and what it is multiplied with to give its score."""
        raise NotImplementedError

    def format(self, tree: T) -> str:
        """Write a tree down."""
        raise NotImplementedError

    def read(self, text: str) -> T:
        """Read it again."""
        raise NotImplementedError

    def content(self, tree: T) -> str:
        """Write down all that can be learned from a tree."""
        return self.format(tree)


@dataclass(frozen=True)
class Constituents(Kind[Sequence[str], ConstituentTree]):
    """Constituent trees over words, scored by F1 of brackets times the number of gold constituents (section 5.1).

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow)))")
    >>> Constituents().sentence(tree)
    ('Trees', 'grow')
    >>> Constituents().score(tree, [tree, ConstituentTree.from_string("(S (NNS Trees) (VP (VBP grow)))")])
    ([1.0, 0.8], 3)
    """

    rules: BracketRules = COLLINS

    def sentence(self, gold: ConstituentTree) -> Sequence[str]:
        """Give the words: tags are for the parser to find."""
        return gold.words

    def key(self, tree: ConstituentTree) -> Hashable:
        """Compare labels, tags and shape."""
        return tree

    def score(self, gold: ConstituentTree, trees: Sequence[ConstituentTree]) -> tuple[list[float], int]:
        """Give the F1 of each tree, and the number of gold constituents; a tree without any has 0 (footnote 14)."""
        scores = score_alternatives(gold, trees, self.rules)
        return [score.f1 / 100 for score in scores], scores[0].gold if scores else 0

    def format(self, tree: ConstituentTree) -> str:
        """Write one line of brackets."""
        return format_tree(tree)

    def read(self, text: str) -> ConstituentTree:
        """Read a line of brackets; words may have spaces in them."""
        return read_trees_string(text, spaces="keep")[0]


@dataclass(frozen=True)
class Dependencies(Kind[Sentence, Sentence]):
    """Dependency trees, scored by the number of words with the right head, and with the right relation.

    Attributes
    ----------
    relations : bool
        Whether relations count as well, as in LAS; without, heads alone, as in UAS.

    Examples
    --------
    >>> gold = Sentence.from_forms(["We", "plant", "trees"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"])
    >>> Dependencies().score(gold, [gold, gold.replace(deprels=["nsubj", "root", "iobj"])])[0][1] * 3
    2.0
    """

    relations: bool = True

    def sentence(self, gold: Sentence) -> Sentence:
        """Take out heads and relations; tags and lemmas stay, for a parser that is given them."""
        blank = ("_",) * len(gold)
        columns = {name: getattr(gold, name) for name in ("lemmas", "upos", "xpos", "feats")}
        return Sentence.from_forms(gold.forms, deprels=blank, **columns)

    def key(self, tree: Sentence) -> Hashable:
        """Compare heads and relations; tags are the same for all trees of a sentence."""
        return tree.heads.tobytes(), tuple(tree.deprels)

    def score(self, gold: Sentence, trees: Sequence[Sentence]) -> tuple[list[float], int]:
        """Give the share of right words of each tree, and the number of words."""
        n = len(gold)
        shares = []
        for tree in trees:
            if list(tree.forms) != list(gold.forms):
                raise UsageError("a candidate has other words than the gold standard; parse the words as they are")
            right = tree.heads == gold.heads
            if self.relations:
                right &= np.array([one == two for one, two in zip(tree.deprels, gold.deprels, strict=True)], bool)
            shares.append(int(np.count_nonzero(right)) / n if n else 0.0)
        return shares, n

    def format(self, tree: Sentence) -> str:
        """Write CoNLL-U, with words, tags, heads and relations alone; without the blank line that ends a sentence."""
        columns = {name: getattr(tree, name) for name in ("upos", "xpos", "heads", "deprels")}
        return format_sentence(Sentence.from_forms(tree.forms, **columns)).rstrip("\n") + "\n"

    def read(self, text: str) -> Sentence:
        """Read CoNLL-U."""
        return read_string(text + "\n")[0]

    def content(self, tree: Sentence) -> str:
        """Write all columns."""
        return format_sentence(tree, tree.format)
