"""Stochastic gradient descent: log-linear estimation, one example at a time, in the primal.

The objective is that of `treewright.learning.log_linear`, divided by C and spread over the examples,

::

    L(w) / C = Σᵢ ( −log P(yᵢ | xᵢ; w) + ½ λ ‖w‖² ),      λ = 1 / (C N)

and each example is a step down the gradient of its own term (Bottou 2010).  The penalty shrinks all weights a little at
every step, which is done by shrinking the scale that they share, by a factor that stays above zero however heavy the
penalty is (that of a proximal step).  `descend` takes any loss for −log P, also one with hidden variables.
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

__all__ = ["StochasticGradient", "descend"]

#: A scale that is smaller than this goes into the weights.
SMALLEST_SCALE = 1e-6


@dataclass(frozen=True)
class StochasticGradient:
    """Log-linear estimation by stochastic gradient descent.

    Attributes
    ----------
    C : float
        How much the data count against the penalty.
    rate : float
        The size of the first step; after t epochs it is 1 / (1 + t) of that.
    """

    C: float = 1.0
    rate: float = 0.03

    def learn(self, problem: TreeProblem, run: Run) -> None:
        """Step down the gradient of each example."""

        def step(index: int, weights: Weights, size: float) -> float:
            loss, places, values = loss_and_features(problem, index, weights)
            scatter(weights.values, places, values, size)
            return loss

        descend(problem, run, Weights(np.zeros(problem.size, np.float32)), step, self.C, self.rate)


def descend(
    problem: Examples,
    run: Run,
    start: Weights,
    step: Callable[[int, Weights, float], float],
    C: float,
    rate: float,
) -> None:
    """Go down epoch by epoch, until the run ends it.

    Parameters
    ----------
    problem : Examples
    run : Run
    start : Weights
        With a scale of 1; their table is changed.
    step : function
        Of an example, the weights, and a size: takes the gradient of the loss of the example, times the size, from
        the table, and gives the loss.
    C, rate : float
        See `StochasticGradient`.

    Raises
    ------
    UsageError
        When C or the rate is not positive, or the steps are so large that weights become infinite.
    """
    if not C > 0 or not rate > 0:
        raise UsageError(f"stochastic gradient descent needs a positive C and a positive rate, not {C:g} and {rate:g}")
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
            raise UsageError(f"the weights have become infinite: a rate of {rate:g} is too large, give a smaller one")
        run.finish(Weights(table.copy()))
