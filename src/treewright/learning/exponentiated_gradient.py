"""Exponentiated gradient: max-margin and log-linear estimation, one example at a time, in the dual.

The dual variables are a distribution over the trees of each example, α(i, y) ∝ exp Σ θ(i, part), so that one number θ
for each part is enough to represent it.  They determine the weights

::

    w = C Σᵢ (f(xᵢ, yᵢ) − Σ μᵢ(part) f(xᵢ, part)),      μᵢ the marginals of θᵢ

Visiting an example moves its θ up the gradient of the dual, and changes w by the change of its marginals:

- *max-margin* (Koo et al. 2007, section 4.2 and Figure 2; Bartlett et al. 2004): θ′ = θ + ηC (l + w · f), where l is 1
  for a wrong arc (and for a wrong label);
- *log-linear* (Globerson et al. 2007; Collins et al. 2008): θ′ = θ + ηC (w · f − θ).

The dual objective is −½ ‖w‖² plus C times the expected errors (max-margin) or the entropies (log-linear) of the α's.
It rises to the minimum of the primal objective.  Both are reported: the gap between them bounds what is left to gain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from treewright.arrays import Array
from treewright.features import Hashed, Weights
from treewright.inference import Parts, Scores
from treewright.learning.log_linear import NEGLIGIBLE, negative_log_probability, scatter
from treewright.learning.problem import TreeProblem, add_cost, weighted_parts
from treewright.learning.training import Run
from treewright.threads import in_order

__all__ = ["ExponentiatedGradient", "LogLinearEG", "MaxMargin"]

#: One array for each kind of part, as in `Scores`.
Theta: TypeAlias = dict[str, Array]


@dataclass(frozen=True)
class ExponentiatedGradient:
    """The algorithm, for both losses.

    Attributes
    ----------
    C, rate : float
        The weight of the data relative to the penalty, and ηC for the learning rate η of the first epoch.
    beta : float
        The value of θ at the start for gold arcs and gold labels; zero for all others.
    threads : int
        How many threads compute the primal objective, 0 for all cores.
    report_primal : bool
        Whether to compute the primal objective after each epoch, which takes about a third as long as the epoch.
    """

    C: float = 1.0
    beta: float = 9.0
    rate: float = 1.0
    threads: int = 0
    report_primal: bool = True

    def learn(self, problem: TreeProblem, run: Run) -> None:
        """Raise the dual objective, example by example; halve the rate η after each epoch in which it has not risen."""
        weights = Weights(np.zeros(problem.size, np.float32))
        theta = [self._start(problem, index, weights) for index in range(len(problem))]
        rate, last = self.rate, -np.inf
        while True:
            gained = 0.0
            for index in run.examples(problem):
                gain = self._visit(problem, index, weights, theta, rate)
                run.saw(gain)
                gained += gain
            squared_norm = float(weights.values @ weights.values.astype(np.float64))
            objectives = {"dual": self.C * gained - 0.5 * squared_norm}
            if self.report_primal:
                objectives["primal"] = self.C * self.primal_loss(problem, weights) + 0.5 * squared_norm
            if objectives["dual"] <= last:
                rate /= 2
            last = objectives["dual"]
            run.finish(Weights(weights.values.copy()), objectives)

    def _start(self, problem: TreeProblem, index: int, weights: Weights) -> Theta:
        """Set θ of an example to β on the gold arcs and labels, and add its contribution to the weights."""
        hashed, scores = problem.score(index, Weights(np.zeros(problem.size, np.int8)))
        theta = {name: np.zeros(array.shape, np.float32) for name, array in scores.arrays.items()}
        add_cost(_scores(theta, scores.parts), *problem.gold(index), -self.beta)
        gold = {name: (rows, np.ones(len(rows), np.float32)) for name, rows in problem.gold_parts(index).items()}
        _, marginals = problem.trees.expectations(_scores(theta, scores.parts))
        scatter(weights.values, *problem.gradient(hashed, gold), self.C)
        self._change(problem, hashed, weights, marginals.arrays, scores.parts, -self.C)
        return theta

    def _visit(self, problem: TreeProblem, index: int, weights: Weights, theta: list[Theta], rate: float) -> float:
        """Move the dual variables of one example, and return its term of the dual objective."""
        hashed, scores = problem.score(index, weights)
        parts, before = scores.parts, theta[index]
        _clear(scores)
        after = self._moved(problem, index, before, scores, rate)
        log_partition, marginals = problem.trees.expectations(_scores(after, parts))
        _, old = problem.trees.expectations(_scores(before, parts))
        change = {name: old.arrays[name] - array for name, array in marginals.arrays.items()}
        self._change(problem, hashed, weights, change, parts, self.C)
        theta[index] = after
        return self._gain(problem, index, after, log_partition, marginals)

    def _change(
        self,
        problem: TreeProblem,
        hashed: Hashed,
        weights: Weights,
        coefficients: Theta,
        parts: Parts | None,
        scale: float,
    ) -> None:
        weighted = weighted_parts(coefficients, parts, NEGLIGIBLE)
        scatter(weights.values, *problem.gradient(hashed, weighted), scale)

    def _moved(self, problem: TreeProblem, index: int, theta: Theta, scores: Scores, rate: float) -> Theta:
        raise NotImplementedError

    def _gain(self, problem: TreeProblem, index: int, theta: Theta, log_partition: float, marginals: Scores) -> float:
        raise NotImplementedError

    def primal_loss(self, problem: TreeProblem, weights: Weights) -> float:
        """Sum the losses of all examples, without C and the penalty."""
        return sum(in_order(lambda index: self._loss(problem, index, weights), range(len(problem)), self.threads))

    def _loss(self, problem: TreeProblem, index: int, weights: Weights) -> float:
        raise NotImplementedError


@dataclass(frozen=True)
class MaxMargin(ExponentiatedGradient):
    """Max-margin estimation (Koo et al. 2007, Figure 2)."""

    name: ClassVar[str] = "max-margin"

    def _moved(self, problem: TreeProblem, index: int, theta: Theta, scores: Scores, rate: float) -> Theta:
        # Subtracting one from gold arcs is adding one to all others: it changes no distribution.
        add_cost(scores, *problem.gold(index), 1.0)
        return {name: theta[name] + rate * array for name, array in scores.arrays.items()}

    def _gain(self, problem: TreeProblem, index: int, theta: Theta, log_partition: float, marginals: Scores) -> float:
        """Return the expected number of errors."""
        right = Scores.unchecked(
            parts=marginals.parts, **{name: np.zeros(array.shape) for name, array in marginals.arrays.items()}
        )
        heads, labels = problem.gold(index)
        add_cost(right, heads, labels, -1.0)
        errors = (len(heads) - 1) * (1 if labels is None else 2)
        return errors - sum(float((marginals.arrays[name] * array).sum()) for name, array in right.arrays.items())

    def _loss(self, problem: TreeProblem, index: int, weights: Weights) -> float:
        """Return the hinge loss: by how much the gold tree fails to beat some other by its number of errors."""
        _, scores = problem.score(index, weights)
        heads, labels = problem.gold(index)
        add_cost(scores, heads, labels, 1.0)
        return problem.trees.argmax(scores).score - problem.trees.score(scores, heads, labels)


@dataclass(frozen=True)
class LogLinearEG(ExponentiatedGradient):
    """Log-linear estimation (Collins et al. 2008)."""

    name: ClassVar[str] = "log-linear"

    def _moved(self, problem: TreeProblem, index: int, theta: Theta, scores: Scores, rate: float) -> Theta:
        return {name: theta[name] + rate * (array - theta[name]) for name, array in scores.arrays.items()}

    def _gain(self, problem: TreeProblem, index: int, theta: Theta, log_partition: float, marginals: Scores) -> float:
        """Return the entropy of the distribution."""
        return log_partition - sum(float((theta[name] * array).sum()) for name, array in marginals.arrays.items())

    def _loss(self, problem: TreeProblem, index: int, weights: Weights) -> float:
        return negative_log_probability(problem, index, weights)


def _scores(arrays: Theta, parts: Parts | None) -> Scores:
    return Scores.unchecked(parts=parts, **arrays)


def _clear(scores: Scores) -> None:
    """Set the scores of impossible arcs to zero instead of minus infinity, which could not be moved."""
    if scores.parts is None:
        scores.arc[:, 0] = 0
        np.fill_diagonal(scores.arc, 0)
