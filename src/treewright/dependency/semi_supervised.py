"""Learning from raw text: semi-supervised structured conditional models, SS-SCM (Suzuki et al. 2009).

Three steps (section 2.4), the last two of which can be repeated:

1. estimate a first-order log-linear model (w, v) from the treebank;
2. estimate generative models q of its features from what it expects of raw text
   (`treewright.features.generative`): exact marginals, by dynamic programming or the matrix-tree theorem;
3. estimate (w, v) again, with q fixed.

What follows is either the model of step 3, or any other parser with q as real-valued features (the two stages of
section 3.2).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np

from treewright.dependency.problem import ParsingProblem
from treewright.errors import UsageError
from treewright.execution import Executor, Keep, Task, Threads, dump_arrays, load_arrays, sharded
from treewright.features import DependencyFeatures, Weights
from treewright.features.generative import TABLE_BITS, Counts, GenerativeModels, count_models
from treewright.inference import Trees
from treewright.learning import LogLinear, train
from treewright.tagging import Tagger
from treewright.treebank import Sentence

__all__ = ["MOST_WORDS", "ExpectedCounts", "check_raw_text", "estimate_models", "learn_models"]

#: Longer sentences of raw text are left out (Table 2 of the paper).
MOST_WORDS = 128

#: The words of a shard: its counts are large, so a shard must be worth sending them.
SHARD_WORDS = 400_000

#: Iterations of L-BFGS: more do not help the estimates from raw text.
ITERATIONS = 30

#: Arcs with a smaller probability are in no tree.
NEGLIGIBLE = 1e-4


@dataclass(frozen=True)
class ExpectedCounts(Task[list[Sentence], Counts]):
    """Counts what a first-order model expects of raw text (the r̂ of section 2.3, and the c of Equation 4)."""

    features: DependencyFeatures
    weights: Weights
    trees: Trees
    tagger: Tagger | None = None  # tags sentences first
    bits: int = TABLE_BITS  # two to this power is the size of the table of counts

    def __call__(self, shard: list[Sentence]) -> Counts:
        """Count the features of some sentences."""
        counts: Counts | None = None
        words = 0
        for sentence in shard:
            hashed = self.features.hash(sentence if self.tagger is None else self.tagger.tag(sentence))
            if counts is None:
                counts = Counts.zero(count_models(hashed.arcs), self.bits, np.float32)
            probabilities = self.trees.marginals(self.features.score(hashed, self.weights)).arc
            probabilities[probabilities < NEGLIGIBLE] = 0
            counts.add(hashed.arcs, probabilities)
            words += len(sentence)
        assert counts is not None
        return replace(counts, words=words)

    def describe(self, shard: list[Sentence]) -> str:
        """Describe a shard by its first words."""
        return f"which begins {' '.join(shard[0].forms)[:40]!r}"

    @cached_property
    def _identity(self) -> bytes:
        """A digest of the model and the size of the table; the tagger was trained together with the model."""
        about = json.dumps([asdict(self.features.settings), self.trees.__dict__, self.weights.scale, self.bits])
        return hashlib.sha256(about.encode() + self.weights.values.tobytes()).digest()

    def identify(self, shard: list[Sentence]) -> bytes:
        """Return a digest of the model and the sentences."""
        text = "\n".join(" ".join(sentence.forms) for sentence in shard)
        return hashlib.sha256(self._identity + text.encode("utf-8", "replace")).digest()

    def dump(self, result: Counts) -> bytes:
        """Turn counts into bytes."""
        return dump_arrays(**{name: np.atleast_1d(array) for name, array in vars(result).items()})

    def load(self, data: bytes) -> Counts:
        """Turn bytes into counts."""
        arrays = load_arrays(data)
        return Counts(words=int(arrays.pop("words")[0]), **arrays)


def learn_models(
    sentences: Sequence[Sentence],
    unlabeled: Iterable[Sentence],
    features: DependencyFeatures,
    trees: Trees,
    tagger: Tagger | None = None,
    *,
    rounds: int = 1,
    C: float = 1.0,
    B: float = 0.03,
    iterations: int | None = None,
    executor: Executor | None = None,
    keep: Keep | None = None,
    on_progress: Callable[[str, float], None] = lambda stage, share: None,
) -> GenerativeModels:
    """Learn generative models of the features of arcs from a treebank and raw text (steps 1 and 2, and again).

    Parameters
    ----------
    sentences, unlabeled : iterable of Sentence
        The treebank, and raw text, which is gone through once for each round.
    features, trees
        Those of the parser to be: what they say of arcs, and whether trees are projective and have one root.
    tagger : Tagger, optional
        Tags the raw text.
    rounds, iterations : int
        How often to estimate a model and then generative models by it, and how long each model is trained.
    C, B : float
        How much the treebank counts against the size of the weights; what the models are multiplied by (Equation 8).
    executor, keep : optional
        What computes, and where finished shards of raw text are kept.
    on_progress : function
        Called with the name of a stage (``first-order`` or ``raw text``), and the share of it that is done, or 0 where
        that is unknown.
    """
    first_order = DependencyFeatures(features.settings.first_order(), features.lexicon)
    searched = Trees(trees.projective, trees.single_root)
    learner = LogLinear(C=C, threads=1, executor=executor)
    models: GenerativeModels | None = None
    for _ in range(rounds):
        known = first_order.with_models(models)
        result = train(
            ParsingProblem(sentences, known, searched),
            learner,
            epochs=iterations or ITERATIONS,
            on_progress=lambda progress: on_progress("first-order", progress.share),
        )
        if result.interrupted:
            raise KeyboardInterrupt
        weights = Weights.compress(result.weights.values)  # a byte each: raw text is read faster
        models = estimate_models(
            ExpectedCounts(known, weights, searched, tagger),
            unlabeled,
            executor=executor,
            keep=keep,
            on_words=lambda words: on_progress("raw text", getattr(unlabeled, "share", 0.0)),
        )
        models = replace(models, factor=B)
    assert models is not None
    return models


def estimate_models(
    task: ExpectedCounts,
    sentences: Iterable[Sentence],
    *,
    executor: Executor | None = None,
    keep: Keep | None = None,
    shard_words: int | None = None,
    on_words: Callable[[int], None] = lambda words: None,
) -> GenerativeModels:
    """Estimate generative models from raw text (step 2), on whichever executor; ``on_words`` hears how far it is.

    Sentences that are empty or longer than `MOST_WORDS` are left out; a `UsageError` is raised if none is left.
    """
    total: Counts | None = None
    shards = sharded(_usable(sentences), shard_words or SHARD_WORDS, len)
    for counts in (executor or Threads(1)).map(task, shards, keep=keep):
        if total is None:
            total = Counts.zero(len(counts.totals), task.bits)
        total = total.merge(counts)
        on_words(total.words)
    if total is None:
        raise _nothing_to_learn()
    return GenerativeModels.of(total)


def check_raw_text(sentences: Iterable[Sentence]) -> None:
    """Raise a `UsageError` if there is nothing to learn from; an iterator, which can be read only once, is trusted."""
    if iter(sentences) is not sentences and next(_usable(sentences), None) is None:
        raise _nothing_to_learn()


def _usable(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    return (sentence for sentence in sentences if 0 < len(sentence) <= MOST_WORDS)


def _nothing_to_learn() -> UsageError:
    return UsageError(f"the raw text has no sentences to learn from: give lines of 1 to {MOST_WORDS} words")
