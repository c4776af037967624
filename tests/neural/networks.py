"""Small networks with random weights, and what they compute, written down in the plainest way."""

from collections import Counter

import numpy as np

from treewright.dependency.parser import Parser
from treewright.dependency.pruning import Cascade, Stage
from treewright.inference import Trees
from treewright.inference.kinds import PartKind
from treewright.neural.network import Network
from treewright.neural.parameters import EPSILON, SLOPE, higher_kinds, parameters, roles
from treewright.neural.quantization import quantize, widen
from treewright.neural.scorer import NeuralScorer
from treewright.neural.settings import NetworkSettings
from treewright.neural.tagger import NeuralTagger
from treewright.neural.words import WordInputs

WORDS = [
    "the",
    "dog",
    "cat",
    "saw",
    "a",
    "man",
    "with",
    "telescopes",
    "in",
    "park",
    ".",
    "he",
    "they",
    "were",
    "walking",
]
INPUTS = WordInputs.of(Counter(WORDS * 2))
COLUMNS = {
    "upos": ["NOUN", "PUNCT", "VERB"],
    "xpos": ["NN", "VBD"],
    "feats": ["Number=Sing", "_"],
    "lemma": ["=\t0\t0\t\t", "l\t0\t3\t\t"],
}


def settings(**choices):
    sizes = {"width": 48, "layers": 2, "heads": 3, "arc": 20, "label": 9, "rank": 8, "tag_width": 24}
    return NetworkSettings(**{**sizes, "labels": ["det", "nsubj", "root"], "columns": COLUMNS, **choices})


def random_weights(chosen, seed=1):
    rng = np.random.default_rng(seed)
    shapes = parameters(chosen, INPUTS.size)
    return {
        name: (rng.normal(size=shape) / np.sqrt(shape[0] if len(shape) > 1 else 1)).astype(np.float32)
        + np.float32("norm" in name)
        for name, shape in shapes.items()
    }


def network(seed=1, wide=False, **choices):
    """Build a network with weights of one byte, or with the same ones in four."""
    chosen = settings(**choices)
    arrays = quantize(random_weights(chosen, seed))
    return Network(chosen, INPUTS, widen(arrays) if wide else arrays)


class Reference:
    """What a network computes, in float64, one step after the other."""

    def __init__(self, chosen, weights, rows):
        self.settings, self.weights = chosen, {name: one.astype(np.float64) for name, one in weights.items()}
        self.vectors = self._encoded(rows)
        x = self.vectors @ self.weights["roles"] + self.weights["roles_bias"]
        x = np.where(x > 0, x, SLOPE * x)
        self.roles = {name: x[:, place] for name, place in roles(chosen).items()}

    def _encoded(self, rows):
        x, n, size = _norm(self.weights["words"][rows].sum(axis=1)), len(rows), self.settings.head_width
        for layer in range(self.settings.layers):
            w = {name: self.weights[f"layers.{layer}.{name}"] for name in ("qkv", "out", "up", "down")}
            y = _norm(x) * self.weights[f"layers.{layer}.norm_attention"]
            q, k, v = (y @ w["qkv"]).reshape(n, 3, -1, size).transpose(1, 2, 0, 3)
            scores = self._turned(q) @ self._turned(k).transpose(0, 2, 1) / np.sqrt(size)
            shares = np.exp(scores - scores.max(axis=2, keepdims=True))
            shares /= shares.sum(axis=2, keepdims=True)
            x = x + (shares @ v).transpose(1, 0, 2).reshape(n, -1) @ w["out"]
            y = _norm(x) * self.weights[f"layers.{layer}.norm_forward"]
            x = x + np.maximum(y @ w["up"], 0) ** 2 @ w["down"]
        return _norm(x) * self.weights["norm"]

    def _turned(self, x):
        half = x.shape[2] // 2
        angles = np.arange(x.shape[1])[:, None] * self.settings.base ** (-np.arange(half) / half)
        one, other = x[..., :half], x[..., half:]
        turned = one * np.cos(angles) - other * np.sin(angles), other * np.cos(angles) + one * np.sin(angles)
        return np.concatenate(turned, axis=2)

    def arc(self):
        return self.roles["arc_head"] @ (_with_one(self.roles["arc_dependent"]) @ self.weights["arc"]).T

    def label(self):
        dependent, head = _with_one(self.roles["label_dependent"]), _with_one(self.roles["label_head"])
        scores = np.einsum("mi,ilj,hj->hml", dependent, self.weights["label"], head)
        return scores - np.logaddexp.reduce(scores, axis=2, keepdims=True)

    def columns(self):
        x = self.vectors[1:] @ self.weights["tags"] + self.weights["tags_bias"]
        x = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
        return {name: x @ self.weights[name] + self.weights[f"{name}_bias"] for name in self.settings.columns}

    def part(self, kind, words):
        """Score one part, given the words of its indices."""
        indices = dict(zip(kind.indices, words, strict=True))
        product = np.ones(self.settings.rank)
        for index, word in indices.items():
            if index in ("s", "t") and word == indices["h"]:
                product = product * self.weights[f"none.{kind}"]
            elif index == "side":
                product = product * self.roles["last.right" if word else "last.left"][indices["h"]]
            elif (kind, index) != (PartKind.LAST, "h"):
                product = product * self.roles[f"{kind}.{index}"][word]
        return product.sum() / np.sqrt(self.settings.rank)

    @property
    def kinds(self):
        return higher_kinds(self.settings)


def _norm(x):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)


def _with_one(x):
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)


def parser(factorization="grand-sibling", projective=True, **choices):
    """Build a parser around a small network, as training does."""
    net, first_order = network(factorization=factorization, **choices), Trees(projective)
    return Parser(
        NeuralScorer(net),
        Trees(projective, factorization=factorization),
        NeuralTagger(net, {"upos": 1.5}) if net.settings.columns else None,
        {"name": "tiny", "language": "en"},
        Cascade([Stage(NeuralScorer(net, arcs_only=True), first_order, beam=1e-3)]),
    )
