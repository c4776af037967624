"""The score on dev data after every round (Collins and Koo 2005, section 5.3 and Figure 5).

A round changes the scores of the candidates that have its feature, and so the choice in their sentences only.  So every
number of rounds is tested for the cost of a few passes over the data.
"""

from __future__ import annotations

import numpy as np

from treewright.arrays import Floats, Ints, Places, Singles
from treewright.kernels import kernel
from treewright.reranking.candidates.candidates import Candidates

__all__ = ["LearningCurve"]


class LearningCurve:
    """Follows the score of a model through its rounds, on dev data that has the features of the training data.

    ``scores`` has the sum of the scores of the chosen candidates (equation 21) after 0, 1, 2, … rounds.
    """

    def __init__(self, candidates: Candidates, alpha: float) -> None:
        count = candidates.feature_count
        candidate = np.repeat(np.arange(len(candidates), dtype=np.int32), np.diff(candidates.feature_offsets))
        order = np.argsort(candidates.features, kind="stable")
        self._offsets = np.searchsorted(candidates.features[order], np.arange(count + 1)).astype(np.int64)
        self._rows = candidate[order]
        ones = np.ones(len(order), np.float32)
        self._values = ones if candidates.values is None else candidates.values[order]
        self._sentence = np.repeat(np.arange(candidates.sentences), np.diff(candidates.offsets)).astype(np.int32)
        self._candidates, self._gold = candidates, candidates.score
        self._totals = alpha * candidates.log_probability
        self._chosen = candidates.best(self._totals)
        self.scores = [float(self._gold[self._chosen].sum())]

    def extend(self, features: Places, steps: Floats) -> None:
        """Follow more rounds."""
        gains = np.zeros(len(features))
        _follow(
            self._candidates.offsets,
            self._sentence,
            self._offsets,
            self._rows,
            self._values,
            self._gold,
            self._totals,
            self._chosen,
            features,
            steps,
            gains,
        )
        self.scores.extend((self.scores[-1] + np.cumsum(gains)).tolist())

    @property
    def best(self) -> int:
        """The first number of rounds with the highest score."""
        return int(np.argmax(self.scores))


@kernel
def _follow(
    offsets: Ints,
    sentence: Places,
    feature_offsets: Ints,
    rows: Places,
    values: Singles,
    gold: Floats,
    totals: Floats,
    chosen: Ints,
    features: Places,
    steps: Floats,
    gains: Floats,
) -> None:
    """Update scores and choices round by round; ``gains`` gets the change of the sum of gold scores in each."""
    for t in range(len(features)):
        at, end = feature_offsets[features[t]], feature_offsets[features[t] + 1]
        while at < end:
            i = sentence[rows[at]]
            while at < end and sentence[rows[at]] == i:
                totals[rows[at]] += steps[t] * values[at]
                at += 1
            best = offsets[i]
            for c in range(offsets[i] + 1, offsets[i + 1]):
                if totals[c] > totals[best]:
                    best = c
            gains[t] += gold[best] - gold[chosen[i]]
            chosen[i] = best
