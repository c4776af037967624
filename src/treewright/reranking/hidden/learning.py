"""Learning the weights of a hidden-variable model (Koo and Collins 2005, section 3.2).

Both learners minimise the objective of log-linear models (`treewright.learning.batch.Objective`) with the losses of
Eq. 3, −log p(t(i,1) | sᵢ, θ): stochastic gradient descent one sentence at a time (as in the paper's experiments),
conjugate gradient all at once (its footnote 3).  The objective is not convex, and at zero all values of a group are
alike and would stay so: learning starts from small random weights.  The weight of the base log-probability is 1 plus
what is learned, so the penalty holds it near 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats, Ints
from treewright.features.weights import Weights
from treewright.learning.batch import Objective, learn_in_batch
from treewright.learning.stochastic import Descent
from treewright.learning.training import Run
from treewright.reranking.hidden.likelihood import add_gradient, candidate_scores
from treewright.reranking.hidden.trees import BASE, HiddenTrees
from treewright.threads import in_order

__all__ = ["ConjugateGradient", "HiddenLosses", "HiddenProblem", "StochasticDescent", "base_unit", "score_trees"]

#: The number of pieces of a gradient; not the number of threads, on which the sum must not depend.
PIECES = 16


class HiddenProblem:
    """The training examples: lists of candidates; `base_unit` is the unit of the base log-probability as a feature."""

    def __init__(self, trees: HiddenTrees, size: int, unit: float) -> None:
        self.trees, self.size, self.unit = trees, size, unit

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.trees.candidates) - 1

    def words(self, index: int) -> int:
        """Count the words of all candidates of a sentence."""
        first, last = self.trees.candidates[index : index + 2]
        return int(self.trees.positions[last] - self.trees.positions[first])


def base_unit(trees: HiddenTrees) -> float:
    """Return the root mean square of the negative base log-probabilities, relative to the best; 1 if there are none."""
    below = trees.base[trees.base < 0]
    return float(np.sqrt(np.mean(below**2))) if len(below) else 1.0


def score_trees(trees: HiddenTrees, weights: Weights, unit: float, threads: int = 1) -> Floats:
    """Return log p(t | s) of all candidates (Eq. 2), up to a constant per sentence."""
    table, scale = weights.values, weights.scale
    found = in_order(
        lambda s: candidate_scores(trees, s, table, scale, unit), range(len(trees.candidates) - 1), threads
    )
    return np.concatenate([np.empty(0), *found])


class HiddenLosses:
    """The losses of all sentences, for `treewright.learning.batch.Objective`; they do not depend on ``threads``."""

    def __init__(self, problem: HiddenProblem, threads: int = 1) -> None:
        self._problem, self._threads = problem, threads
        self._pieces = np.array_split(np.arange(len(problem)), min(PIECES, len(problem)))

    def __call__(self, weights: Floats, scale: float, gradient: Floats) -> Iterator[float]:
        """Add ``scale`` times the gradient of the losses to ``gradient``, and yield the losses."""
        trees, unit = self._problem.trees, self._problem.unit

        def losses_and_gradient(sentences: Ints) -> tuple[list[float], Floats]:
            part = np.zeros_like(weights)
            return [add_gradient(trees, s, weights, 1.0, unit, part, 1.0) for s in sentences], part

        for losses, part in in_order(losses_and_gradient, self._pieces, self._threads, batch=1):
            gradient += scale * part
            yield from losses


@dataclass(frozen=True)
class StochasticDescent(Descent):
    """Stochastic gradient descent from small random weights: a step for each sentence, smaller from epoch to epoch.

    Attributes
    ----------
    C, rate
        See `treewright.learning.stochastic.Descent`.
    spread : float
        The standard deviation of the weights at the start.
    seed : int
        Determines the weights at the start.
    """

    rate: float = 0.1
    spread: float = 0.05
    seed: int = 1

    def learn(self, problem: HiddenProblem, run: Run) -> None:
        """Step down the gradient of each sentence."""

        def step(index: int, weights: Weights, size: float) -> float:
            table = weights.values
            return float(add_gradient(problem.trees, index, table, weights.scale, problem.unit, table, -size))

        self.descend(problem, run, Weights(start_weights(problem.size, self.spread, self.seed)), step)


@dataclass(frozen=True)
class ConjugateGradient:
    """Nonlinear conjugate gradient (Polak and Ribière) with a line search; the objective never rises.

    Attributes
    ----------
    C, spread, seed
        See `StochasticDescent`.
    tolerance : float
        Learning ends where no entry of the gradient, divided by C and the number of sentences, is larger.
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
        objective = Objective(HiddenLosses(problem, self.threads), self.C)
        start = start_weights(problem.size, self.spread, self.seed)
        learn_in_batch(objective, problem, run, start, "cg", self.tolerance, self.C * len(problem))


def start_weights(size: int, spread: float, seed: int) -> Floats:
    """Draw random weights near zero."""
    weights = np.random.default_rng(seed).normal(0, spread, size)
    weights[BASE] = 0
    return weights
