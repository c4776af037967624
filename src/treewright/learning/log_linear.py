"""Log-linear estimation of parsers: the probability of the gold trees, with an L2 penalty.

The losses are −log P(yᵢ | xᵢ; w) (Koo et al. 2007, section 4.1).  The gradient of one is the features that the model
expects less those of the gold tree; the expected ones are those of all parts, each times its marginal.  The objective
(`treewright.learning.batch.Objective`) is convex, and any optimiser finds the same weights: L-BFGS or conjugate
gradients over all examples at once (`LogLinear`), stochastic gradient descent (`treewright.learning.stochastic`) or
exponentiated gradient (`treewright.learning.exponentiated_gradient`) one example at a time.

Where only some heads of a tree are known, P is the probability of all trees that agree with them (the forest
likelihood), and their expected features take the place of those of the gold tree.  These losses are not convex.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats, Places, Singles
from treewright.execution import Constant, Executor, Task, Threads, sharded
from treewright.features import WeightedParts, Weights
from treewright.features.weights import Table
from treewright.inference import Scores
from treewright.kernels import kernel
from treewright.learning.batch import BatchOptimizer, Objective, learn_in_batch
from treewright.learning.problem import TreeProblem, weighted_parts
from treewright.learning.training import Run

__all__ = ["LogLinear", "TreeLosses", "loss_and_features", "negative_log_probability", "scatter"]


#: Parts that are less probable do not count in a gradient.
NEGLIGIBLE = 1e-7

#: The words of a shard: about a second of work, since the sum of its features takes a table of its own.
SHARD_WORDS = 8_192


@dataclass(frozen=True)
class LossShard(Task[list[int], tuple[Floats, Places, Floats]]):
    """The losses of some examples, and the sum of their gold features less those expected.

    The sum is a list of places and of the values there that are not zero.
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


class TreeLosses:
    """The losses −log P of gold trees, for `treewright.learning.batch.Objective`.

    They are computed by an executor, or by ``threads``, 0 for all cores; the result depends on neither, but its last
    bits depend on the words of a shard.
    """

    def __init__(
        self, problem: TreeProblem, threads: int = 0, executor: Executor | None = None, shard_words: int = SHARD_WORDS
    ) -> None:
        self.problem, self.executor = problem, executor or Threads(threads)
        self._shards = list(sharded(range(len(problem)), shard_words, problem.words))
        self._constant = Constant(problem)

    def __call__(self, w: Floats, scale: float, gradient: Floats) -> Iterator[float]:
        """Add ``scale`` times the gradient of the losses to ``gradient``, and yield the losses."""
        shared = w.view()
        shared.flags.writeable = False  # as where it is mapped into memory, so that the same kernels are compiled
        task = LossShard(self._constant, Weights(shared))
        for losses, places, values in self.executor.map(task, self._shards):
            gradient[places] -= scale * values
            yield from losses.tolist()


def loss_and_features(problem: TreeProblem, index: int, weights: Weights) -> tuple[float, Places, Singles]:
    """Compute −log P of the gold tree of an example, and list its features less those expected."""
    hashed, scores = problem.score(index, weights)
    log_partition, marginals = problem.trees.expectations(scores)
    score, gold = _right_parts(problem, index, scores)
    expected = {name: -array for name, array in marginals.arrays.items()}
    lists = [problem.gradient(hashed, parts) for parts in (gold, weighted_parts(expected, scores.parts, NEGLIGIBLE))]
    places, values = (np.concatenate(arrays) for arrays in zip(*lists, strict=True))
    return log_partition - score, places, values


def _right_parts(problem: TreeProblem, index: int, scores: Scores) -> tuple[float, dict[str, WeightedParts]]:
    """Return the score and the parts of the gold tree; of a partial one, log Z and marginals of trees that agree."""
    known = problem.known(index)
    if known is not None:
        log_total, agreeing = problem.trees.expectations(known.of_arcs(scores))
        return log_total, weighted_parts(agreeing.arrays, scores.parts, NEGLIGIBLE)
    score = problem.trees.score(scores, *problem.gold(index))
    return score, {name: (rows, np.ones(len(rows), np.float32)) for name, rows in problem.gold_parts(index).items()}


def negative_log_probability(problem: TreeProblem, index: int, weights: Weights) -> float:
    """Compute −log P of the gold tree of an example, or of the trees that agree with it."""
    _, scores = problem.score(index, weights)
    known = problem.known(index)
    if known is not None:
        return problem.trees.log_partition(scores) - problem.trees.log_partition(known.of_arcs(scores))
    return -problem.trees.log_prob(scores, *problem.gold(index))


@dataclass(frozen=True)
class LogLinear:
    """Log-linear estimation by a batch optimiser: an epoch is an iteration.

    Attributes
    ----------
    C : float
        The weight of the data relative to the penalty.
    optimizer : {"l-bfgs", "cg"}
    threads, executor, shard_words
        See `TreeLosses`.
    tolerance : float
        The optimum is found when the largest entry of the gradient, relative to C, is below this.
    """

    C: float = 1.0
    optimizer: BatchOptimizer = "l-bfgs"
    threads: int = 0
    tolerance: float = 1e-4
    executor: Executor | None = None
    shard_words: int = SHARD_WORDS

    def learn(self, problem: TreeProblem, run: Run) -> None:
        """Minimise the objective from zero."""
        objective = Objective(TreeLosses(problem, self.threads, self.executor, self.shard_words), self.C)
        start = np.zeros(problem.size, np.float32)
        learn_in_batch(objective, problem, run, start, self.optimizer, self.tolerance * self.C)


@kernel
def scatter(table: Table | Floats, places: Places, values: Singles, scale: float) -> None:
    """Add ``scale`` times the values to their places in a table."""
    for i in range(len(places)):
        table[places[i]] += scale * values[i]
