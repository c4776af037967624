"""Kinds of trees: what listing candidates must know of constituents and of dependencies."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from treewright.errors import UsageError
from treewright.evaluation import COLLINS, BracketRules, score_alternatives
from treewright.evaluation.alternatives import scored_brackets
from treewright.treebank import ConstituentTree, Sentence, format_sentence, format_tree, read_string, read_trees_string

__all__ = ["Constituents", "Dependencies", "Kind"]

T = TypeVar("T")


class Kind(Generic[T]):
    """A kind of trees T."""

    def sentence(self, gold: T) -> Sentence:
        """Return the part of a gold tree that a parser may see."""
        raise NotImplementedError

    def key(self, tree: T) -> Hashable:
        """Return a key that is the same for two trees if and only if they are duplicates."""
        raise NotImplementedError

    def score(self, gold: T, trees: Sequence[T]) -> tuple[list[float], int]:
        """Return the accuracy of each tree, from 0 to 1, and the factor that turns accuracies into scores."""
        raise NotImplementedError

    def scored_keys(self, gold: T, trees: Sequence[T]) -> list[Hashable]:
        """Return a key of each tree that is the same for two trees if and only if no gold tree can tell them apart.

        Of ``gold`` only what decides which words count is used.
        """
        raise NotImplementedError

    def format(self, tree: T) -> str:
        """Write a tree as text."""
        raise NotImplementedError

    def read(self, text: str) -> T:
        """Read the text of a tree."""
        raise NotImplementedError

    def content(self, tree: T) -> str:
        """Write everything that can be learned from a tree."""
        return self.format(tree)

    def describe(self) -> str:
        """Return a text that is the same in every process for the same kind of trees, and for no other."""
        return repr(self)


@dataclass(frozen=True)
class Constituents(Kind[ConstituentTree]):
    """Constituent trees over words, scored by F1 of brackets times the number of gold constituents (section 5.1).

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow)))")
    >>> Constituents().sentence(tree).forms
    ('Trees', 'grow')
    >>> Constituents().score(tree, [tree, ConstituentTree.from_string("(S (NNS Trees) (VP (VBP grow)))")])
    ([1.0, 0.8], 3)
    """

    rules: BracketRules = COLLINS

    def sentence(self, gold: ConstituentTree) -> Sentence:
        """Return the words; tags are for the parser to find."""
        return Sentence.from_forms(gold.words)

    def key(self, tree: ConstituentTree) -> Hashable:
        """Compare labels, tags and shape."""
        return tree

    def score(self, gold: ConstituentTree, trees: Sequence[ConstituentTree]) -> tuple[list[float], int]:
        """Return the F1 of each tree (0 for a tree without constituents, footnote 14) and the gold constituents."""
        scores = score_alternatives(gold, trees, self.rules)
        return [score.f1 / 100 for score in scores], scores[0].gold if scores else 0

    def scored_keys(self, gold: ConstituentTree, trees: Sequence[ConstituentTree]) -> list[Hashable]:
        """Return the brackets of each tree that EVALB counts: tags and punctuation make no difference."""
        return [frozenset(brackets.items()) for brackets in scored_brackets(gold, trees, self.rules)]

    def format(self, tree: ConstituentTree) -> str:
        """Write one line of brackets."""
        return format_tree(tree)

    def read(self, text: str) -> ConstituentTree:
        """Read a line of brackets; words may have spaces in them."""
        return read_trees_string(text, spaces="keep")[0]

    def describe(self) -> str:
        """Return all rules in order; that of a set differs from process to process."""
        rules = self.rules
        return f"Constituents {sorted(rules.deleted)} {sorted(rules.equal.items())} {rules.empty}"


@dataclass(frozen=True)
class Dependencies(Kind[Sentence]):
    """Dependency trees, scored by the number of words with the correct head and relation.

    Attributes
    ----------
    relations : bool
        Whether relations count, as in LAS, or heads alone, as in UAS.

    Examples
    --------
    >>> gold = Sentence.from_forms(["We", "plant", "trees"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"])
    >>> Dependencies().score(gold, [gold, gold.replace(deprels=["nsubj", "root", "iobj"])])[0][1] * 3
    2.0
    """

    relations: bool = True

    def sentence(self, gold: Sentence) -> Sentence:
        """Remove heads and relations; tags and lemmas stay, for parsers that take them as given."""
        blank = ("_",) * len(gold)
        columns = {name: getattr(gold, name) for name in ("lemmas", "upos", "xpos", "feats")}
        return Sentence.from_forms(gold.forms, deprels=blank, **columns)

    def key(self, tree: Sentence) -> Hashable:
        """Compare heads and relations; tags are the same for all trees of a sentence."""
        return tree.heads.tobytes(), tuple(tree.deprels)

    def score(self, gold: Sentence, trees: Sequence[Sentence]) -> tuple[list[float], int]:
        """Return the share of correct words of each tree, and the number of words."""
        n = len(gold)
        shares = []
        for tree in trees:
            if list(tree.forms) != list(gold.forms):
                raise UsageError("a candidate has other words than its gold tree; parse the words of the gold tree")
            right = tree.heads == gold.heads
            if self.relations:
                right &= np.array([one == two for one, two in zip(tree.deprels, gold.deprels, strict=True)], bool)
            shares.append(int(np.count_nonzero(right)) / n if n else 0.0)
        return shares, n

    def scored_keys(self, gold: Sentence, trees: Sequence[Sentence]) -> list[Hashable]:
        """Return the heads of each tree, with relations if they count."""
        return [(tree.heads.tobytes(), tuple(tree.deprels) if self.relations else ()) for tree in trees]

    def format(self, tree: Sentence) -> str:
        """Write words, tags, heads and relations as CoNLL-U, without the blank line that ends a sentence."""
        columns = {name: getattr(tree, name) for name in ("upos", "xpos", "heads", "deprels")}
        return format_sentence(Sentence.from_forms(tree.forms, **columns)).rstrip("\n") + "\n"

    def read(self, text: str) -> Sentence:
        """Read CoNLL-U."""
        return read_string(text + "\n")[0]

    def content(self, tree: Sentence) -> str:
        """Write all columns."""
        return format_sentence(tree, tree.format)
