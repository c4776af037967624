"""Truth by enumeration: all derivations of a short sentence, listed without a chart; and random treebanks."""

import itertools

import numpy as np
from hypothesis import strategies as st

from treewright.constituency.pcfg import restore
from treewright.constituency.pcfg.forest import FRAGMENT
from treewright.treebank import ConstituentTree

LABELS, TAGS, WORDS = "AB", "xy", "abc"


LIMIT = 20_000


class TooManyError(Exception):
    """There are too many derivations to list."""


def few(derivations):
    """List derivations, unless there are too many."""
    found = list(itertools.islice(derivations, LIMIT + 1))
    if len(found) > LIMIT:
        raise TooManyError
    return found


class Enumeration:
    """All derivations: (score, tree) pairs, from the rules of a grammar and the scores of words alone."""

    def __init__(self, model, words):
        self.model, self.words = model, list(words)
        self.rules = {}
        grammar = model.grammar
        for a, b, c, weight in zip(grammar.parent, grammar.left, grammar.right, grammar.weight, strict=True):
            self.rules.setdefault(a, []).append((b, c, weight))
        self.chains = {}
        for start, end, weight in zip(grammar.of_chain, grammar.of_chain[1:], grammar.chain_weight, strict=False):
            path = tuple(grammar.steps[start:end])
            self.chains.setdefault(path[0], []).append((path, weight))
        self.known = {}

    def all(self):
        n, solid = len(self.words), self.model.grammar.solid
        whole = [
            (score + self.model.grammar.root[a], chains)
            for a in range(solid)
            if np.isfinite(self.model.grammar.root[a])
            for score, chains in self.top(a, 0, n)
        ]
        if whole:
            return [(score, self.tree(chains, 1)) for score, chains in whole]
        found = []
        for size in range(1, n + 1):
            for inner in itertools.combinations(range(1, n), size - 1):
                cuts = [0, *inner, n]
                for row in itertools.product(
                    *([d for a in range(solid) for d in self.top(a, i, j)] for i, j in itertools.pairwise(cuts))
                ):
                    score = sum(part[0] for part in row) + size * FRAGMENT
                    if len(found) > LIMIT:
                        raise TooManyError
                    found.append((score, self.tree([chain for part in row for chain in part[1]], size)))
        return found

    def tree(self, chains, fragments):
        symbols = self.model.symbols
        root = symbols[int(self.model.grammar.root.argmax())].label if fragments > 1 else None
        return restore([tuple(symbols[s] for s in chain) for chain in chains], self.words, root)

    def top(self, a, i, j):
        if (a, i, j) not in self.known:
            found = [(score, [(a,), *rest]) for score, rest in self.base(a, i, j)]
            for path, weight in self.chains.get(a, []):
                found += [(score + weight, [path, *rest]) for score, rest in self.base(path[-1], i, j)]
            self.known[a, i, j] = few(found)
        return self.known[a, i, j]

    def base(self, a, i, j):
        if self.model.symbols[a].kind == "tag":
            if j > i + 1:
                return []
            score = self.model.lexicon.score(self.words[i])[a - self.model.grammar.phrases]
            return [(score, [])] if np.isfinite(score) else []
        return few(
            (first[0] + weight + second[0], first[1] + second[1])
            for b, c, weight in self.rules.get(a, [])
            for k in range(i + 1, j)
            for first in self.top(b, i, k)
            for second in self.top(c, k, j)
        )


def expected_labels(derivations, labels, n):
    """Count labels over spans in all trees, each by its probability."""
    scores = np.array([score for score, _ in derivations])
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    expected = np.zeros((n, n + 1, len(labels)))
    for weight, (_, tree) in zip(weights, derivations, strict=True):
        for label, start, end in zip(tree.labels, tree.starts, tree.ends, strict=True):
            expected[start, end, labels.index(label)] += weight
    return expected


@st.composite
def trees(draw, max_words=5, max_chain=3, labels=LABELS):
    """Draw a tree: with unary chains, repeated labels and any number of children."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=max_words))
    names, parents = [], []

    def grow(start, end, parent, top):
        for _ in range(draw(st.integers(1 if top or end > start + 1 else 0, max_chain))):
            parents.append(parent)
            parent = len(names)
            names.append(draw(st.sampled_from(labels)))
        if end == start + 1:
            parents.append(parent)
            names.append(draw(st.sampled_from(TAGS)))
            return
        cuts = draw(st.sets(st.integers(start + 1, end - 1), min_size=1))
        for i, j in itertools.pairwise([start, *sorted(cuts), end]):
            grow(i, j, parent, False)

    grow(0, len(words), -1, draw(st.booleans()))
    return ConstituentTree(names, parents, words)


def annotations():
    """Draw orders of annotation, and whether tags are annotated."""
    return st.fixed_dictionaries(
        {
            "vertical": st.integers(1, 3),
            "horizontal": st.sampled_from([0, 1, 2, None]),
            "annotate_tags": st.booleans(),
        }
    )
