"""Mixtures of temperatures, by which scores become probabilities.

One temperature often fits only half of the scale: under it, parsers are too sure where they are sure, and not sure
enough where they are not.  An average of two distributions, one with a low and one with a high temperature, has heavier
tails and fits both ends.  It is still a distribution, and still ranks whole trees by their scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

__all__ = ["UNIT", "Mixture"]


@dataclass(frozen=True)
class Mixture:
    """Temperatures with their shares: scores are divided by each, and the resulting distributions are averaged.

    Iterating yields pairs of a temperature and its share.

    Examples
    --------
    >>> Mixture((0.5, 2.0), (0.75, 0.25)).mean(lambda temperature: 1 / temperature)
    1.625
    """

    temperatures: tuple[float, ...] = (1.0,)
    shares: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        if not all(temperature > 0 for temperature in self.temperatures):
            raise ValueError(f"temperatures must be positive: {self.temperatures}")
        if not all(share > 0 for share in self.shares) or not math.isclose(sum(self.shares), 1):
            raise ValueError(f"shares must be positive and sum to one: {self.shares}")

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return zip(self.temperatures, self.shares, strict=True)

    @classmethod
    def restore(cls, described: float | Sequence[Sequence[float]]) -> Self:
        """Read a mixture from a manifest: a number is a single temperature."""
        pairs = [(described, 1.0)] if isinstance(described, int | float) else described
        temperatures, shares = zip(*pairs, strict=True)
        return cls(tuple(map(float, temperatures)), tuple(map(float, shares)))

    def describe(self) -> float | list[list[float]]:
        """Describe the mixture for a manifest."""
        return self.temperatures[0] if len(self.temperatures) == 1 else [list(pair) for pair in self]

    def mean(self, value: Callable[[float], float]) -> float:
        """Average what is computed at each temperature."""
        return sum(share * value(temperature) for temperature, share in self)

    def log_mean(self, log_value: Callable[[float], float]) -> float:
        """Average probabilities whose logarithm is computed at each temperature; return the logarithm."""
        logs = [math.log(share) + log_value(temperature) for temperature, share in self]
        return logs[0] if len(logs) == 1 else float(np.logaddexp.reduce(logs))


#: Scores as they are.
UNIT = Mixture()
