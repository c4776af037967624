"""A binary grammar as arrays, in the order in which the kernels read it.

Symbols are numbers: phrases first, then tags, then states.  Phrases and tags, which can be roots and stand at either
end of a unary chain, are the *solid* symbols.  A unary chain is one rule: its probability is the product of those of
its steps.  Only chains that were seen, or are part of one that was, are searched, so that a sentence has finitely many
trees even where unary rules form a cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from treewright.arrays import Array, Arrays, Floats, Heads
from treewright.constituency.pcfg.transformation import Symbol

__all__ = ["Grammar"]

#: Of binary rules (parent, left child, right child) and unary chains (from top to bottom): their log-probabilities.
Rules = Mapping[tuple[int, int, int], float]
Chains = Mapping[tuple[int, ...], float]


class Grammar(NamedTuple):
    """Rules with their log-probabilities."""

    phrases: int  # phrases are the symbols before this
    solid: int  # tags are those from there to this, and states the rest
    symbols: int
    parent: Heads  # of each binary rule; rules are sorted by left child, parent and right child
    left: Heads
    right: Heads
    weight: Floats
    of_left: Heads  # the rules with left child b are of_left[b] to of_left[b + 1]
    by_parent: Heads  # the rules of parent a are by_parent[of_parent[a]:of_parent[a + 1]]
    of_parent: Heads
    bottom: Heads  # the last symbol of each unary chain; chains are sorted by their first symbol
    chain_weight: Floats
    of_top: Heads  # the chains from phrase a are of_top[a] to of_top[a + 1]
    steps: Heads  # the symbols of chain c, the bottom included, are steps[of_chain[c]:of_chain[c + 1]]
    of_chain: Heads
    label: Heads  # the label of each phrase and tag, as a number
    root: Floats  # the log-probability that a phrase or tag is the root of a tree

    @classmethod
    def of(cls, symbols: Sequence[Symbol], rules: Rules, chains: Chains, root: Mapping[int, float]) -> Grammar:
        """Sort and index rules; all numbers are places in ``symbols``, which has phrases, then tags, then states."""
        phrases, solid = _count_kinds(symbols)
        labels = {label: number for number, label in enumerate(sorted({symbol.label for symbol in symbols}))}
        ordered = sorted(rules, key=lambda rule: (rule[1], rule[0], rule[2]))
        parent, left, right = _column(ordered).reshape(-1, 3).T.copy()
        paths = sorted(chains)
        return cls(
            phrases=phrases,
            solid=solid,
            symbols=len(symbols),
            parent=parent,
            left=left,
            right=right,
            weight=np.array([rules[rule] for rule in ordered], np.float64),
            of_left=_starts(left, solid),
            by_parent=_column(np.argsort(parent, kind="stable")),
            of_parent=_starts(np.sort(parent), len(symbols)),
            bottom=_column([path[-1] for path in paths]),
            chain_weight=np.array([chains[path] for path in paths], np.float64),
            of_top=_starts(_column([path[0] for path in paths]), phrases),
            steps=_column([step for path in paths for step in path]),
            of_chain=_column(np.cumsum([0, *map(len, paths)])),
            label=_column([labels[symbol.label] for symbol in symbols[:solid]]),
            root=np.array([root.get(symbol, -np.inf) for symbol in range(solid)], np.float64),
        )

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the grammar, without its symbols."""
        return {}, {
            "rules": np.stack([self.parent, self.left, self.right]),
            "rule_weights": self.weight,
            "chains": self.steps,
            "chain_starts": self.of_chain,
            "chain_weights": self.chain_weight,
            "roots": self.root,
        }

    @classmethod
    def restore(cls, symbols: Sequence[Symbol], arrays: Arrays) -> Grammar:
        """Put together what `describe` took apart."""
        phrases, solid = _count_kinds(symbols)
        rules: list[Any] = list(map(tuple, arrays["rules"].T.tolist()))
        paths = _split(arrays["chains"], arrays["chain_starts"])
        if not all((arrays[name] <= 0).all() for name in ("rule_weights", "chain_weights", "roots")):
            raise ValueError("a log-probability is above zero, or not a number")
        _check_numbers(np.array(rules).reshape(-1, 3), paths, (phrases, solid, len(symbols)))
        return cls.of(
            symbols,
            dict(zip(rules, arrays["rule_weights"].tolist(), strict=True)),
            dict(zip(paths, arrays["chain_weights"].tolist(), strict=True)),
            dict(zip(range(solid), arrays["roots"].tolist(), strict=True)),
        )


def _count_kinds(symbols: Sequence[Symbol]) -> tuple[int, int]:
    """Count the phrases, and the phrases and tags together."""
    kinds = [symbol.kind for symbol in symbols]
    phrases, tags = kinds.count("phrase"), kinds.count("tag")
    if kinds != ["phrase"] * phrases + ["tag"] * tags + ["state"] * (len(kinds) - phrases - tags):
        raise ValueError("symbols are out of order: phrases come first, then tags, then states")
    return phrases, phrases + tags


def _split(steps: Array, starts: Array) -> list[tuple[int, ...]]:
    return [tuple(path.tolist()) for path in np.split(steps, starts[1:-1])] if steps.size else []


def _check_numbers(rules: Array, paths: list[tuple[int, ...]], sizes: tuple[int, int, int]) -> None:
    """Refuse rules with a symbol that does not exist or is of the wrong kind: kernels do not check bounds."""
    phrases, solid, symbols = sizes
    parent, left = rules[:, 0], rules[:, 1]
    good = (rules >= 0).all() and (rules < symbols).all() and (left < solid).all()
    good &= not ((parent >= phrases) & (parent < solid)).any()
    for path in filter(None, paths):
        good &= min(path) >= 0 and max(path[:-1], default=solid) < phrases and path[-1] < solid
    if not good:
        raise ValueError("a rule has a symbol that does not exist, or is of the wrong kind")


def _column(numbers: Iterable[Any]) -> Heads:
    return np.array(numbers, np.int32)


def _starts(keys: Heads, size: int) -> Heads:
    """Find where each key starts among sorted keys."""
    return _column(np.searchsorted(keys, np.arange(size + 1)))
