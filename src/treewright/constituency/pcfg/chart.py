"""CKY over a binary grammar with unary chains: the maximum, the sum and the posteriors.

An item is a symbol over words i to j, in two layers.  A *base* item is a word under its tag, or two children; a *top*
item is a base item, alone or with one chain of unary rules above it.  Children are top items.  States have no unary
rules, and only one layer.  The cell of words i to j is row j(j-1)/2 + i of every array.

Sums need no logarithms, and cannot underflow: the inside sum of an item is kept as its ratio, at least 1, to the best
derivation of the item, so that each step adds exp(score of the step with the best children - best), times the ratios
of the children.  The outside pass hands the posterior of each item, in [0, 1], down to its children: it is the gradient
of the log-partition function (the outside algorithm of Lari and Young 1990, in reverse mode).
"""

from __future__ import annotations

from math import exp

import numpy as np

from treewright.arrays import Floats, Heads
from treewright.constituency.pcfg.grammar import Grammar
from treewright.kernels import copy, kernel

__all__ = ["cell_of", "find_splits", "maximise", "spread", "sum_up"]

INFINITE = -np.inf


@kernel
def cell_of(i: int, j: int) -> int:
    """Return the row of words i to j."""
    return j * (j - 1) // 2 + i


@kernel
def maximise(grammar: Grammar, leaves: Floats) -> tuple[Floats, Floats, Heads]:
    """Compute the score of the best derivation of every item, from the log-probability of each word under each tag.

    Returns ``base``, shape (cells, solid), ``top``, shape (cells, symbols), and ``left``, shape (cells, solid + 1): the
    number of symbols that can be left children, then these symbols.
    """
    n = leaves.shape[0]
    phrases, solid = grammar.phrases, grammar.solid
    cells = cell_of(n - 1, n) + 1
    base = np.empty((cells, solid))
    top = np.full((cells, grammar.symbols), INFINITE)
    left = np.zeros((cells, solid + 1), np.int32)
    for j in range(1, n + 1):
        for i in range(j - 1, -1, -1):
            cell = cell_of(i, j)
            row = top[cell]
            if i == j - 1:
                copy(leaves[i], row[phrases:solid])
            for k in range(i + 1, j):
                first = cell_of(i, k)
                below = top[cell_of(k, j)]
                for place in range(1, left[first, 0] + 1):
                    b = left[first, place]
                    score = top[first, b]
                    for rule in range(grammar.of_left[b], grammar.of_left[b + 1]):
                        found = score + grammar.weight[rule] + below[grammar.right[rule]]
                        if found > row[grammar.parent[rule]]:
                            row[grammar.parent[rule]] = found
            base[cell] = row[:solid]
            for a in range(phrases):
                for chain in range(grammar.of_top[a], grammar.of_top[a + 1]):
                    found = base[cell, grammar.bottom[chain]] + grammar.chain_weight[chain]
                    if found > row[a]:
                        row[a] = found
            count = 0
            for b in range(solid):
                if row[b] > INFINITE and grammar.of_left[b] < grammar.of_left[b + 1]:
                    count += 1
                    left[cell, count] = b
            left[cell, 0] = count
    return base, top, left


@kernel
def sum_up(grammar: Grammar, n: int, base: Floats, top: Floats, left: Heads) -> tuple[Floats, Floats]:
    """Compute the inside sum of every item, as its ratio to the best derivation of the item."""
    phrases, solid = grammar.phrases, grammar.solid
    base_ratio, top_ratio = np.zeros(base.shape), np.zeros(top.shape)
    for j in range(1, n + 1):
        for i in range(j - 1, -1, -1):
            cell = cell_of(i, j)
            ratio = top_ratio[cell]
            if i == j - 1:
                for b in range(phrases, solid):
                    ratio[b] = 1.0 if base[cell, b] > INFINITE else 0.0
            for k in range(i + 1, j):
                first, second = cell_of(i, k), cell_of(k, j)
                for place in range(1, left[first, 0] + 1):
                    b = left[first, place]
                    for rule in range(grammar.of_left[b], grammar.of_left[b + 1]):
                        c, a = grammar.right[rule], grammar.parent[rule]
                        found = top[first, b] + grammar.weight[rule] + top[second, c]
                        if found > INFINITE:
                            best = base[cell, a] if a < solid else top[cell, a]
                            ratio[a] += exp(found - best) * top_ratio[first, b] * top_ratio[second, c]
            base_ratio[cell] = ratio[:solid]
            for a in range(phrases):
                if top[cell, a] > INFINITE:
                    ratio[a] *= exp(base[cell, a] - top[cell, a])
                    for chain in range(grammar.of_top[a], grammar.of_top[a + 1]):
                        b = grammar.bottom[chain]
                        found = base[cell, b] + grammar.chain_weight[chain] - top[cell, a]
                        ratio[a] += exp(found) * base_ratio[cell, b]
    return base_ratio, top_ratio


