"""A binary grammar as arrays, in the order in which the kernels read it.

Symbols are numbers: phrases first, then tags, then states; the first two, which words and unary rules make, are called
*solid*.  A unary chain is one rule: its probability is the product of those of its steps.  Only chains that were seen,
or are part of one, are searched, so that a sentence has finitely many trees even where unary rules form a cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats

__all__ = ["Floats", "Grammar", "Ints", "make_grammar"]

Ints = npt.NDArray[np.int32]


class Grammar(NamedTuple):
    """Rules with their log-probabilities.

    Attributes
    ----------
    phrases, solid, symbols : int
        Phrases are the symbols before ``phrases``, tags those from there to ``solid``, states the rest.
    parent, left, right, weight : arrays, shape (rules,)
        The binary rules, sorted by left child, parent and right child.
    of_left : int array, shape (solid + 1,)
        The rules with left child b are ``of_left[b]`` to ``of_left[b + 1]``.
    by_parent, of_parent : int arrays, shapes (rules,) and (symbols + 1,)
        The rules of parent a are ``by_parent[of_parent[a]:of_parent[a + 1]]``.
    bottom, chain_weight : arrays, shape (chains,)
        The last symbol of each chain of unary rules, which are sorted by their first.
    of_top : int array, shape (phrases + 1,)
        The chains from phrase a are ``of_top[a]`` to ``of_top[a + 1]``.
    steps, of_chain : int arrays
        The symbols of chain c, the bottom included, are ``steps[of_chain[c]:of_chain[c + 1]]``.
    label : int array, shape (solid,)
        The label of each phrase and tag, as a number.
    root : float array, shape (solid,)
        The log-probability that a phrase or tag is the root of a tree.
    """

    phrases: int
    solid: int
    symbols: int
    parent: Ints
    left: Ints
    right: Ints
    weight: Floats
    of_left: Ints
    by_parent: Ints
    of_parent: Ints
    bottom: Ints
    chain_weight: Floats
    of_top: Ints
    steps: Ints
    of_chain: Ints
    label: Ints
    root: Floats


def make_grammar(
    sizes: tuple[int, int, int],
    rules: Mapping[tuple[int, int, int], float],
    chains: Mapping[tuple[int, ...], float],
    label: Sequence[int],
    root: Mapping[int, float],
) -> Grammar:
    """Make a grammar of log-probabilities.

    Parameters
    ----------
    sizes : (phrases, solid, symbols)
    rules : mapping of (parent, left, right)
    chains : mapping of symbols from top to bottom
    label : sequence of int
    root : mapping of symbol
    """
    phrases, solid, symbols = sizes
    ordered = sorted(rules, key=lambda rule: (rule[1], rule[0], rule[2]))
    parent, left, right = _ints(ordered).reshape(-1, 3).T.copy()
    paths = sorted(chains)
    roots = np.full(solid, -np.inf)
    for symbol, weight in root.items():
        roots[symbol] = weight
    return Grammar(
        *sizes,
        parent,
        left,
        right,
        np.array([rules[rule] for rule in ordered], np.float64),
        _starts(left, solid),
        np.argsort(parent, kind="stable").astype(np.int32),
        _starts(np.sort(parent), symbols),
        _ints([path[-1] for path in paths]),
        np.array([chains[path] for path in paths], np.float64),
        _starts(_ints([path[0] for path in paths]), phrases),
        _ints([step for path in paths for step in path]),
        _ints(np.concatenate([[0], np.cumsum([len(path) for path in paths])])),
        _ints(label),
        roots,
    )


def _ints(numbers: Any) -> Ints:
    return np.array(numbers, np.int32)


def _starts(keys: Ints, size: int) -> Ints:
    """Give where each key starts among sorted keys."""
    return np.searchsorted(keys, np.arange(size + 1)).astype(np.int32)
