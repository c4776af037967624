"""Epochs: learn, evaluate on the dev set, keep the best weights, stop when they no longer improve.

A learner (`Learner.learn`) reports each example and each finished epoch to a `Run`, which evaluates on the dev set and
ends the training.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from treewright.features.weights import Weights

__all__ = ["Epoch", "Examples", "Learner", "Progress", "Result", "Run", "train"]


@dataclass(frozen=True)
class Progress:
    """The progress of a training, reported a few times a second.

    Attributes
    ----------
    epoch, epochs : int
        The current epoch, from 1, and the maximum number of epochs.
    done, total : int
        The number of examples seen in this epoch, and of all examples.
    words_per_second : float
        Training speed in this epoch.
    loss : float
        Loss per example in this epoch so far, as the learner defines it.
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
    """The outcome of one epoch.

    Its number, loss per example, seconds, dev scores, whether it is the best so far, and the values of the objectives
    of the learner, if it has any (``primal``, ``dual``).
    """

    number: int
    loss: float
    seconds: float
    dev: dict[str, float]
    best: bool
    objectives: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """The result of training: the best weights and all epochs.

    ``interrupted`` is whether the user stopped it.
    """

    weights: Weights
    epochs: list[Epoch]
    interrupted: bool

    @property
    def best(self) -> Epoch | None:
        """The epoch whose weights were kept, None if none was finished."""
        return next((epoch for epoch in reversed(self.epochs) if epoch.best), None)


class Examples(Protocol):
    """Training examples, as a run sees them: their number and lengths."""

    size: int

    def __len__(self) -> int:
        """Count the examples."""

    def words(self, index: int) -> int:
        """Count the words of one example, for reports of speed."""


class Learner(Protocol):
    """An algorithm that turns examples into weights."""

    def learn(self, problem: Any, run: Run) -> None:
        """Learn, epoch by epoch, until the run ends it or there is nothing more to learn."""


class _Enough(Exception):  # noqa: N818 (it is no error)
    """Raised in a learner when it has learned enough."""


class Run:
    """Follows a learner: reports progress, evaluates epochs, and ends the training (see `train`)."""

    def __init__(
        self,
        start: Weights,
        epochs: int,
        patience: int,
        seed: int,
        evaluate: Callable[[Weights], dict[str, float]] | None,
        on_progress: Callable[[Progress], None],
        on_epoch: Callable[[Epoch], None],
    ) -> None:
        self.best, self.finished = start, list[Epoch]()
        self._epochs, self._patience, self._order = epochs, patience, np.random.default_rng(seed)
        self._evaluate, self._on_progress, self._on_epoch = evaluate, on_progress, on_epoch
        self._best_score, self._waited = -np.inf, 0
        self._start, self._loss, self._examples = time.perf_counter(), 0.0, 0

    def examples(self, problem: Examples, *, shuffled: bool = True) -> Iterator[int]:
        """Go through the examples once, in random order, and report progress."""
        self._start = reported = time.perf_counter()
        self._loss, self._examples, words = 0.0, 0, 0
        total = len(problem)
        for index in self._order.permutation(total).tolist() if shuffled else range(total):
            yield index
            words += problem.words(index)
            self._examples += 1
            now = time.perf_counter()
            if now - reported > 0.2 or self._examples == total:
                reported = now
                self._on_progress(
                    Progress(
                        len(self.finished) + 1,
                        self._epochs,
                        self._examples,
                        total,
                        words / max(now - self._start, 1e-9),
                        self._loss / self._examples,
                    )
                )

    def saw(self, loss: float) -> None:
        """Record the loss of one example."""
        self._loss += loss

    def finish(self, weights: Weights, objectives: Mapping[str, float] | None = None) -> None:
        """Finish an epoch with its weights, which must not change any more; ends the learner when it is time."""
        dev = self._evaluate(weights) if self._evaluate else {}
        number = len(self.finished) + 1
        score = next(iter(dev.values()), float(number))
        better = score > self._best_score
        if better:
            self.best, self._best_score, self._waited = weights, score, 0
        else:
            self._waited += 1
        loss, seconds = self._loss / max(self._examples, 1), time.perf_counter() - self._start
        self.finished.append(Epoch(number, loss, seconds, dev, better, dict(objectives or {})))
        self._on_epoch(self.finished[-1])
        if number >= self._epochs or self._waited >= self._patience:
            raise _Enough


def train(
    problem: Examples,
    learner: Learner,
    *,
    epochs: int = 10,
    patience: int = 3,
    seed: int = 1,
    evaluate: Callable[[Weights], dict[str, float]] | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
) -> Result:
    """Learn weights.

    Parameters
    ----------
    problem : Examples
        Of the kind that the learner needs.
    learner : Learner
    epochs : int
        The maximum number of passes over the examples.
    patience : int
        The number of epochs without a better dev score after which to stop.
    seed : int
        Determines the order of the examples; the same seed leads to the same weights.
    evaluate : function of Weights, optional
        Returns scores on the dev set; the first one decides.  Without it the last epoch is the best.
    on_progress, on_epoch : function
        Called during and after each epoch.

    Returns
    -------
    Result
        With the weights of the best epoch.  Ctrl-C ends training and keeps the best so far.
    """
    start = Weights(np.zeros(problem.size, np.float32))
    run = Run(start, epochs, patience, seed, evaluate, on_progress, on_epoch)
    interrupted = False
    try:
        learner.learn(problem, run)
    except _Enough:
        pass
    except KeyboardInterrupt:
        interrupted = True
    return Result(run.best, run.finished, interrupted)
