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

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Places
from treewright.execution import Constant, Executor, Task, Threads, sharded
from treewright.features import Weights
from treewright.features.weights import Table
from treewright.kernels import kernel
from treewright.learning.batch import BatchOptimizer, minimize_smooth
from treewright.learning.problem import TreeProblem, weighted_parts
from treewright.learning.training import Run

__all__ = ["LogLinear", "LogLinearObjective", "loss_and_features", "scatter"]


#: Parts with a smaller probability do not count in a gradient.
NEGLIGIBLE = 1e-7

#: The words of a shard: enough for a second of work, since a sum of features takes a table of its own.
SHARD_WORDS = 8_192


@dataclass(frozen=True)
class LogLinearShard(Task[list[int], tuple[Floats, Places, Floats]]):
    """The part of some examples in L: their losses −log P, and the sum of their features less those expected.

    The sum is a list of places and of what is not zero there.

    Attributes
    ----------
    problem : Constant of TreeProblem
    weights : Weights
    """

    problem: Constant[TreeProblem]
    weights: Weights

    def __call__(self, shard: list[int]) -> tuple[Floats, Places, Floats]:
        """Go through the examples with these numbers."""
        problem = self.problem.value
        losses, total = np.empty(len(shard)), np.zeros(problem.size)
        for i, index in enumerate(shard):
            losses[i], places, values = loss_and_features(problem, index, self.weights)
            scatter(total, places, values, 1.0)
        places = np.flatnonzero(total).astype(np.int32)
        return losses, places, total[places]


class LogLinearObjective:
    """The value and the gradient of L.

    Parameters
    ----------
    problem : TreeProblem
    C : float
        How much the data count against the penalty.
    threads : int
        How many to use, 0 for all cores.
    executor : Executor, optional
        What to use instead of threads.  The result depends on neither.
    shard_words : int
        The words of a shard, on which the last bits of the result do depend.
    """

    def __init__(
        self,
        problem: TreeProblem,
        C: float,
        threads: int = 0,
        executor: Executor | None = None,
        shard_words: int = SHARD_WORDS,
    ) -> None:
        self.problem, self.C, self.shard_words = problem, C, shard_words
        self.executor = executor or Threads(threads)
        self._constant = Constant(problem)

    def __call__(self, w: Floats, run: Run | None = None) -> tuple[float, Floats]:
        """Compute L(w) and its gradient, telling a run of the loss of each example."""
        shared = w.view()
        shared.flags.writeable = False  # as it is where it is mapped into memory, so that kernels are the same
        task = LogLinearShard(self._constant, Weights(shared))
        indices = iter(run.examples(self.problem, shuffled=False) if run else range(len(self.problem)))
        shards = sharded(range(len(self.problem)), self.shard_words, self.problem.words)
        gradient, loss = w.copy(), 0.5 * float(w @ w)
        for losses, places, values in self.executor.map(task, shards):
            gradient[places] -= self.C * values
            for negative_log in losses.tolist():
                loss += self.C * negative_log
                next(indices)  # which reports progress
                if run:
                    run.saw(negative_log)
        next(indices, None)
        return loss, gradient

    def loss(self, index: int, weights: Weights) -> float:
        """Give −log P of one gold tree."""
        _, scores = self.problem.score(index, weights)
        return -self.problem.trees.log_prob(scores, *self.problem.gold(index))


def loss_and_features(
    problem: TreeProblem, index: int, weights: Weights
) -> tuple[float, Places, npt.NDArray[np.float32]]:
    """Give −log P of the gold tree of an example, and its features less those expected."""
    hashed, scores = problem.score(index, weights)
    log_partition, marginals = problem.trees.expectations(scores)
    score = problem.trees.score(scores, *problem.gold(index))
    gold = {name: (rows, np.ones(len(rows), np.float32)) for name, rows in problem.gold_parts(index).items()}
    expected = {name: -array for name, array in marginals.arrays.items()}
    lists = [problem.gradient(hashed, parts) for parts in (gold, weighted_parts(expected, scores.parts, NEGLIGIBLE))]
    places, values = (np.concatenate(arrays) for arrays in zip(*lists, strict=True))
    return log_partition - score, places, values


@dataclass(frozen=True)
class LogLinear:
    """Log-linear estimation by a batch optimiser: an epoch is an iteration.

    Attributes
    ----------
    C : float
    optimizer : {"l-bfgs", "cg"}
    threads, executor, shard_words
        See `LogLinearObjective`.
    tolerance : float
        When the largest entry of the gradient, relative to C, is below this, the optimum is found.
    """

    C: float = 1.0
    optimizer: BatchOptimizer = "l-bfgs"
    threads: int = 0
    tolerance: float = 1e-4
    executor: Executor | None = None
    shard_words: int = SHARD_WORDS

    def learn(self, problem: TreeProblem, run: Run) -> None:
        """Minimise L from zero."""
        objective, values = LogLinearObjective(problem, self.C, self.threads, self.executor, self.shard_words), {}

        def value_and_gradient(w: Floats) -> tuple[float, Floats]:
            values["primal"], gradient = objective(w, run)
            return values["primal"], gradient

        def finished(w: Floats) -> None:
            run.finish(Weights(w.astype(np.float32)), values)

        start, tolerance = np.zeros(problem.size), self.tolerance * self.C
        solution = minimize_smooth(value_and_gradient, start, self.optimizer, tolerance, finished)
        if not run.finished:  # the optimum is where it starts
            finished(solution)


@kernel
def scatter(
    table: Table | npt.NDArray[np.float64], places: npt.NDArray[np.int32], values: npt.NDArray[np.float32], scale: float
) -> None:
    """Add ``scale`` times the values to their places in a table."""
    for i in range(len(places)):
        table[places[i]] += scale * values[i]
