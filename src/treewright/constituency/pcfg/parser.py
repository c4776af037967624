"""The PCFG parser: a grammar and a lexicon, and the questions to ask of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from treewright.arrays import Arrays, Floats
from treewright.constituency.parser import ConstituentTreeParser
from treewright.constituency.pcfg.chart import cell_of
from treewright.constituency.pcfg.forest import Forest
from treewright.constituency.pcfg.grammar import Grammar
from treewright.constituency.pcfg.lexicon import Lexicon
from treewright.constituency.pcfg.transformation import Annotation, Symbol, restore, transform
from treewright.errors import UsageError
from treewright.model import Described, Manifest
from treewright.parsing import Ranked
from treewright.treebank import ConstituentTree, Sentence

__all__ = ["Pcfg"]


class Pcfg(ConstituentTreeParser):
    """A probabilistic context-free grammar of constituent trees; `train_pcfg` makes one.

    It is only read once it is made, so threads may share one.

    Parameters
    ----------
    annotation : Annotation
    symbols : sequence of Symbol
        Phrases, then tags, then states; numbers in ``grammar`` are places here.
    grammar : Grammar
    lexicon : Lexicon
    info : mapping, optional
        What the model is.
    """

    KIND: ClassVar[str] = "pcfg"

    def __init__(
        self,
        annotation: Annotation,
        symbols: Sequence[Symbol],
        grammar: Grammar,
        lexicon: Lexicon,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        self.info = dict(info or {})
        self.annotation = annotation
        self.symbols = list(symbols)
        self.grammar = grammar
        self.lexicon = lexicon
        self.labels = sorted({symbol.label for symbol in symbols})

    def parse_sentence(self, sentence: Sentence, *, keep_tags: bool = False) -> ConstituentTree:
        """Find the most probable tree of a sentence.

        Parameters
        ----------
        sentence : Sentence
        keep_tags : bool
            Whether to use the tags (XPOS) of the sentence.  A tag that the grammar does not know is in the tree, but
            the search takes any other for it; ``_`` is no tag.

        Returns
        -------
        ConstituentTree
            There always is one; where no rules derive the sentence it is made of fragments, few rather than many,
            under the most frequent root.
        """
        sentence = self.parsable(sentence)
        [(tree, _)] = self._best(self._forest(sentence, keep_tags), sentence, 1, keep_tags)
        return tree

    def k_best(self, sentence: Sentence, k: int, *, keep_tags: bool = False) -> list[Ranked[ConstituentTree]]:
        """Find the k most probable trees, best first; all of them where there are fewer.

        No tree comes twice.  Probabilities are those of trees given the words; that of a tree of fragments is that of
        its best derivation.
        """
        sentence = self.parsable(sentence, k)
        forest = self._forest(sentence, keep_tags)
        total = forest.log_partition()
        return [Ranked(tree, score - total) for tree, score in self._best(forest, sentence, k, keep_tags)]

    def _best(self, forest: Forest, sentence: Sentence, k: int, keep_tags: bool) -> list[tuple[ConstituentTree, float]]:
        """Find the k best trees and the logarithms of their probabilities together with the words."""
        # Fragments that differ in their annotation alone are one tree, so more than k derivations may be needed.
        found: dict[ConstituentTree, float] = {}
        for score, chains in forest.best_first(k) if k else ():
            tree = self._tree(chains, sentence, keep_tags)
            found.setdefault(tree, score)
            if len(found) == k:
                break
        return list(found.items())

    def log_partition(self, sentence: Sentence, *, keep_tags: bool = False) -> float:
        """Compute the logarithm of the probability of a sentence: the sum over its trees."""
        return self._forest(sentence, keep_tags).log_partition()

    def marginals(self, sentence: Sentence, *, keep_tags: bool = False) -> Floats:
        """Compute the expected number of constituents and tags over each span, given the words.

        Returns
        -------
        float array, shape (n, n+1, labels)
            Entry (i, j, l) is for ``labels[l]`` over ``words[i:j]``; a probability, where no label can be over the same
            span twice.
        """
        expected = self._forest(sentence, keep_tags).expected_labels(len(self.labels))
        n = len(sentence)
        marginals = np.zeros((n, n + 1, len(self.labels)))
        for i in range(n):
            for j in range(i + 1, n + 1):
                marginals[i, j] = expected[cell_of(i, j)]
        return marginals

    def log_probability(self, tree: ConstituentTree) -> float:
        """Compute the log-probability of a tree and its words; minus infinity where a rule was never seen."""
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

    def _forest(self, sentence: Sentence, keep_tags: bool) -> Forest:
        sentence = self.parsable(sentence)
        if not all(sentence.forms):
            raise UsageError(f"word {list(sentence.forms).index('') + 1} is empty")
        tags = [tag if tag != "_" else None for tag in sentence.xpos] if keep_tags else [None] * len(sentence)
        return Forest(self.grammar, self.lexicon.scores(sentence.forms, tags))

    def _tree(self, chains: Sequence[tuple[int, ...]], sentence: Sentence, keep_tags: bool) -> ConstituentTree:
        derivation = [tuple(self.symbols[number] for number in chain) for chain in chains]
        open_places, fragments = 0, 0
        for chain in derivation:
            fragments += not open_places
            open_places += (0 if chain[-1].kind == "tag" else 2) - bool(open_places)
        root = self.symbols[int(self.grammar.root.argmax())].label if fragments > 1 else None
        tree = restore(derivation, sentence.forms, root)
        if not keep_tags or tree.tags == tuple(sentence.xpos):
            return tree
        labels = list(tree.labels)
        for leaf, tag in zip(tree.leaves.tolist(), sentence.xpos, strict=True):
            labels[leaf] = tag if tag != "_" else labels[leaf]
        return tree.relabel(labels)

    def describe(self) -> Described:
        """Describe the grammar and the lexicon as a manifest and arrays."""
        _, rules = self.grammar.describe()
        lexicon, counts = self.lexicon.describe()
        symbols = {"settings": asdict(self.annotation), "symbols": self.symbols}
        return {"kind": self.KIND, "info": self.info, **symbols, **lexicon}, {**rules, **counts}

    @classmethod
    def restore(cls, manifest: Manifest, arrays: Arrays) -> Self:
        """Build a parser from its description."""
        symbols = [Symbol(kind, str(label), tuple(context)) for kind, label, context in manifest["symbols"]]
        grammar = Grammar.restore(symbols, arrays)
        tags = [symbol.label for symbol in symbols if symbol.kind == "tag"]
        lexicon = Lexicon.restore(tags, manifest, arrays)
        return cls(Annotation(**manifest["settings"]), symbols, grammar, lexicon, manifest["info"])