@kernel
def spread(
    grammar: Grammar,
    n: int,
    charts: tuple[Floats, Floats, Heads],
    ratios: tuple[Floats, Floats],
    posterior: Floats,
    expected: Floats,
) -> None:
    """Hand posteriors down from whole sentences or fragments to all items.

    ``charts`` and ``ratios`` are what `maximise` and `sum_up` returned.  ``posterior``, shape (cells, symbols), has the
    expected number of times that a top item is in a tree; on entry, as a whole tree or a fragment.  ``expected``, shape
    (cells, labels) and zero on entry, gets that of nodes with each label over the words of each cell.
    """
    base, top, left = charts
    base_ratio, top_ratio = ratios
    phrases, solid = grammar.phrases, grammar.solid
    own = np.empty(grammar.symbols)  # the posteriors of the base items of a cell, and of its states
    for j in range(n, 0, -1):
        for i in range(j):
            cell = cell_of(i, j)
            copy(posterior[cell], own)
            own[:phrases] = 0.0
            for a in range(phrases):
                if posterior[cell, a] > 0.0:
                    share = posterior[cell, a] / top_ratio[cell, a]
                    own[a] += share * exp(base[cell, a] - top[cell, a]) * base_ratio[cell, a]
                    for chain in range(grammar.of_top[a], grammar.of_top[a + 1]):
                        b = grammar.bottom[chain]
                        found = base[cell, b] + grammar.chain_weight[chain] - top[cell, a]
                        mass = share * exp(found) * base_ratio[cell, b]
                        own[b] += mass
                        for step in range(grammar.of_chain[chain], grammar.of_chain[chain + 1] - 1):
                            expected[cell, grammar.label[grammar.steps[step]]] += mass
            for b in range(solid):
                expected[cell, grammar.label[b]] += own[b]
            for k in range(i + 1, j):
                first, second = cell_of(i, k), cell_of(k, j)
                for place in range(1, left[first, 0] + 1):
                    b = left[first, place]
                    for rule in range(grammar.of_left[b], grammar.of_left[b + 1]):
                        c, a = grammar.right[rule], grammar.parent[rule]
                        if own[a] > 0.0 and top[second, c] > INFINITE:
                            best = base[cell, a] if a < solid else top[cell, a]
                            inside = base_ratio[cell, a] if a < solid else top_ratio[cell, a]
                            found = top[first, b] + grammar.weight[rule] + top[second, c]
                            mass = own[a] / inside * exp(found - best) * top_ratio[first, b] * top_ratio[second, c]
                            posterior[first, b] += mass
                            posterior[second, c] += mass


@kernel
def find_splits(grammar: Grammar, top: Floats, i: int, j: int, a: int) -> tuple[Heads, Heads, Floats]:
    """List the ways to build symbol a over words i to j from two children: the split, the rule, and the score."""
    rules = grammar.by_parent[grammar.of_parent[a] : grammar.of_parent[a + 1]]
    size = (j - i - 1) * len(rules)
    splits, used, scores = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size)
    count = 0
    for k in range(i + 1, j):
        first, second = top[cell_of(i, k)], top[cell_of(k, j)]
        for rule in rules:
            score = first[grammar.left[rule]] + grammar.weight[rule] + second[grammar.right[rule]]
            if score > INFINITE:
                splits[count], used[count], scores[count] = k, rule, score
                count += 1
    return splits[:count], used[:count], scores[:count]
