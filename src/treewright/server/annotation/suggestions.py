"""The best tree around what is known of a sentence, and how sure a parser is of each arc."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.arrays import Floats, Real
from treewright.dependency.parser import Parser
from treewright.dependency.probabilities import find_marginals
from treewright.errors import UsageError
from treewright.inference.problem import NoTreeError
from treewright.server.annotation.state import COLUMNS, Annotated
from treewright.treebank import Sentence

__all__ = ["Suggestion", "suggest"]

#: How many other heads and relations of a doubtful word are suggested.
ALTERNATIVES = 5


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A tree around what is known of a sentence.

    Attributes
    ----------
    tree : Sentence
        With all that is given, and what the parser fills in; with its probabilities, given what is given, in MISC.
    heads : float array, shape (n, n + 1), optional
        The probability of each head of each word, given only what an annotator has looked at; None where there is no
        parser, or its probabilities are intractable.
    relations : float array, optional
        The probability of the relation of each word, if the head is right.
    entropy : float
        That of the distribution over trees, in nats; NaN where there are no probabilities.
    """

    tree: Sentence
    heads: Floats | None = None
    relations: Floats | None = None
    entropy: float = math.nan

    @cached_property
    def correct(self) -> Floats | None:
        """The probability that head and relation of each word are right."""
        if self.heads is None:
            return None
        own = self.heads[np.arange(len(self.tree)), np.maximum(self.tree.heads, 0)]
        return own if self.relations is None else own * self.relations

    def expected_errors(self, open_words: Sequence[bool]) -> float:
        """Return how many of some words are expected to have a wrong head or relation."""
        return math.nan if self.correct is None else float((1 - self.correct)[np.asarray(open_words, bool)].sum())

    def margins(self) -> Floats | None:
        """Return by how much the best head of each word is more probable than the next."""
        if self.heads is None:
            return None
        best = np.sort(self.heads, axis=1)[:, ::-1]
        margins: Floats = best[:, 0] - best[:, 1]
        return margins


def suggest(parser: Parser | None, state: Annotated, columns: Collection[str] = COLUMNS) -> Suggestion:
    """Parse around what is known of a sentence; given cells never change, and only some columns are filled in.

    Without a parser, and for sentences that it refuses, nothing is suggested.  In FEATS, ``_`` stands for unknown
    features only at words that have no tag; at others it says that there are none.
    """
    if parser is None or not len(state.sentence) or len(state.sentence) > parser.MAX_WORDS:
        return Suggestion(state.sentence)
    sure = parser.has_probabilities
    try:
        tree = parser.parse_sentence(
            state.sentence, complete=True, confidence=sure, alternatives=ALTERNATIVES if sure else 0
        )
    except UsageError:  # it needs tags that the sentence does not have
        return Suggestion(state.sentence)
    tree = _with_settled(tree, state, columns)
    if not sure:
        return Suggestion(tree)
    heads, relations, entropy = _doubts(parser, tree, state)
    return Suggestion(tree, heads, relations, entropy)


def _with_settled(tree: Sentence, state: Annotated, columns: Collection[str]) -> Sentence:
    """Put back what is settled: columns that are left alone, and empty cells that are meant to be empty."""
    own = state.sentence
    confirmed = [status == "word" for status in state.status]
    tagged = [one != "_" or other != "_" for one, other in zip(own.upos, own.xpos, strict=True)]
    changed = {}
    for column, name in COLUMNS.items():
        if column != "head":
            settled = [done or (column == "feats" and tag) for done, tag in zip(confirmed, tagged, strict=True)]
            cells = zip(getattr(own, name), getattr(tree, name), settled, strict=True)
            stays = column not in columns
            changed[name] = [given if done or stays else found for given, found, done in cells]
    return tree.replace(**changed)


def _doubts(parser: Parser, tree: Sentence, state: Annotated) -> tuple[Floats, Floats | None, float]:
    """Compute the probabilities of heads and of relations given what has been looked at, and the entropy."""
    known = state.known_heads
    deprels = [relation if head >= 0 else "_" for relation, head in zip(state.sentence.deprels, known, strict=True)]
    try:
        weighted = parser.distribution(tree.replace(heads=known, deprels=deprels), fix_heads=True)
        marginals = find_marginals(parser.trees, weighted)
    except (NoTreeError, ValueError):  # no tree of the model has these heads, such as arcs that cross
        weighted = parser.distribution(tree)
        marginals = find_marginals(parser.trees, weighted)
    n = len(tree)
    matrix = np.zeros((n + 1, n + 1))
    if marginals.parts is None:
        matrix[:] = marginals.arc
    else:
        matrix[tuple(marginals.parts.arc.T)] = marginals.arc
    heads = np.clip(matrix.T[1:], 0.0, 1.0)
    relations = None
    if marginals.label is not None:
        relations = _of_relations(parser, tree, marginals.label, marginals.parts, heads)
    entropy = sum(share * parser.trees.entropy(scores) for share, scores in weighted)
    return heads, relations, float(entropy)


def _of_relations(parser: Parser, tree: Sentence, label: Real, parts: object, heads: Floats) -> Floats:
    """Return the probability of each relation of a tree given its head; 1 where the model does not know it."""
    numbers = {name: number for number, name in enumerate(parser.scorer.labels)}
    found = np.ones(len(tree))
    for m, (head, relation) in enumerate(zip(tree.heads.tolist(), tree.deprels, strict=True), 1):
        if head < 0 or relation not in numbers or heads[m - 1, head] <= 0:
            continue
        row = (head, m) if parts is None else int(parts.arcs.number[head, m])  # type: ignore[attr-defined]
        if row != -1:
            found[m - 1] = min(1.0, float(label[row][numbers[relation]]) / heads[m - 1, head])
    return found
