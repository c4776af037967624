"""The truth about hidden values: every assignment listed, its features looked up one by one."""

import itertools

import numpy as np

from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.hidden.hashing import mix
from treewright.reranking.hidden.trees import BASE
from treewright.treebank import ConstituentTree, Sentence

TREES = [
    "(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN dog)) (PP (IN with) (NP (NN joy)))))",
    "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN dog)) (PP (IN with) (NP (NN joy))))))",
    "(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (JJ dog) (CC with) (NN joy))))",
]
OTHERS = ["(S (NP (NNS dogs)) (VP (VBD saw) (ADVP (RB joy))))", "(FRAG (NNS dogs) (VBD saw) (NN joy))"]


def constituents():
    """Two sentences with three and two candidates."""
    return [[ConstituentTree.from_string(text) for text in texts] for texts in (TREES, OTHERS)]


def dependencies():
    """The same in dependencies; one tree has two roots, and one has arcs that cross."""
    heads = [[2, 0, 4, 2, 2, 5], [2, 0, 4, 2, 4, 5], [2, 0, 0, 3, 1, 2]]
    forms, tags = ["I", "saw", "a", "dog", "with", "joy"], ["PRON", "VERB", "DET", "NOUN", "ADP", "NOUN"]
    relations = [["nsubj", "root", "det", "obj", "case", "obl"], ["nsubj", "root", "det", "obj", "cc", "conj"]]
    first = [Sentence.from_forms(forms, upos=tags, heads=own, deprels=relations[k % 2]) for k, own in enumerate(heads)]
    second = [
        Sentence.from_forms(["dogs", "ran"], upos=["NOUN", "VERB"], heads=own, deprels=["nsubj", "root"])
        for own in ([2, 0], [0, 1])
    ]
    return [first, second]


def candidates_of(lists, seed=0, tied=False):
    """Random log-probabilities and gold scores; if tied, the first two candidates of each list are the best."""
    generator = np.random.default_rng(seed)
    counts = [len(trees) for trees in lists]
    n = sum(counts)
    offsets = np.cumsum([0, *counts])
    nothing = np.zeros(n + 1, np.int64), np.zeros(0, np.int32)
    base, gold = generator.normal(size=n), generator.permutation(n).astype(float)
    for first in offsets[:-1] if tied else ():
        gold[first : first + 2] = n
    return Candidates(offsets, base, gold, *nothing)


def assignments(features, observation):
    """List all assignments of a candidate: (values, places of its features with repetition)."""
    choices = []
    for domain in features.domains.assign(observation).tolist():
        _, _, sizes, hashes = features.domains.arrays([domain])
        choices.append([(h, k, int(size)) for size, h in zip(sizes, hashes, strict=True) for k in range(size)])
    alone, pairs = {}, {}
    for word, own in enumerate(choices):
        contexts = observation.contexts[observation.starts[word] : observation.starts[word + 1]]
        for x, (symbol, k, _) in enumerate(own):
            alone[word, x] = _places(features, [(mix(symbol, context), k) for context in contexts])
    for e, ((u, v), seen) in enumerate(zip(observation.edges.tolist(), observation.edge_contexts, strict=True)):
        for y, (other, j, _) in enumerate(choices[u]):
            for x, (symbol, k, size) in enumerate(choices[v]):
                both = np.uint64(mix(other, symbol))
                pairs[e, y, x] = _places(features, [(mix(both, c), j * size + k) for c in seen if c])
    for values in itertools.product(*map(range, map(len, choices))):
        places = [place for word, x in enumerate(values) for place in alone[word, x]]
        for e, (u, v) in enumerate(observation.edges.tolist()):
            places += pairs[e, values[u], values[v]]
        yield list(values), places


def _places(features, wanted):
    found = []
    for key, k in wanted:
        row = np.searchsorted(features.keys, np.uint64(key))
        if row < len(features.keys) and features.keys[row] == np.uint64(key):
            found.append(BASE + 1 + int(features.widths[:row].sum()) + k)
    return found


def log_sum(scores):
    return float(np.logaddexp.reduce(scores))


class Truth:
    """Everything about one sentence, by enumeration."""

    def __init__(self, features, trees, base, is_best, weights, unit):
        self.scores, self.expected, self.assignments = [], [], []
        for tree, own in zip(trees, base, strict=True):
            found = list(assignments(features, features.observe(tree)))
            scores = np.array([weights[places].sum() for _, places in found])
            top = int(scores.argmax())
            self.assignments.append((found[top][0], float(scores[top])))
            self.scores.append(log_sum(scores) + own * (1 + weights[BASE] / unit))
            expected = np.zeros(len(weights))
            for probability, (_, places) in zip(np.exp(scores - log_sum(scores)), found, strict=True):
                np.add.at(expected, places, probability)
            expected[BASE] = own / unit
            self.expected.append(expected)
        scores, best = np.array(self.scores), log_sum(np.array(self.scores)[is_best])
        self.loss = log_sum(scores) - best
        shares = np.exp(scores - log_sum(scores)) - np.exp(np.where(is_best, scores - best, -np.inf))
        self.gradient = shares @ np.array(self.expected)
