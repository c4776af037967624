"""The parser: a grammar and a lexicon, and the questions to ask of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats
from treewright.constituency.pcfg.chart import cell_of
from treewright.constituency.pcfg.forest import Forest
from treewright.constituency.pcfg.grammar import Grammar
from treewright.constituency.pcfg.lexicon import Lexicon
from treewright.constituency.pcfg.transformation import Annotation, Symbol, restore, transform
from treewright.errors import UsageError
from treewright.inference.charts.lazy import LazyDerivations
from treewright.model.container import open_model, save_model
from treewright.treebank.constituents.tree import ConstituentTree

__all__ = ["Pcfg", "ScoredTree"]


class ScoredTree(NamedTuple):
    """A tree, and the logarithm of its probability together with its words."""

    tree: ConstituentTree
    log_probability: float


class Pcfg:
    """A probabilistic context-free grammar of constituent trees; `train_pcfg` makes one.

    It is only read once it is made, so threads may share one.

    Parameters
    ----------
    annotation : Annotation
    symbols : sequence of Symbol
        Phrases, then tags, then states; numbers in ``grammar`` are places here.
    grammar : Grammar
    lexicon : Lexicon
    """

    def __init__(self, annotation: Annotation, symbols: Sequence[Symbol], grammar: Grammar, lexicon: Lexicon) -> None:
        self.annotation = annotation
        self.symbols = list(symbols)
        self.grammar = grammar
        self.lexicon = lexicon
        self.labels = sorted({symbol.label for symbol in symbols})

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Pcfg:
        """Open a model file.

        Raises
        ------
        ModelError
            When the file is missing, damaged, or something else.
        """
        from treewright.constituency.pcfg.model_file import KIND, restore_pcfg

        return open_model(path, {KIND: restore_pcfg})

    def describe(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Take the model apart into a manifest and arrays."""
        from treewright.constituency.pcfg.model_file import describe_pcfg

        return describe_pcfg(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file."""
        save_model(path, *self.describe())

    def parse(self, words: Sequence[str], tags: Sequence[str] | None = None) -> ConstituentTree:
        """Find the most probable tree of a sentence.

        Parameters
        ----------
        words : sequence of str
            At least one.
        tags : sequence of str, optional
            The tag of each word, where they are known already.  A tag that the grammar does not know is in the tree,
            but the search takes any other for it.

        Returns
        -------
        ConstituentTree
            There always is one; where no rules derive the sentence it is made of fragments, few rather than many,
            under the most frequent root.
        """
        return self.k_best(words, 1, tags)[0].tree

    def k_best(
        self, words: Sequence[str], k: int, tags: Sequence[str] | None = None, *, given_words: bool = False
    ) -> list[ScoredTree]:
        """Find the k most probable trees, the best first; all there are, where they are fewer.

        No tree comes twice.  The probability of a tree of fragments is that of its best derivation.  Probabilities are
        those of a tree with its words, or of the tree when the words are given.
        """
        if k < 0:
            raise ValueError(f"k is {k}: there cannot be fewer than no trees")
        forest = self._forest(words, tags)
        # Fragments that differ in their annotation alone are one tree, so that more derivations than k are needed.
        derivations = LazyDerivations(forest, k if forest.is_whole else None)
        found: dict[ConstituentTree, float] = {}
        for score, chains in derivations if k else ():
            tree = self._tree(chains, words, tags)
            found.setdefault(tree, score)
            if len(found) == k:
                break
        total = forest.log_partition() if given_words else 0.0
        return [ScoredTree(tree, score - total) for tree, score in found.items()]

    def log_partition(self, words: Sequence[str], tags: Sequence[str] | None = None) -> float:
        """Give the logarithm of the probability of a sentence: the sum over its trees."""
        return self._forest(words, tags).log_partition()

    def marginals(self, words: Sequence[str], tags: Sequence[str] | None = None) -> Floats:
        """Give the expected number of constituents and tags over each span, given the words.

        Returns
        -------
        float array, shape (n, n+1, labels)
            Entry (i, j, l) is for ``labels[l]`` over ``words[i:j]``; a probability, where no label can be over the same
            span twice.
        """
        expected = self._forest(words, tags).expected_labels(len(self.labels))
        n = len(words)
        marginals = np.zeros((n, n + 1, len(self.labels)))
        for i in range(n):
            for j in range(i + 1, n + 1):
                marginals[i, j] = expected[cell_of(i, j)]
        return marginals

    def log_probability(self, tree: ConstituentTree) -> float:
        """Give the logarithm of the probability of a tree and its words; minus infinity where a rule was never seen."""
        derivation = transform(tree, self.annotation)
        numbers = [tuple(self._number.get(symbol, -1) for symbol in chain) for chain in derivation]
        if any(-1 in chain for chain in numbers):
            return -np.inf
        total = float(self.grammar.root[numbers[0][0]])
        found: list[int] = []
        words = reversed(tree.words)
        for chain in reversed(numbers):
            bottom = chain[-1]
            if self.symbols[bottom].kind == "tag":
                total += float(self.lexicon.score(next(words))[bottom - self.grammar.phrases])
            else:
                total += self._rules.get((bottom, found.pop(), found.pop()), -np.inf)
            total += self._chains.get(chain, -np.inf) if len(chain) > 1 else 0.0
            found.append(chain[0])
        return total

    @cached_property
    def _number(self) -> dict[Symbol, int]:
        return {symbol: place for place, symbol in enumerate(self.symbols)}

    @cached_property
    def _rules(self) -> dict[tuple[int, int, int], float]:
        grammar = self.grammar
        keys = zip(grammar.parent.tolist(), grammar.left.tolist(), grammar.right.tolist(), strict=True)
        return dict(zip(keys, grammar.weight.tolist(), strict=True))

    @cached_property
    def _chains(self) -> dict[tuple[int, ...], float]:
        paths = np.split(self.grammar.steps, self.grammar.of_chain[1:-1])
        return dict(zip((tuple(path.tolist()) for path in paths), self.grammar.chain_weight.tolist(), strict=False))

    def _forest(self, words: Sequence[str], tags: Sequence[str] | None) -> Forest:
        if not words:
            raise UsageError("there are no words to parse; give at least one")
        if not all(words):
            raise UsageError(f"word {list(words).index('') + 1} is empty")
        if tags is not None and len(tags) != len(words):
            raise UsageError(f"{len(words)} words and {len(tags)} tags; give one tag for each word")
        return Forest(self.grammar, self.lexicon.scores(words, tags or [None] * len(words)))

    def _tree(
        self, chains: Sequence[tuple[int, ...]], words: Sequence[str], tags: Sequence[str] | None
    ) -> ConstituentTree:
        derivation = [tuple(self.symbols[number] for number in chain) for chain in chains]
        open_places, fragments = 0, 0
        for chain in derivation:
            fragments += not open_places
            open_places += (0 if chain[-1].kind == "tag" else 2) - bool(open_places)
        root = self.symbols[int(self.grammar.root.argmax())].label if fragments > 1 else None
        tree = restore(derivation, words, root)
        if tags is None or tree.tags == tuple(tags):
            return tree
        labels = list(tree.labels)
        for leaf, tag in zip(tree.leaves.tolist(), tags, strict=True):
            labels[leaf] = tag
        return tree.relabel(labels)
