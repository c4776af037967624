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

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from treewright.errors import UsageError
from treewright.execution import Executor, Task, Threads, dump_arrays, load_arrays, sharded
from treewright.features import DependencyFeatures, Weights
from treewright.features.generative import TABLE_BITS, Counts, GenerativeModels, count_models
from treewright.inference import Trees
from treewright.tagging import Tagger
from treewright.treebank import Sentence

__all__ = ["MOST_WORDS", "ExpectedCounts", "estimate_models"]

#: Longer sentences of raw text are left out (Table 2 of the paper).
MOST_WORDS = 128

#: The words of a shard: the counts of a shard are large, so that it must be worth the way.
SHARD_WORDS = 400_000

#: Arcs with a smaller probability are in no tree.
NEGLIGIBLE = 1e-4


@dataclass(frozen=True)
class ExpectedCounts(Task[list[Sentence], Counts]):
    """Counts what a first-order model expects of raw text (the r̂ of section 2.3, and the c of Equation 4).

    Attributes
    ----------
    features, weights, trees
        The model.
    tagger : Tagger, optional
        Tags sentences first.
    bits : int
        Two to this power is the size of the table of counts.
    """

    features: DependencyFeatures
    weights: Weights
    trees: Trees
    tagger: Tagger | None = None
    bits: int = TABLE_BITS

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
        return Counts(counts.expected, counts.occurring, counts.totals, counts.distinct, words)


def estimate_models(
    task: ExpectedCounts,
    sentences: Iterable[Sentence],
    *,
    executor: Executor | None = None,
    on_words: Callable[[int], None] = lambda words: None,
) -> GenerativeModels:
    """Estimate generative models from raw text (step 2).

    Parameters
    ----------
    task : ExpectedCounts
        What to count, by which model.
    sentences : iterable of Sentence
        Raw text: words alone.  Sentences that are empty or longer than `MOST_WORDS` are left out.
    executor : Executor, optional
        Who counts; the result does not depend on it.
    on_words : function of int
        Called with the number of words counted so far.

    Raises
    ------
    UsageError
        If there is nothing to count.
    """
    total: Counts | None = None
    usable = (sentence for sentence in sentences if 0 < len(sentence) <= MOST_WORDS)
    for counts in (executor or Threads(1)).map(task, sharded(usable, SHARD_WORDS, len)):
        if total is None:
            total = Counts.zero(len(counts.totals), task.bits)
        total = total.merge(counts)
        on_words(total.words)
    if total is None:
        raise UsageError("the raw text has no sentences to learn from")
    return GenerativeModels.of(total)
