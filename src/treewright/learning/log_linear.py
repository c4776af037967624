"""Log-linear estimation: the probability of the gold trees, with an L2 penalty (Koo et al. 2007, section 4.1).

::

    L(w) = −C Σᵢ log P(yᵢ | xᵢ; w) + ½ ‖w‖²

The gradient is w less C times (the features of the gold trees less those expected under the model), which are those of
all parts, each times its marginal.  L is convex, and any optimiser finds the same weights: here L-BFGS or conjugate
gradients in batches over all examples; online, exponentiated gradient
(`treewright.learning.exponentiated_gradient`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from treewright.features import Weights
from treewright.features.weights import Table
from treewright.kernels import kernel
from treewright.learning.parsing import ParsingProblem, weighted_parts
from treewright.learning.training import Run
from treewright.parallel import in_order

__all__ = ["LogLinear", "LogLinearObjective", "scatter"]

Floats = npt.NDArray[np.float64]

#: Parts with a smaller probability do not count in a gradient.
NEGLIGIBLE = 1e-7


class LogLinearObjective:
    """The value and the gradient of L.

    Parameters
    ----------
    problem : ParsingProblem
    C : float
        How much the data count against the penalty.
    threads : int
        How many to use, 0 for all cores; the result does not depend on it.
    """

    def __init__(self, problem: ParsingProblem, C: float, threads: int = 0) -> None:
        self.problem, self.C, self.threads = problem, C, threads

    def __call__(self, w: Floats, run: Run | None = None) -> tuple[float, Floats]:
        """Compute L(w) and its gradient, telling a run of the loss of each example."""
        weights, gradient, loss = Weights(w), w.copy(), 0.5 * float(w @ w)
        indices = run.examples(self.problem, shuffled=False) if run else iter(range(len(self.problem)))
        for negative_log, places, values in in_order(
            lambda index: self.example(index, weights), indices, self.threads, batch=4
        ):
            loss += self.C * negative_log
            scatter(gradient, places, values, -self.C)
            if run:
                run.saw(negative_log)
        return loss, gradient

    def loss(self, index: int, weights: Weights) -> float:
        """Give −log P of one gold tree."""
        problem, example = self.problem, self.problem.examples[index]
        _, scores = problem.score(index, weights)
        labels = example.labels if problem.features.labels else None
        return -float(problem.trees.log_prob(scores, example.heads, labels))

    def example(self, index: int, weights: Weights) -> tuple[float, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Give −log P of the gold tree, and its features less those expected."""
        problem, example = self.problem, self.problem.examples[index]
        hashed, scores = problem.score(index, weights)
        log_partition, marginals = problem.trees.expectations(scores)
        score = problem.trees.score(scores, example.heads, example.labels if problem.features.labels else None)
        gold = {name: (rows, np.ones(len(rows), np.float32)) for name, rows in problem.gold_parts(index).items()}
        expected = {name: -array for name, array in marginals.arrays.items()}
        lists = [
            problem.gradient(hashed, parts) for parts in (gold, weighted_parts(expected, scores.parts, NEGLIGIBLE))
        ]
        places, values = (np.concatenate(arrays) for arrays in zip(*lists, strict=True))
        return log_partition - score, places, values


@dataclass(frozen=True)
class LogLinear:
    """Log-linear estimation by a batch optimiser: an epoch is an iteration.

    Attributes
    ----------
    C : float
    optimizer : {"l-bfgs", "cg"}
    threads : int
        See `LogLinearObjective`.
    tolerance : float
        When the largest entry of the gradient, relative to C, is below this, the optimum is found.
    """

    C: float = 1.0
    optimizer: Literal["l-bfgs", "cg"] = "l-bfgs"
    threads: int = 0
    tolerance: float = 1e-4

    def learn(self, problem: ParsingProblem, run: Run) -> None:
        """Minimise L from zero."""
        from scipy.optimize import minimize  # takes a while to import, and most users never learn

        objective, values = LogLinearObjective(problem, self.C, self.threads), {}

        def value_and_gradient(w: Floats) -> tuple[float, Floats]:
            values["primal"], gradient = objective(w, run)
            return values["primal"], gradient

        def finished(w: Floats) -> None:
            run.finish(Weights(w.astype(np.float32)), values)

        options: dict[str, Any] = {"gtol": self.tolerance * self.C, "maxiter": 1_000_000}
        if self.optimizer == "l-bfgs":
            options |= {"maxcor": 5, "ftol": 0.0}
        solution = minimize(  # type: ignore[call-overload]
            value_and_gradient,
            np.zeros(problem.size),
            jac=True,
            method={"l-bfgs": "L-BFGS-B", "cg": "CG"}[self.optimizer],
            callback=finished,
            options=options,
        )
        if not run.finished:  # the optimum is where it starts
            finished(solution.x)


@kernel
def scatter(
    table: Table | npt.NDArray[np.float64], places: npt.NDArray[np.int32], values: npt.NDArray[np.float32], scale: float
) -> None:
    """Add ``scale`` times the values to their places in a table."""
    for i in range(len(places)):
        table[places[i]] += scale * values[i]
