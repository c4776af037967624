"""Epochs: shuffle, learn, evaluate on the dev set, keep the best, stop when it stops getting better."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.features.weights import Weights
from treewright.learning.online import AveragedWeights, Learner, OnlineProblem

__all__ = ["Epoch", "Progress", "Result", "train"]


@dataclass(frozen=True)
class Progress:
    """Where a training stands, reported a few times a second.

    Attributes
    ----------
    epoch, epochs : int
        The current epoch, from 1, and how many there are at most.
    done, total : int
        Examples seen in this epoch, and how many it has.
    words_per_second : float
        Training speed in this epoch.
    loss : float
        Errors per example in this epoch so far, as the learner saw them.
    """

    epoch: int
    epochs: int
    done: int
    total: int
    words_per_second: float
    loss: float

    @property
    def share(self) -> float:
        """The share of all epochs that is done."""
        return (self.epoch - 1 + self.done / self.total) / self.epochs


@dataclass(frozen=True)
class Epoch:
    """The outcome of one epoch: its number, loss per example, seconds, dev scores, and whether it is the best."""

    number: int
    loss: float
    seconds: float
    dev: dict[str, float]
    best: bool


@dataclass(frozen=True)
class Result:
    """What training gives: the best weights and all epochs.

    ``interrupted`` tells that the user stopped it.
    """

    weights: Weights
    epochs: list[Epoch]
    interrupted: bool

    @property
    def best(self) -> Epoch | None:
        """The epoch whose weights were kept, None if not even one was finished."""
        return next((epoch for epoch in reversed(self.epochs) if epoch.best), None)


def train(
    problem: OnlineProblem,
    learner: Learner,
    *,
    epochs: int = 10,
    patience: int = 3,
    seed: int = 1,
    evaluate: Callable[[Weights], dict[str, float]] | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
) -> Result:
    """Learn averaged weights.

    Parameters
    ----------
    problem : OnlineProblem
    learner : Learner
    epochs : int
        Passes over the examples at most.
    patience : int
        How many epochs without a better dev score to wait before stopping.
    seed : int
        The order of the examples; the same seed gives the same weights.
    evaluate : function of Weights, optional
        Scores on the dev set, the one that decides first.  Without it the last epoch is the best.
    on_progress, on_epoch : function
        Called during and after each epoch.

    Returns
    -------
    Result
        With the averaged weights of the best epoch.  Ctrl-C ends training and keeps the best so far.
    """
    weights = AveragedWeights(problem.size)
    order = np.random.default_rng(seed)
    finished: list[Epoch] = []
    best, best_score, waited = weights.average(), -np.inf, 0
    interrupted = False
    try:
        for number in range(1, epochs + 1):
            start = time.perf_counter()
            loss = _run_epoch(problem, learner, weights, order, number, epochs, on_progress)
            average = weights.average()
            dev = evaluate(average) if evaluate else {}
            score = next(iter(dev.values()), float(number))
            better = score > best_score
            if better:
                best, best_score, waited = average, score, 0
            else:
                waited += 1
            finished.append(Epoch(number, loss, time.perf_counter() - start, dev, better))
            on_epoch(finished[-1])
            if waited >= patience:
                break
    except KeyboardInterrupt:
        interrupted = True
    return Result(best, finished, interrupted)


def _run_epoch(
    problem: OnlineProblem,
    learner: Learner,
    weights: AveragedWeights,
    order: np.random.Generator,
    number: int,
    epochs: int,
    on_progress: Callable[[Progress], None],
) -> float:
    """See every example once, in random order; return the loss per example."""
    start = reported = time.perf_counter()
    loss, words, total = 0.0, 0, len(problem)
    for done, index in enumerate(order.permutation(total), 1):
        mistake = problem.mistake(int(index), weights.current, learner.cost)
        weights.update(mistake, learner)
        words += problem.words(int(index))
        if mistake is not None:
            loss += mistake.loss
        now = time.perf_counter()
        if now - reported > 0.2 or done == total:
            reported = now
            speed = words / max(now - start, 1e-9)
            on_progress(Progress(number, epochs, done, total, speed, loss / done))
    return loss / max(total, 1)
