"""A simulated annotator: which arcs are looked at next, how many of the suggestions are wrong, what is learned."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

from treewright.dependency.partial import known_arcs
from treewright.dependency.problem import ParsingProblem
from treewright.features import DependencyFeatures
from treewright.inference import ConstrainedTrees, Trees
from treewright.learning import StochasticGradient, train
from treewright.threads import in_order


@dataclass(frozen=True)
class System:
    """How sentences or arcs are chosen, and what becomes of the arcs that are not looked at.

    With ``arcs``, single arcs are looked at, and else all arcs of a sentence.  The other arcs of a sentence of which
    some were looked at are unknown (a partial tree); or, with ``followed``, what is suggested for them is learned, too.
    """

    queue: str  # random, entropy, margin
    arcs: bool = False
    followed: bool = False


SYSTEMS = {
    "random sentences": System("random"),
    "sentence entropy": System("entropy"),
    "smallest margin in a sentence": System("margin"),
    "random arcs": System("random", arcs=True),
    "arc margin": System("margin", arcs=True),
    "arc margin, suggestions followed": System("margin", arcs=True, followed=True),
}

#: How much of the treebank every system begins with: whole sentences, chosen at random.
START = 0.01


class Treebank:
    """A treebank whose trees are hidden until they are looked at."""

    def __init__(self, treebank: common.Treebank) -> None:
        self.sentences, self.dev = treebank.train, treebank.dev
        self.trees = Trees(projective=False, single_root=treebank.single_root)
        # Words and relations are known beforehand: the text is there, and so are the guidelines.
        self.features = DependencyFeatures.of(treebank.train)
        self.words = treebank.words

    def score(self, weights, sentence):
        """Score a sentence."""
        return self.features.score(self.features.hash(sentence), weights)

    def suggestion(self, weights, sentence, known):
        """Find the best tree with the heads and relations of the words that were looked at."""
        heads = np.where(known, sentence.heads, -1)
        labels = np.where(known, self.features.label_indices(sentence.deprels)[1:], -1)
        constraints = known_arcs(np.append(-1, heads), np.append(-1, labels))
        trees = ConstrainedTrees(self.trees, constraints) if constraints else self.trees
        return trees.argmax(self.score(weights, sentence))

    def doubts(self, weights, sentence, known):
        """Return the entropy of the trees, and the margin between the two most probable heads of each word."""
        heads = np.append(-1, np.where(known, sentence.heads, -1))
        constraints = known_arcs(heads)
        scores = self.score(weights, sentence)
        scores = constraints.of_arcs(scores) if constraints else scores
        ordered = np.sort(self.trees.marginals(scores).arc[:, 1:], axis=0)
        return self.trees.entropy(scores), ordered[-1] - ordered[-2]


@functools.lru_cache(maxsize=1)
def hidden(treebank: common.Treebank) -> Treebank:
    """Hide the trees of a treebank."""
    return Treebank(treebank)


def choose(system: System, bank: Treebank, weights, known: list, budget: int, seed: int) -> Mapping[int, list[int]]:
    """Choose arcs to look at until there are so many in all: sentences, with the places of words."""
    generator = np.random.default_rng([seed, budget])
    left = budget - sum(int(one.sum()) for one in known)
    unseen = [i for i, one in enumerate(known) if not one.all()]
    if weights is None or system.queue == "random":
        priorities = {i: (generator.random(), generator.random(len(known[i]))) for i in unseen}
    else:
        found = in_order(lambda i: bank.doubts(weights, bank.sentences[i], known[i]), unseen, 1)
        priorities = dict(zip(unseen, map(functools.partial(_priority, system), found), strict=True))
    if system.arcs and weights is not None:
        arcs = [(priorities[i][1][m], i, int(m)) for i in unseen for m in np.flatnonzero(~known[i])]
        chosen: dict[int, list[int]] = {}
        for _, i, m in sorted(arcs)[: max(left, 0)]:
            chosen.setdefault(i, []).append(m)
        return chosen
    chosen = {}
    for i in sorted(unseen, key=lambda i: (priorities[i][0], i)):
        if left <= 0:
            break
        chosen[i] = np.flatnonzero(~known[i]).tolist()
        left -= len(chosen[i])
    return chosen


def _priority(system: System, doubts):
    """Turn doubts into what is sorted by: small comes first; of a sentence, and of each of its arcs."""
    entropy, margins = doubts
    return -entropy if system.queue == "entropy" else float(margins.min()), margins


def count_corrections(bank: Treebank, weights, known: list, chosen: Mapping[int, list[int]]) -> int:
    """Count the arcs among those chosen whose head or relation is not the suggested one; all without a model."""
    wrong = 0
    for i, places in chosen.items():
        sentence = bank.sentences[i]
        if weights is None:
            wrong += len(places)
            continue
        parse = bank.suggestion(weights, sentence, known[i])
        labels = bank.features.label_indices(sentence.deprels)[1:]
        is_wrong = (parse.heads[1:] != sentence.heads) | (parse.labels[1:] != labels)
        wrong += int(is_wrong[places].sum())
    return wrong


def learned_from(system: System, bank: Treebank, weights, known: list):
    """List what is learned from: what was looked at, and what is suggested around it where that is followed."""
    sentences = []
    for sentence, one in zip(bank.sentences, known, strict=True):
        if not one.any():
            continue
        heads, deprels = np.where(one, sentence.heads, -1), sentence.deprels
        if system.followed and weights is not None and not one.all():
            parse = bank.suggestion(weights, sentence, one)
            heads = parse.heads[1:]
            deprels = [bank.features.labels[label] for label in parse.labels[1:]]
        deprels = [relation if head >= 0 else "_" for relation, head in zip(deprels, heads, strict=True)]
        sentences.append(sentence.replace(heads=heads, deprels=deprels))
    return sentences


def fit(bank: Treebank, sentences, settings, say):
    """Learn a first-order log-linear model."""
    problem = ParsingProblem(sentences, bank.features, bank.trees)
    result = train(
        problem,
        StochasticGradient(),
        epochs=settings["epochs"],
        seed=settings["seed"],
        on_progress=lambda progress: say("learning", min(0.99, progress.share)),
    )
    if result.interrupted:
        raise KeyboardInterrupt
    return result.weights


def correct_arcs(bank: Treebank, weights) -> list[int]:
    """Count the words of each dev sentence whose head and relation are right."""
    parses = common.parse_all(bank.features, weights, bank.trees, bank.dev)
    counts = []
    for parse, sentence in zip(parses, bank.dev, strict=True):
        labels = bank.features.label_indices(sentence.deprels)[1:]
        counts.append(int(((parse.heads[1:] == sentence.heads) & (parse.labels[1:] == labels)).sum()))
    return counts
