"""Stochastic gradient descent: log-linear estimation, one example at a time, in the primal.

The objective is that of `treewright.learning.batch`, divided by C and spread over the examples,

::

    L(w) / C = Σᵢ ( lossᵢ(w) + ½ λ ‖w‖² ),      λ = 1 / (C N)

and each example is a step down the gradient of its own term (Bottou 2010).  The penalty shrinks all weights a little at
every step.  It is applied to a scale that all weights share, by a factor that stays positive however heavy the penalty
is (that of a proximal step).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.errors import UsageError
from treewright.features.weights import Weights
from treewright.learning.log_linear import loss_and_features, scatter
from treewright.learning.problem import TreeProblem
from treewright.learning.training import Examples, Run

__all__ = ["Descent", "StochasticGradient"]

#: A scale that falls below this is multiplied into the weights.
SMALLEST_SCALE = 1e-6


@dataclass(frozen=True)
class Descent:
    """Stochastic gradient descent on any losses.

    Attributes
    ----------
    C : float
        The weight of the data relative to the penalty.
    rate : float
        The size of the first step; after t epochs it is 1 / (1 + t) of that.
    """

    C: float = 1.0
    rate: float = 0.03

    def descend(
        self, problem: Examples, run: Run, start: Weights, step: Callable[[int, Weights, float], float]
    ) -> None:
        """Descend, epoch by epoch, until the run ends it.

        The table of ``start``, whose scale is 1, is changed: ``step``, given an example, the weights and a size,
        subtracts from it the gradient of the loss times the size, and returns the loss.
        """
        C, rate = self.C, self.rate
        if not C > 0 or not rate > 0:
            raise UsageError(f"gradient descent needs a positive C and a positive rate, not {C:g} and {rate:g}")
        table, scale, seen = start.values, 1.0, 0
        while True:
            for index in run.examples(problem):
                length = rate / (1 + seen / len(problem))
                run.saw(step(index, Weights(table, scale), length / scale))
                scale /= 1 + length / (C * len(problem))
                if scale < SMALLEST_SCALE:
                    table *= table.dtype.type(scale)
                    scale = 1.0
                seen += 1
            table *= table.dtype.type(scale)
            scale = 1.0
            if not np.isfinite(table).all():
                raise UsageError(f"the weights have become infinite: the rate {rate:g} is too large, use a smaller one")
            run.finish(Weights(table.copy()))


@dataclass(frozen=True)
class StochasticGradient(Descent):
    """Log-linear estimation of parsers by stochastic gradient descent."""

    def learn(self, problem: TreeProblem, run: Run) -> None:
        """Step down the gradient of each example, from zero."""

        def step(index: int, weights: Weights, size: float) -> float:
            loss, places, values = loss_and_features(problem, index, weights)
            scatter(weights.values, places, values, size)
            return loss

        self.descend(problem, run, Weights(np.zeros(problem.size, np.float32)), step)
