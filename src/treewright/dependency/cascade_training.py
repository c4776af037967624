"""Training a cascade of stages that prune, fitting its thresholds, and what pruning does to a treebank.

A model knows the sentences that it has learned from better than any others.  So thresholds are fitted, and sentences to
learn from are pruned, by models of the other folds (`treewright.learning.folds`): what the next stage learns from is
then as uncertain as what it will be asked about.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Mask
from treewright.dependency.partial import attainable, surviving
from treewright.dependency.problem import ParsingProblem
from treewright.dependency.pruning import Cascade, Stage
from treewright.features import DependencyFeatures, FeatureSettings, Lexicon, LinearScorer, Weights
from treewright.inference import Trees
from treewright.inference.kinds import FACTORIZATIONS
from treewright.learning import StochasticGradient, train
from treewright.learning.folds import in_folds
from treewright.parsing.progress import PruningReport
from treewright.threads import in_order
from treewright.treebank import Sentence

__all__ = ["CascadeTraining", "compare_pruned", "fitted_beam", "report_pruning", "train_stage"]

#: Examples after which a model that prunes is good enough, in three epochs or more.
EXAMPLES = 36_000

#: Into how many folds a treebank is cut to fit thresholds.
FOLDS = 2

#: How far rounding may move the share of a probability.
ROUNDING = 1e-9


def report_pruning(pruner: Cascade | Stage, sentences: Sequence[Sentence], threads: int | None = None) -> PruningReport:
    """Compare what survives pruning with the gold trees."""
    return compare_pruned(list(in_order(pruner.allowed, sentences, threads)), sentences)


def compare_pruned(masks: Sequence[Mask], sentences: Sequence[Sentence]) -> PruningReport:
    """Compare the arcs of each sentence that have survived pruning with its gold tree."""
    words, known = sum(map(len, sentences)), sum(int((sentence.heads >= 0).sum()) for sentence in sentences)
    arcs = sum(len(sentence) ** 2 for sentence in sentences)
    survive = sum(int(mask.sum()) for mask in masks)
    gold = sum(
        int((mask[sentence.heads, np.arange(1, len(mask))] & (sentence.heads >= 0)).sum())
        for mask, sentence in zip(masks, sentences, strict=True)
    )
    return PruningReport(100 * survive / max(arcs, 1), survive / max(words, 1), 100 * gold / max(known, 1))


def train_stage(
    sentences: Sequence[Sentence],
    lexicon: Lexicon,
    trees: Trees,
    *,
    allowed: Sequence[Mask] | None = None,
    ignored: Collection[str] = (),
    bits: int | None = None,
    epochs: int | None = None,
    seed: int = 1,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Stage:
    """Train a log-linear model of few features, which prunes by its marginals.

    The lexicon is that of the model to prune for, ``trees`` are those of the stage, and ``allowed`` has the arcs of
    each sentence that the stages before it have left.  Attributes that are ``ignored`` have no features, and ``bits``
    are those of the tables (`FeatureSettings.of`); unless given, ``epochs`` depend on how many sentences there are.
    """
    kinds = [str(kind) for kind in FACTORIZATIONS[trees.factorization].kinds if kind != "last"]
    clusters = lexicon.clusters is not None
    settings = FeatureSettings.of(sentences, kinds=kinds, few=True, clusters=clusters, ignored=ignored, bits=bits)
    arc_bits, higher_bits = settings.arc_bits - 2, settings.higher_bits - 2  # few features need few places
    features = DependencyFeatures(replace(settings, arc_bits=arc_bits, higher_bits=higher_bits), lexicon)
    result = train(
        ParsingProblem(sentences, features, trees, allowed),
        StochasticGradient(),
        epochs=epochs or min(10, max(3, EXAMPLES // len(sentences))),
        seed=seed,
        on_progress=lambda progress: on_progress(progress.share),
    )
    if result.interrupted:
        raise KeyboardInterrupt
    return Stage(LinearScorer(features, Weights.compress(result.weights.values)), trees)


def fitted_beam(shares: npt.ArrayLike, loss: float) -> float:
    """Choose the largest threshold below which no more than a part of some gold arcs are, by their shares.

    The share of an arc is its probability relative to that of the best arc into the same word; it is 0 where a gold arc
    is lost already.

    Examples
    --------
    >>> round(fitted_beam([1.0, 0.5, 0.01, 1.0], loss=0.25), 6)
    0.5
    >>> fitted_beam([1.0, 0.5, 0.0, 1.0], loss=0.0)
    0.0
    """
    rising = np.sort(np.asarray(shares, float))
    lost = math.floor(loss * len(rising) + ROUNDING)
    return float(rising[lost]) * (1 - ROUNDING) if lost < len(rising) else 1.0


@dataclass(frozen=True)
class CascadeTraining:
    """How to train a cascade.

    Attributes
    ----------
    factorizations : sequence of str
        Which parts each stage scores.
    oracle_loss : float
        The share of the words of held-out folds whose gold head may be pruned.
    ignored, bits, epochs, seed
        See `train_stage`.
    """

    lexicon: Lexicon
    trees: Trees  # what is pruned for
    factorizations: Sequence[str] = ("arc",)
    oracle_loss: float = 0.01
    max_heads: int = 0
    threads: int | None = None
    ignored: Collection[str] = ()
    bits: int | None = None
    epochs: int | None = None
    seed: int = 1

    def run(
        self, sentences: Sequence[Sentence], on_progress: Callable[[float], None] = lambda share: None
    ) -> tuple[Cascade, list[Mask]]:
        """Train a cascade, and prune the sentences, each by models that have not seen it."""
        stages, masks = list[Stage](), list[Mask]()
        for number, factorization in enumerate(self.factorizations, 1):

            def report(share: float, begin: int = number - 1) -> None:
                on_progress((begin + share) / len(self.factorizations))

            trees = Trees(self.trees.projective, self.trees.single_root, factorization)
            train_one = partial(self._train, sentences, trees, masks)
            whole = train_one(range(len(sentences)), lambda share: report(share / 2))
            held_out = [whole] * len(sentences)  # a single sentence is no folds
            if len(sentences) >= FOLDS:
                fit = partial(_fitting, train_one)
                held_out = in_folds(fit, len(sentences), FOLDS, on_progress=lambda share: report((1 + share) / 2))
            stage, masks = self._fit(whole, held_out, sentences, masks, number)
            stages.append(stage)
        return Cascade(stages), masks

    def _train(
        self,
        sentences: Sequence[Sentence],
        trees: Trees,
        masks: Sequence[Mask],
        numbers: Sequence[int],
        on_progress: Callable[[float], None],
    ) -> Stage:
        """Train a stage on some of the sentences."""
        return train_stage(
            [sentences[number] for number in numbers],
            self.lexicon,
            trees,
            allowed=[masks[number] for number in numbers] if masks else None,
            ignored=self.ignored,
            bits=self.bits,
            epochs=self.epochs,
            seed=self.seed,
            on_progress=on_progress,
        )

    def _fit(
        self,
        whole: Stage,
        held_out: Sequence[Stage],
        sentences: Sequence[Sentence],
        masks: Sequence[Mask],
        number: int,
    ) -> tuple[Stage, list[Mask]]:
        """Fit the threshold of a stage, the first or a later one, and prune the sentences by the held-out models."""
        numbers = range(len(sentences))
        among: Sequence[Mask | None] = masks if masks else [None] * len(sentences)

        def find(index: int) -> Floats:
            return gold_shares(held_out[index], attainable(sentences[index], self.trees), among[index])

        shares = np.concatenate(list(in_order(find, numbers, self.threads)))
        beam = fitted_beam(shares, self.oracle_loss * number / len(self.factorizations))

        def prune(index: int) -> Mask:
            stage = replace(held_out[index], beam=beam, max_heads=self.max_heads)
            return surviving(partial(stage.allowed, among=among[index]), sentences[index], self.trees)

        return replace(whole, beam=beam, max_heads=self.max_heads), list(in_order(prune, numbers, self.threads))


def _fitting(
    train_one: Callable[[Sequence[int], Callable[[float], None]], Stage],
    others: list[int],
    on_progress: Callable[[float], None],
) -> Callable[[int], Stage]:
    """Train on the sentences of other folds; that stage is for every sentence of this one."""
    stage = train_one(others, on_progress)
    return lambda number: stage


def gold_shares(stage: Stage, sentence: Sentence, among: Mask | None = None) -> Floats:
    """Compute the shares of the known gold arcs of a sentence (`fitted_beam`)."""
    probabilities = stage.probabilities(sentence, among)
    words = 1 + np.flatnonzero(sentence.heads >= 0)
    shares: Floats = probabilities[sentence.heads[words - 1], words] / probabilities[:, words].max(axis=0)
    return shares
