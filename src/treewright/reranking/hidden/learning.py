"""Learning the weights of a hidden-variable model (Koo and Collins 2005, section 3.2).

Both learners minimise the loss of Eq. 3 with a penalty,

::

    L(θ) = −Σᵢ log p(t(i,1) | sᵢ, θ) + ‖θ‖² / 2C,

stochastic gradient descent one sentence at a time (as in the paper's experiments), conjugate gradient all at once (its
footnote 3).  L is not convex, and at zero all values of a group are alike and would stay so: learning starts from small
random weights.  The weight of the base log-probability is 1 plus what is learned, so the penalty holds it near 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.errors import UsageError
from treewright.features.weights import Weights
from treewright.learning.stochastic import descend
from treewright.learning.training import Run
from treewright.reranking.hidden.likelihood import add_gradient, candidate_scores
from treewright.reranking.hidden.trees import BASE, HiddenTrees
from treewright.threads import in_order

__all__ = ["ConjugateGradient", "HiddenProblem", "StochasticDescent", "base_unit", "score_trees"]

#: Into how many pieces a gradient is divided; not as many as threads, so that the sum does not depend on those.
PIECES = 16


class HiddenProblem:
    """Training examples: the lists of candidates.

    Parameters
    ----------
    trees : HiddenTrees
    size : int
        The number of weights.
    unit : float
        What the base log-probability is divided by to be a feature like others; see `base_unit`.
    """

    def __init__(self, trees: HiddenTrees, size: int, unit: float) -> None:
        self.trees, self.size, self.unit = trees, size, unit

    def __len__(self) -> int:
        """Count the sentences."""
        return len(self.trees.best)

    def words(self, index: int) -> int:
        """Count the words of all candidates of a sentence."""
        first, last = self.trees.candidates[index : index + 2]
        return int(self.trees.positions[last] - self.trees.positions[first])


def base_unit(trees: HiddenTrees) -> float:
    """Measure base log-probabilities: their root mean square, below the best of each sentence; 1 where all are 0."""
    below = trees.base[trees.base < 0]
    return float(np.sqrt(np.mean(below**2))) if len(below) else 1.0


def score_trees(trees: HiddenTrees, weights: Weights, unit: float, threads: int = 1) -> Floats:
    """Score all candidates: the logarithm of p(t | s) up to a constant of the sentence (Eq. 2)."""
    table, scale = weights.values, weights.scale
    found = in_order(lambda s: candidate_scores(trees, s, table, scale, unit), range(len(trees.best)), threads)
    return np.concatenate([np.empty(0), *found])


@dataclass(frozen=True)
class StochasticDescent:
    """Stochastic gradient descent: a step for each sentence, smaller from epoch to epoch.

    Attributes
    ----------
    C : float
        How much the data count against the penalty.
    rate : float
        The size of the first step; after t epochs it is 1 / (1 + t) of that.
    spread : float
        The standard deviation of the weights at the start.
    seed : int
        The weights at the start.
    """

    C: float = 1.0
    rate: float = 0.1
    spread: float = 0.05
    seed: int = 1

    def learn(self, problem: HiddenProblem, run: Run) -> None:
        """Step down the gradient of each sentence."""

        def step(index: int, weights: Weights, size: float) -> float:
            table = weights.values
            return float(add_gradient(problem.trees, index, table, weights.scale, problem.unit, table, -size))

        start = Weights(start_weights(problem.size, self.spread, self.seed))
        descend(problem, run, start, step, self.C, self.rate)


@dataclass(frozen=True)
class ConjugateGradient:
    """Nonlinear conjugate gradient (Polak and Ribière) with a line search, so that the objective never rises.

    Attributes
    ----------
    C, spread, seed
        As for `StochasticDescent`.
    tolerance : float
        Learning ends where no entry of the gradient, for one sentence on average, is larger.
    threads : int
        How many threads to use; the weights do not depend on it.
    """

    C: float = 1.0
    spread: float = 0.05
    seed: int = 1
    tolerance: float = 1e-5
    threads: int = 1

    def learn(self, problem: HiddenProblem, run: Run) -> None:
        """Minimise; an iteration is an epoch."""
        if not self.C > 0:
            raise UsageError(f"conjugate gradient needs a positive C, not {self.C:g}")
        from scipy.optimize import OptimizeResult, minimize  # takes a while to import, and most users never learn

        def finish(intermediate_result: OptimizeResult) -> None:
            objective = float(intermediate_result.fun) * len(problem)
            run.finish(Weights(intermediate_result.x.copy()), {"objective": objective})

        start = start_weights(problem.size, self.spread, self.seed)
        options: Any = {"maxiter": 1_000_000, "gtol": self.tolerance}
        objective = self.objective(problem, run)
        solution = minimize(objective, start, jac=True, method="CG", callback=finish, options=options)
        if not run.finished:  # the optimum is where it starts
            finish(solution)

    def objective(self, problem: HiddenProblem, run: Run | None = None) -> Callable[[Floats], tuple[float, Floats]]:
        """Give the function to minimise, per sentence: its value and gradient; a run hears of the losses."""
        pieces = np.array_split(np.arange(len(problem)), min(PIECES, len(problem)))

        def value_and_gradient(weights: Floats) -> tuple[float, Floats]:
            def losses_and_gradient(sentences: Ints) -> tuple[list[float], Floats]:
                part = np.zeros_like(weights)
                return [add_gradient(problem.trees, s, weights, 1.0, problem.unit, part, 1.0) for s in sentences], part

            indices = iter(run.examples(problem, shuffled=False) if run else range(len(problem)))
            gradient, value = weights / self.C, float(weights @ weights) / (2 * self.C)
            for losses, part in in_order(losses_and_gradient, pieces, self.threads, batch=1):
                gradient += part
                for loss in losses:
                    value += loss
                    next(indices)  # which reports progress
                    if run:
                        run.saw(loss)
            next(indices, None)
            return value / len(problem), gradient / len(problem)

        return value_and_gradient


def start_weights(size: int, spread: float, seed: int) -> Floats:
    """Draw weights near zero."""
    weights = np.random.default_rng(seed).normal(0, spread, size)
    weights[BASE] = 0
    return weights
