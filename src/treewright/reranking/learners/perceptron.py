"""The averaged perceptron on candidates, as a baseline (Collins 2002).

For each sentence, if the candidate with the highest score is worse than the best one, the features of the best are
added to the weights and those of the other are subtracted.  The result is the average of the weights after each
sentence of each epoch.  α₀, the weight of the base model, is fixed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treewright.arrays import Floats, Ints, Places, Singles
from treewright.errors import UsageError
from treewright.kernels import kernel
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.candidates.scoring import add_features, feature_values

__all__ = ["perceptron"]


def perceptron(
    candidates: Candidates,
    epochs: int = 10,
    *,
    alpha: float = 1.0,
    seed: int = 0,
    report: Callable[[int], None] | None = None,
) -> Floats:
    """Learn weights; sentences are shuffled in each epoch, by ``seed``."""
    if epochs < 1:
        raise UsageError(f"the perceptron needs at least one epoch, not {epochs}")
    weights, sums = np.zeros(candidates.feature_count), np.zeros(candidates.feature_count)
    random, best = np.random.default_rng(seed), candidates.oracle()
    for epoch in range(epochs):
        _run_epoch(
            candidates.offsets,
            alpha * candidates.log_probability,
            candidates.score,
            candidates.feature_offsets,
            candidates.features,
            feature_values(candidates),
            random.permutation(candidates.sentences),
            best,
            weights,
            sums,
            epoch * candidates.sentences,
        )
        if report:
            report(epoch + 1)
    return weights - sums / max(epochs * candidates.sentences, 1)


@kernel
def _run_epoch(
    offsets: Ints,
    base: Floats,
    gold: Floats,
    feature_offsets: Ints,
    features: Places,
    values: Singles,
    order: Ints,
    best: Ints,
    weights: Floats,
    sums: Floats,
    seen: int,
) -> None:
    """Update weights on all sentences; ``sums`` adds up updates, each times the number of sentences before it."""
    for i in order:
        chosen, highest = -1, -np.inf
        for c in range(offsets[i], offsets[i + 1]):
            score = base[c]
            for place in range(feature_offsets[c], feature_offsets[c + 1]):
                score += weights[features[place]] * (values[place] if len(values) else 1.0)
            if chosen < 0 or score > highest:
                chosen, highest = c, score
        if gold[chosen] < gold[best[i]]:
            for c, sign in ((best[i], 1.0), (chosen, -1.0)):
                add_features(feature_offsets, features, values, c, sign, weights)
                add_features(feature_offsets, features, values, c, sign * seen, sums)
        seen += 1
