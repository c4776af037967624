"""Online learning: one example at a time, weights averaged over all of them.

A learner chooses the size of a step (`Perceptron`, `Mira`), a problem its direction (`OnlineProblem`): the features of
the right answer less those of the answer found.  Parsers and taggers are problems; both learners can solve each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from treewright.arrays import Floats, Places, Singles
from treewright.features.weights import Table, Weights
from treewright.kernels import kernel
from treewright.learning.training import Examples, Run

__all__ = ["AveragedWeights", "Mira", "Mistake", "OnlineLearner", "OnlineProblem", "Perceptron", "product"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """An answer that differs from the right one.

    Attributes
    ----------
    places, values : int32 and float32 arrays
        The features of the right answer less those of the answer found; a place may occur more than once.
    loss : float
        The number of errors in the answer found.
    margin : float
        The score of the right answer less that of the answer found.
    """

    places: Places
    values: Singles
    loss: float
    margin: float


class OnlineProblem(Examples, Protocol):
    """Training examples, and a way to answer them with given weights."""

    def mistake(self, index: int, weights: Weights, cost: float) -> Mistake | None:
        """Answer one example by cost-augmented search: each error adds ``cost`` to the score, but not to the margin.

        Return None if the answer is right.
        """


class OnlineLearner(ABC):
    """A rule for the size of steps."""

    cost: float  # the amount that each error adds to the score of an answer during the search
    resolution: ClassVar[float | None] = None  # a number that all steps are integer multiples of, if there is one

    @abstractmethod
    def step(self, loss: float, margin: float, squared_norm: float) -> float:
        """Choose the size of the step towards the right answer."""

    def learn(self, problem: OnlineProblem, run: Run) -> None:
        """Step after each mistake; the weights learned are the average."""
        weights = AveragedWeights(problem.size, self.resolution)
        while True:
            for index in run.examples(problem):
                mistake = problem.mistake(index, weights.current, self.cost)
                weights.update(mistake, self)
                run.saw(mistake.loss if mistake else 0.0)
            run.finish(weights.average())


@dataclass(frozen=True)
class Perceptron(OnlineLearner):
    """The averaged perceptron (Collins 2002): every mistake counts the same, so that weights are integers."""

    cost: float = 0.0
    resolution = 1.0

    def step(self, loss: float, margin: float, squared_norm: float) -> float:
        """Step by one."""
        return 1.0


@dataclass(frozen=True)
class Mira(OnlineLearner):
    """1-best MIRA (Crammer et al. 2006; McDonald et al. 2005): the smallest step that corrects the mistake.

    The search is cost-augmented, so that the answer found is the one that violates the margin most.  The right answer
    must beat it by its number of errors, as in the hinge loss of Koo et al. (2007, section 4.2).

    Attributes
    ----------
    C : float
        The largest step.
    """

    C: float = 0.01
    cost: float = 1.0

    def step(self, loss: float, margin: float, squared_norm: float) -> float:
        """Solve min ½‖w′ − w‖² subject to margin ≥ loss, with steps of at most C."""
        return min(self.C, max(0.0, loss - margin) / squared_norm)


class AveragedWeights:
    """Weights together with their average over all examples seen.

    Keeps the weights w and the sum u of clock · change, where the clock is the number of examples before the change.
    The average after c examples is w − u / c, and the cost of an example depends only on what it changes (Daumé 2006,
    section 2.2.1, whose clock starts at 1 and so includes the zeros of the start in the average).
    """

    def __init__(self, size: int, resolution: float | None = None) -> None:
        self.current = Weights(np.zeros(size, np.float32), resolution=resolution)
        self._weighted = np.zeros(size, np.float64)
        self._scratch = np.zeros(size, np.float32)
        self._clock = 0

    def update(self, mistake: Mistake | None, learner: OnlineLearner) -> float:
        """Learn from one example and return the size of the step."""
        step = 0.0
        if mistake is not None:
            places, values, squared_norm = combine(mistake.places, mistake.values, self._scratch)
            if squared_norm > 0:
                step = learner.step(mistake.loss, mistake.margin, squared_norm)
                add(self.current.values, self._weighted, places, values, step, self._clock)
        self._clock += 1
        return step

    def average(self) -> Weights:
        """Return the average of the weights over all examples so far."""
        return Weights(average(self.current.values, self._weighted, max(self._clock, 1)))


@kernel
def combine(places: Places, values: Singles, scratch: Singles) -> tuple[Places, Singles, float]:
    """Sum the values of equal places and drop those that cancel; also return the squared norm.

    ``scratch`` is a table of zeros as large as the weights; it is all zeros again afterwards.
    """
    for i in range(len(places)):
        scratch[places[i]] += values[i]
    kept = 0
    squared_norm = 0.0
    for i in range(len(places)):
        value = scratch[places[i]]
        if value != 0:
            scratch[places[i]] = 0
            places[kept] = places[i]
            values[kept] = value
            squared_norm += value * value
            kept += 1
    return places[:kept], values[:kept], squared_norm


@kernel
def add(weights: Table, weighted: Floats, places: Places, values: Singles, step: float, clock: int) -> None:
    """Change the weights by ``step`` times ``values``, and their weighted sum along with them."""
    for i in range(len(places)):
        change = step * values[i]
        weights[places[i]] += change
        weighted[places[i]] += clock * change


@kernel
def product(weights: Table, places: Places, values: Singles) -> float:
    """Multiply weights with a list of features."""
    total = 0.0
    for i in range(len(places)):
        total += weights[np.uintp(places[i])] * values[i]
    return total


@kernel
def average(weights: Table, weighted: Floats, clock: int) -> Singles:
    """Compute w − u / c, without a temporary table of doubles."""
    averaged = np.empty(len(weights), np.float32)
    for i in range(len(weights)):
        averaged[i] = weights[i] - weighted[i] / clock
    return averaged
