"""Stochastic gradient descent: log-linear estimation, one example at a time, in the primal.

The objective is that of `treewright.learning.log_linear`, divided by C and spread over the examples,

::

    L(w) / C = Σᵢ ( −log P(yᵢ | xᵢ; w) + ½ λ ‖w‖² ),      λ = 1 / (C N)

and each example is a step down the gradient of its own term (Bottou 2010).  The penalty shrinks all weights a little at
every step, which is done by shrinking the scale that they share, by a factor that stays above zero however heavy the
penalty is (that of a proximal step).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.features import Weights
from treewright.learning.log_linear import loss_and_features, scatter
from treewright.learning.parsing import ParsingProblem
from treewright.learning.training import Run

__all__ = ["StochasticGradient"]

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

    def learn(self, problem: ParsingProblem, run: Run) -> None:
        """Step down the gradient of each example."""
        table, scale, seen = np.zeros(problem.size, np.float32), 1.0, 0
        while True:
            for index in run.examples(problem):
                rate = self.rate / (1 + seen / len(problem))
                loss, places, values = loss_and_features(problem, index, Weights(table, scale))
                scatter(table, places, values, rate / scale)
                scale /= 1 + rate / (self.C * len(problem))
                if scale < SMALLEST_SCALE:
                    table *= np.float32(scale)
                    scale = 1.0
                run.saw(loss)
                seen += 1
            table *= np.float32(scale)
            scale = 1.0
            run.finish(Weights(table.copy()))
