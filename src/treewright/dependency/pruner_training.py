"""Training a pruner, and what pruning does to a treebank."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np

from treewright.dependency.problem import ParsingProblem
from treewright.dependency.pruning import Pruner
from treewright.features import DependencyFeatures, FeatureSettings, Lexicon, LinearScorer, Weights
from treewright.inference import Trees
from treewright.learning import StochasticGradient, train
from treewright.parsing.progress import PruningReport
from treewright.threads import in_order
from treewright.treebank import Sentence

__all__ = ["report_pruning", "train_pruner"]

#: Examples after which a pruner is good enough, in three epochs or more.
EXAMPLES = 36_000


def report_pruning(pruner: Pruner, sentences: Sequence[Sentence], threads: int | None = None) -> PruningReport:
    """Compare what survives pruning with the gold trees."""
    words, known = sum(map(len, sentences)), sum(int((sentence.heads >= 0).sum()) for sentence in sentences)
    arcs = sum(len(sentence) ** 2 for sentence in sentences)
    masks = list(in_order(pruner.allowed, sentences, threads))
    survive = sum(int(mask.sum()) for mask in masks)
    gold = sum(
        int((mask[sentence.heads, np.arange(1, len(mask))] & (sentence.heads >= 0)).sum())
        for mask, sentence in zip(masks, sentences, strict=True)
    )
    return PruningReport(100 * survive / max(arcs, 1), survive / max(words, 1), 100 * gold / max(known, 1))


def train_pruner(
    sentences: Sequence[Sentence],
    lexicon: Lexicon,
    trees: Trees,
    *,
    ignored: Collection[str] = (),
    bits: int | None = None,
    epochs: int | None = None,
    seed: int = 1,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Pruner:
    """Train a first-order log-linear model of few features, which prunes by its marginals.

    The lexicon is that of the model to prune for, and the factorization of the trees does not matter.  Attributes that
    are ``ignored`` have no features, and ``bits`` are those of the tables (`FeatureSettings.of`); unless given,
    ``epochs`` depend on how many sentences there are.
    """
    clusters = lexicon.clusters is not None
    settings = FeatureSettings.of(sentences, kinds=["arc"], few=True, clusters=clusters, ignored=ignored, bits=bits)
    settings = replace(settings, arc_bits=settings.arc_bits - 2)  # few features need few places
    features, first_order = DependencyFeatures(settings, lexicon), Trees(trees.projective, trees.single_root)
    result = train(
        ParsingProblem(sentences, features, first_order),
        StochasticGradient(),
        epochs=epochs or min(10, max(3, EXAMPLES // len(sentences))),
        seed=seed,
        on_progress=lambda progress: on_progress(progress.share),
    )
    if result.interrupted:
        raise KeyboardInterrupt
    return Pruner(LinearScorer(features, Weights.compress(result.weights.values)), first_order)
