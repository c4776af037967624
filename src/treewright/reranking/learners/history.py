"""The rounds in which weights came about, so that those of any number of rounds can be had afterwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats, Places

__all__ = ["History"]


@dataclass(frozen=True, eq=False)
class History:
    """Rounds, in each of which a step was added to the weight of one feature (Collins and Koo 2005, Figure 3).

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
        """Count the rounds."""
        return len(self.features)

    def weights(self, rounds: int, feature_count: int) -> Floats:
        """Give the weight of each feature after so many rounds."""
        if not 0 <= rounds <= len(self):
            raise ValueError(f"there were {len(self)} rounds, not {rounds}")
        return np.bincount(self.features[:rounds], self.steps[:rounds], feature_count).astype(np.float64)

    def check(self, feature_count: int) -> None:
        """Raise a ValueError where rounds cannot be those of so many features."""
        if self.features.ndim != 1 or self.features.shape != self.steps.shape:
            raise ValueError("rounds need a feature and a step each")
        if len(self) and not 0 <= self.features.min() <= self.features.max() < feature_count:
            raise ValueError("a round has a feature that the model has not")
        if not np.isfinite(self.steps).all():
            raise ValueError("a round has a step that is no finite number")
