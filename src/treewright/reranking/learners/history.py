"""The rounds of a learner, from which the weights after any number of rounds can be recovered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats, Places

__all__ = ["History"]


@dataclass(frozen=True, eq=False)
class History:
    """Rounds, each of which added a step to the weight of one feature (Collins and Koo 2005, Figure 3).

    Attributes
    ----------
    features : (rounds,) int32
    steps : (rounds,) float64

    Examples
    --------
    >>> history = History(np.array([2, 0, 2], np.int32), np.array([1.0, -0.5, 0.25]))
    >>> history.weights(2, 3).tolist(), history.weights(3, 3).tolist()
    ([-0.5, 0.0, 1.0], [-0.5, 0.0, 1.25])
    """

    features: Places
    steps: Floats

    def __len__(self) -> int:
        """Return the number of rounds."""
        return len(self.features)

    def weights(self, rounds: int, feature_count: int) -> Floats:
        """Return the weight of each feature after this many rounds."""
        if not 0 <= rounds <= len(self):
            raise ValueError(f"rounds must be between 0 and {len(self)}, not {rounds}")
        return np.bincount(self.features[:rounds], self.steps[:rounds], feature_count).astype(np.float64)

    def check(self, feature_count: int) -> None:
        """Raise a ValueError unless the rounds fit a model with this many features."""
        if self.features.ndim != 1 or self.features.shape != self.steps.shape:
            raise ValueError("every round needs a feature and a step")
        if len(self) and not 0 <= self.features.min() <= self.features.max() < feature_count:
            raise ValueError("a round has a feature that is not in the model")
        if not np.isfinite(self.steps).all():
            raise ValueError("the step of a round is not finite")
