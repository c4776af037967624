"""Estimation: the relative frequencies of rules in the derivations of a treebank.

Rules are smoothed only by what the annotation forgets: the fewer children a state remembers, the more unseen rules the
grammar has.  Words are smoothed (see `treewright.constituency.pcfg.lexicon`), and a sentence that no rules derive
becomes fragments (see `treewright.constituency.pcfg.forest`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import log
from typing import Any

from treewright.constituency.pcfg.grammar import Grammar
from treewright.constituency.pcfg.lexicon import Lexicon
from treewright.constituency.pcfg.parser import Pcfg
from treewright.constituency.pcfg.transformation import Annotation, Chain, Symbol, transform
from treewright.errors import UsageError
from treewright.parsing.description import describe_training
from treewright.treebank.constituents.tree import ConstituentTree

__all__ = ["PcfgTrainer", "train_pcfg"]

_ORDER = ("phrase", "tag", "state")


class Counts:
    """How often each rule was seen, by kind of rule."""

    def __init__(self) -> None:
        self.roots: Counter[tuple[Symbol]] = Counter()
        self.binary: Counter[tuple[Symbol, Symbol, Symbol]] = Counter()
        self.unary: Counter[tuple[Symbol, Symbol]] = Counter()
        self.chains: set[Chain] = set()
        self.words: Counter[tuple[str, Symbol]] = Counter()

    def add(self, derivation: list[Chain], words: Iterable[str]) -> None:
        """Count the rules of a derivation."""
        self.roots[(derivation[0][0],)] += 1
        self.binary.update(_binary_rules(derivation))
        for chain in derivation:
            self.unary.update(pairwise(chain))
            if len(chain) > 1:
                self.chains.add(chain)
        leaves = (chain[-1] for chain in derivation if chain[-1].kind == "tag")
        self.words.update(zip(words, leaves, strict=True))

    def symbols(self) -> list[Symbol]:
        """List the symbols: phrases, tags, states, each in the order of their names."""
        seen = {tag for _, tag in self.words}.union(*self.roots, *self.binary, *self.unary)
        return sorted(seen, key=lambda symbol: (_ORDER.index(symbol.kind), symbol))


def train_pcfg(
    trees: Iterable[ConstituentTree],
    *,
    vertical: int = 2,
    horizontal: int | None = 2,
    annotate_tags: bool = True,
    info: Mapping[str, Any] | None = None,
    on_progress: Callable[[int], object] = lambda trees: None,
) -> Pcfg:
    """Estimate a grammar from trees.

    Parameters
    ----------
    trees : iterable of ConstituentTree
        As the parser should return them; `simplify` removes what parsers usually do not predict.
    vertical, horizontal : int
        How many constituents above, and how many children before, a rule remembers; see `Annotation`.
    annotate_tags : bool
        Whether tags also remember the constituents above them.
    info : mapping, optional
        What to note in the model: ``name``, ``language``, ``treebank``, ``licence``, ``attribution``.  Raw text is
        tokenized by the rules of the language.
    on_progress : function of int, optional
        Called with the number of trees after each.

    Raises
    ------
    UsageError
        When there are no trees.

    Examples
    --------
    >>> tree = ConstituentTree.from_string("(S (NP (NNS Trees)) (VP (VBP grow)))")
    >>> print(*train_pcfg([tree]).parse(["Trees", "grow"]))
    (S (NP (NNS Trees)) (VP (VBP grow)))
    """
    annotation = Annotation(vertical, horizontal, annotate_tags)
    counts, trees = Counts(), list(trees)
    for number, tree in enumerate(trees, 1):
        counts.add(transform(tree, annotation), tree.words)
        on_progress(number)
    if not counts.roots:
        raise UsageError("there are no trees to learn a grammar from; give at least one tree")
    return _estimate(annotation, counts, describe_training(info, asdict(annotation), trees))


@dataclass(frozen=True)
class PcfgTrainer:
    """Trains PCFGs as `train_pcfg` does, whose parameters the attributes are."""

    vertical: int = 2
    horizontal: int | None = 2
    annotate_tags: bool = True

    def train(
        self, trees: Sequence[ConstituentTree], on_progress: Callable[[float], None] = lambda share: None
    ) -> Pcfg:
        """Estimate a grammar."""
        return train_pcfg(trees, **vars(self), on_progress=lambda number: on_progress(number / len(trees)))

    def describe(self) -> str:
        """Describe the grammar by its orders."""
        return repr(self)


def _estimate(annotation: Annotation, counts: Counts, info: Mapping[str, Any]) -> Pcfg:
    symbols = counts.symbols()
    number = {symbol: place for place, symbol in enumerate(symbols)}
    expansions: Counter[Symbol] = Counter()
    for rule, times in [*counts.binary.items(), *counts.unary.items()]:
        expansions[rule[0]] += times
    unary = {rule: log(times / expansions[rule[0]]) for rule, times in counts.unary.items()}
    chains = {part for chain in counts.chains for part in _parts(chain)}
    grammar = Grammar.of(
        symbols,
        {(number[a], number[b], number[c]): log(times / expansions[a]) for (a, b, c), times in counts.binary.items()},
        {tuple(map(number.__getitem__, chain)): sum(map(unary.__getitem__, pairwise(chain))) for chain in chains},
        {number[root]: log(times / counts.roots.total()) for (root,), times in counts.roots.items()},
    )
    seen = {(word, number[tag] - grammar.phrases): times for (word, tag), times in counts.words.items()}
    lexicon = Lexicon.count([symbol.label for symbol in symbols if symbol.kind == "tag"], seen)
    return Pcfg(annotation, symbols, grammar, lexicon, info)


def _parts(chain: Chain) -> Iterator[Chain]:
    """List the subchains of a chain, itself included."""
    for start in range(len(chain) - 1):
        for end in range(start + 2, len(chain) + 1):
            yield chain[start:end]


def _binary_rules(derivation: list[Chain]) -> Iterator[tuple[Symbol, Symbol, Symbol]]:
    """List the binary rules of a derivation, from right to left, so that children come before parents."""
    found: list[Symbol] = []
    for chain in reversed(derivation):
        if chain[-1].kind != "tag":
            yield chain[-1], found.pop(), found.pop()
        found.append(chain[0])
