"""Dependency parsing as a problem to learn from: part scores in, the features of the best tree or of all parts out."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Heads, Ints, Mask, Singles
from treewright.dependency.differences import count_missed, difference
from treewright.dependency.feature_counts import FeatureCounts
from treewright.dependency.partial import attainable, known_arcs
from treewright.dependency.search import best_with_factors
from treewright.features import DependencyFeatures, Hashed, WeightedParts, Weights
from treewright.features.hooks import Proposal, proposal
from treewright.inference import ConstrainedTrees, Constraints, DualDecomposition, Parse, Parts, Scores, Trees
from treewright.inference.bounds.non_local import NON_LOCAL, Proposer
from treewright.inference.branching import first_violation
from treewright.inference.heads import parts_of_tree
from treewright.inference.kinds import FACTORIZATIONS
from treewright.inference.problem import NoTreeError
from treewright.learning.kept import Kept
from treewright.learning.online import Mistake, product
from treewright.learning.problem import add_cost
from treewright.treebank import Sentence

__all__ = ["Example", "ParsingProblem"]

#: Nodes of branch and bound at most while learning: the best tree so far is good enough to learn from.
MOST_NODES = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence with its gold tree, and the arcs that survive pruning (None: all).

    Of a partial tree, heads and labels that are not known are -1, and ``known`` holds of the trees that agree with the
    others; it is None for a whole tree, of which a label of -1 is one that the model does not have.
    """

    sentence: Sentence
    heads: Heads
    labels: Heads
    allowed: Mask | None
    known: Constraints | None = None


