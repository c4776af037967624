"""The choice of edit scripts as a problem to learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Heads
from treewright.features.weights import Weights
from treewright.learning.online import Mistake, product
from treewright.tagging.lemmas.choice import Choices, best_candidates, choice_features

__all__ = ["LemmaProblem"]


class LemmaProblem:
    """Words with their right scripts, some at a time, as training examples.

    Parameters
    ----------
    examples : sequence of Choices and int32 arrays
        The right candidates are indices of ``candidates``.
    size : int
        The number of weights.
    mask : uint32
    """

    def __init__(self, examples: Sequence[tuple[Choices, Heads]], size: int, mask: np.uint32) -> None:
        self.size = size
        self._examples, self._mask = examples, mask

    def __len__(self) -> int:
        return len(self._examples)

    def words(self, index: int) -> int:
        """Count the words of an example."""
        return len(self._examples[index][1])

    def mistake(self, index: int, weights: Weights, cost: float) -> Mistake | None:
        """Choose scripts, with ``cost`` added for each wrong one; None if all are right."""
        choices, gold = self._examples[index]
        found = best_candidates(choices, weights.table, self._mask, gold, cost)
        errors = np.count_nonzero(found != gold)
        if not errors:
            return None
        places, values = choice_features(choices, gold, found, self._mask)
        return Mistake(places, values, float(errors), product(weights.values, places, values))