class ParsingProblem:
    """A treebank as training examples for a parser.

    For projective trees the gold trees are projectivized (Koo et al. 2007, footnote 4).  They may be partial
    (`treewright.dependency.partial`): heads that are -1 are not known, nor are relations ``_`` where others are.

    Parameters
    ----------
    allowed : sequence of bool arrays, optional
        The arcs of each sentence that survive pruning; gold arcs always do.
    relaxed : bool
        Whether to learn from what head automata choose by themselves instead of from trees (Koo et al. 2010, section
        6), where there is no dynamic program for trees.
    minimum : int
        Features that the parts of all sentences have less often than this are not learned.
    hooks : sequence of functions
        Those that the features are set up for, by name.
    at_most_one : sequence of str
        Relations that at most one modifier of a head has in the trees that are searched, unless a gold tree has more.
    """

    def __init__(
        self,
        sentences: Sequence[Sentence],
        features: DependencyFeatures,
        trees: Trees,
        allowed: Sequence[Mask] | None = None,
        relaxed: bool = True,
        minimum: int = 1,
        hooks: Sequence[Proposer] = (),
        at_most_one: Sequence[str] = (),
    ) -> None:
        self.features = features
        self._rules = Constraints(at_most_one=at_most_one).numbered(features.labels)
        self.trees = trees
        self.hooks = hooks
        self.relaxed = relaxed and trees.is_hard and not self._rules  # which automata do not know
        self.size = features.size
        self._hashed = Kept[Hashed]()
        self.examples = []
        for index, sentence in enumerate(sentences):
            self.examples.append(self._example(sentence, None if allowed is None else allowed[index]))
        self._counts = None if minimum == 1 else FeatureCounts(features, minimum)
        if self._counts is not None:
            for example in self.examples:
                self._counts.add(example.sentence, self._all_parts(example))

    def _example(self, sentence: Sentence, allowed: Mask | None) -> Example:
        """Make an example of a sentence, whose gold arcs survive pruning."""
        sentence = attainable(sentence, self.trees)
        heads, labels = sentence.rooted_heads(), self.features.label_indices(sentence.deprels)
        words, known = np.flatnonzero(heads >= 0), None
        has_blanks = "_" in sentence.deprels and "_" not in (self.features.labels or "_")
        if len(words) < len(sentence) or has_blanks:
            labels[heads < 0] = -1
            known = known_arcs(heads, labels if self.features.labels else None)
        if allowed is not None:
            allowed = allowed.copy()
            allowed[heads[words], words] = True
        return Example(sentence, heads, labels, allowed, known)

    def __len__(self) -> int:
        return len(self.examples)

    def words(self, index: int) -> int:
        """Count the words of a sentence."""
        return len(self.examples[index].sentence)

    def score(self, index: int, weights: Weights) -> tuple[Hashed, Scores]:
        """Score the parts of a sentence."""
        example = self.examples[index]
        hashed, parts = self._hashed.get(index, lambda: self.features.hash(example.sentence), _bytes_of), None
        if example.allowed is not None:
            parts = Parts(example.allowed, projective=self.trees.projective)
        return hashed, self.features.score(hashed, weights, parts)

    def gradient(
        self, hashed: Hashed, parts: Mapping[str, WeightedParts], proposed: Proposal | None = None
    ) -> tuple[Heads, Singles]:
        """List the features of parts that are learned, each with the coefficient of its part."""
        places, values = self.features.gradient(hashed, parts, proposed)
        if self._counts is None:
            return places, values
        kept = np.ones(len(places), bool)  # features of hooks, which come last, are not counted
        often = self._counts.often(hashed, parts)
        kept[: len(often)] = often
        return places[kept], values[kept]

    def _all_parts(self, example: Example) -> dict[str, Ints]:
        """List the parts that survive pruning, whether the gold tree has them or not."""
        size = len(example.heads)
        allowed = np.ones((size, size), bool) if example.allowed is None else example.allowed
        parts = Parts(allowed, projective=self.trees.projective)
        listed = {str(kind): parts.rows(kind) for kind in FACTORIZATIONS[self.trees.factorization].kinds}
        return listed | {kind: NON_LOCAL[kind](parts).words for kind in self.features.non_local}

    def parts(self, heads: Heads, labels: Heads | None) -> dict[str, Ints]:
        """List the parts of a tree, as `DependencyFeatures.gradient` asks for them; a label of -1 is no part."""
        words = np.arange(1, len(heads))
        parts = {"arc": _side_by_side(heads[1:], words)}
        if labels is not None:
            known = words[labels[1:] >= 0]
            parts["label"] = _side_by_side(heads[known], known, labels[known])
        if self.trees.factorization != "arc":
            parts |= parts_of_tree(heads, self.trees.factorization)
        if self.features.non_local:
            mask = np.zeros((len(heads), len(heads)), bool)
            mask[heads[1:], words] = True
            parts |= {kind: NON_LOCAL[kind](Parts(mask)).words for kind in self.features.non_local}
        return parts

    def gold(self, index: int) -> tuple[Heads, Heads | None]:
        """Return the heads of the gold tree, and its labels where labels are predicted."""
        example = self.examples[index]
        return example.heads, example.labels if self.features.labels else None

    def gold_parts(self, index: int) -> dict[str, Ints]:
        """List the parts of the gold tree."""
        return self.parts(*self.gold(index))

    def known(self, index: int) -> Constraints | None:
        """Return what holds of the trees that agree with a partial gold tree; None if the gold tree is whole."""
        return self.examples[index].known

    def mistake(self, index: int, weights: Weights, cost: float) -> Mistake | None:
        """Parse one sentence, each wrong head and each wrong label adding ``cost``."""
        example = self.examples[index]
        hashed, scores = self.score(index, weights)
        proposed = self._proposed(example, scores)
        heads, labels = self._right_tree(index, hashed, scores, weights, proposed)
        if cost:
            add_cost(scores, *self.gold(index), cost)
        gold = self.parts(heads, labels)
        if self.relaxed and example.known is None:
            found = self._relaxed_parts(scores)
            errors = sum(count_missed(gold[name], found[name]) for name in ("arc", "label") if name in gold)
        else:
            rules = self._rules if self._rules and self._obeys(heads, labels) else Constraints()
            parse = self._best(example, hashed, scores, weights, proposed, rules)
            found = self.parts(parse.heads, parse.labels)
            if proposed is not None:
                for parts, tree in ((gold, heads), (found, parse.heads)):
                    parts["hooks"] = np.flatnonzero(proposed.factors.in_tree(tree))[:, None]
            errors = _errors(example, parse)
        if example.known is not None and not errors:
            return None  # the tree found agrees as well as the right one
        unshared = difference(gold, found)
        if not errors and not any(len(rows) for rows, _ in unshared.values()):
            return None
        places, values = self.gradient(hashed, unshared, proposed)
        margin = product(weights.values, places, values)
        return Mistake(places, values, float(errors), margin)

    def _proposed(self, example: Example, scores: Scores) -> Proposal | None:
        """Ask hooks for factors."""
        if not self.hooks:
            return None
        assert scores.parts is not None
        return proposal(self.hooks, example.sentence, scores.parts, self.features.settings.hooks)

    def _right_tree(
        self, index: int, hashed: Hashed, scores: Scores, weights: Weights, proposed: Proposal | None
    ) -> tuple[Heads, Heads | None]:
        """Return the gold tree; if it is partial, the best tree that agrees with it."""
        example = self.examples[index]
        if example.known is None:
            return self.gold(index)
        if self._rules and self._obeys(*self.gold(index)):
            with contextlib.suppress(NoTreeError):
                parse = self._best(example, hashed, scores, weights, proposed, example.known | self._rules)
                return parse.heads, parse.labels
        parse = self._best(example, hashed, scores, weights, proposed, example.known)
        return parse.heads, parse.labels

    def _obeys(self, heads: Heads, labels: Heads | None) -> bool:
        """Return whether a tree, or what is known of one, obeys the rules."""
        return first_violation(self._rules, heads, labels, True) is None

    def _best(
        self,
        example: Example,
        hashed: Hashed,
        scores: Scores,
        weights: Weights,
        proposed: Proposal | None,
        obeyed: Constraints,
    ) -> Parse:
        """Find the best tree that obeys, under factors as well if there are features of them."""

        def search(scores: Scores) -> Parse:
            if not self.features.has_factors:
                return self.trees.argmax(scores)
            assert scores.parts is not None
            factors = self.features.factors(hashed, weights, scores.parts, proposed)
            return best_with_factors(self.trees, weights.resolution, scores, factors, MOST_NODES)

        return ConstrainedTrees(self.trees, obeyed).argmax(scores, search) if obeyed else search(scores)

    def _relaxed_parts(self, scores: Scores) -> dict[str, Ints]:
        """List the parts that the automata choose, with the best label of each arc."""
        parts = DualDecomposition(self.trees).relaxed(scores)
        if scores.label is not None:
            h, m = parts["arc"].T
            rows = scores.label[h, m] if scores.parts is None else scores.label[scores.parts.arcs.number[h, m]]
            parts["label"] = np.stack([h, m, rows.argmax(axis=1)], axis=1)
        return parts


def _errors(example: Example, parse: Parse) -> int:
    """Count the wrong heads and labels of a tree, of those that are known."""
    is_whole = example.known is None
    errors = np.count_nonzero((parse.heads != example.heads) & (is_whole | (example.heads >= 0)))
    if parse.labels is not None:
        errors += np.count_nonzero((parse.labels != example.labels) & (is_whole | (example.labels >= 0)))
    return int(errors)


def _bytes_of(hashed: Hashed) -> int:
    return hashed.nbytes


def _side_by_side(*columns: Heads | Ints) -> Ints:
    """Make a table of its columns."""
    table = np.empty((len(columns[0]), len(columns)), np.int64)
    for place, column in enumerate(columns):
        table[:, place] = column
    return table
