"""The loop of training: steps of the optimizer until the plan is carried out, with checkpoints on the way.

The learning rate rises linearly over the first steps and falls linearly to zero at the end of the plan: after a number
of steps, or of seconds.  With a number of steps, the result is the same to the bit for a seed on one device, however
often training is broken off and resumed.
"""

from __future__ import annotations

import contextlib
import logging
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from treewright.neural.learning.checkpoints import Checkpoint
from treewright.neural.learning.network import Encoder
from treewright.neural.learning.optimizers import Optimizer
from treewright.neural.options import EVALUATIONS

__all__ = ["Loop", "Plan", "Status", "choose_device", "compile_layers"]

LOG = logging.getLogger(__name__)

#: The steps before the clock of a plan in seconds starts: they compile.
_UNTIMED = 2

#: How often, in steps, to wait for a GPU, so that the clock counts what is done.
_EVERY = 10

#: How many seconds lie between two reports.
_PAUSE = 5.0


@dataclass(frozen=True)
class Plan:
    """How long to train, and how fast.

    Attributes
    ----------
    steps : int
        The number of steps.
    rate : float
        The highest learning rate.
    seconds : float, optional
        How long to train, instead of a number of steps.
    warm_up : float
        The share of the plan over which the learning rate rises.
    seed : int
    evaluations : int
        How often to score the dev set.
    """

    steps: int
    rate: float
    seconds: float | None = None
    warm_up: float = 0.02
    seed: int = 0
    evaluations: int = EVALUATIONS

    def rate_at(self, share: float) -> float:
        """Return the learning rate when a share of the plan is done."""
        return self.rate * min(share / self.warm_up if self.warm_up else 1.0, (1 - share) / (1 - self.warm_up))


@dataclass(frozen=True)
class Status:
    """What training reports: how far it has come, the mean loss and the speed since the last report, dev scores."""

    step: int
    seconds: float
    share: float
    seconds_left: float
    loss: float
    words_per_second: float
    scores: dict[str, float]


class Loop:
    """Trains a network.

    Parameters
    ----------
    network : Encoder
    plan : Plan
    task : dict
        What is trained, as plain data: a checkpoint of anything else is refused.
    checkpoint : Path, optional
        Where to keep checkpoints; training goes on from one that is there.
    report : callable
        Called with a `Status` now and then.
    between : float
        How many seconds apart checkpoints are.
    decay : float
        The weight decay.
    """

    def __init__(
        self,
        network: Encoder,
        plan: Plan,
        task: dict[str, Any],
        *,
        checkpoint: Path | None = None,
        report: Callable[[Status], None] = lambda status: None,
        between: float = 300.0,
        decay: float = 0.01,
    ) -> None:
        self.network, self.plan, self._task, self._path = network, plan, task, checkpoint
        self._report, self._between = report, between
        self.optimizer = Optimizer(dict(network.named_parameters()), decay=decay)
        self.best: dict[str, Tensor] = {}
        self.history: list[dict[str, float]] = []
        self.interrupted = False
        self._spent = 0.0  # seconds before this start of the program
        if checkpoint is not None and checkpoint.exists():
            self._resume(Checkpoint.open(checkpoint, task))

    def run(
        self, loss: Callable[[int], tuple[Tensor, int]], judge: Callable[[], dict[str, float]] | None = None
    ) -> None:
        """Take all steps that are left.

        Parameters
        ----------
        loss : callable
            Takes the number of a step; returns its loss, and how many words it is about.
        judge : callable, optional
            Scores the dev set; the parameters with the highest first score are kept.
        """
        clock = _Clock(self.plan, self._spent, self.optimizer.steps)
        with _interrupts() as interrupted:
            while not clock.done and not interrupted():
                self._step(clock, loss)
                if judge is not None and clock.is_time_to_judge():
                    self._judge(judge, clock)
                if clock.is_time_to_save(self._between):
                    self.save(clock.spent)
            self.interrupted = interrupted()
        self._spent = clock.spent
        if self.interrupted or self._between < math.inf:
            self.save(clock.spent)

    def _step(self, clock: _Clock, loss: Callable[[int], tuple[Tensor, int]]) -> None:
        torch.manual_seed((self.plan.seed << 32) + clock.step)
        self.network.train()
        value, words = loss(clock.step)
        value.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step(self.plan.rate_at(clock.share))
        if clock.count(value.detach(), words):
            self._report(clock.status({}))

    @torch.no_grad()
    def _judge(self, judge: Callable[[], dict[str, float]], clock: _Clock) -> None:
        self.network.eval()
        scores = judge()
        first = next(iter(scores.values()))
        if all(first > next(iter(earlier.values())) for earlier in self.history):
            self.best = {name: one.detach().cpu().clone() for name, one in self.network.named_parameters()}
        self.history.append(scores)
        self._report(clock.status(scores))

    def save(self, seconds: float | None = None) -> None:
        """Write a checkpoint, if there is a place for it."""
        if self._path is not None:
            spent = self._spent if seconds is None else seconds
            state, steps = self.optimizer.state(), self.optimizer.steps
            parameters = dict(self.network.named_parameters())
            Checkpoint(self._task, steps, spent, parameters, state, self.best, self.history).save(self._path)

    def _resume(self, found: Checkpoint) -> None:
        LOG.info("going on after %d steps", found.steps)
        self.network.load(found.parameters)
        self.optimizer.restore(found.optimizer, found.steps)
        self.best, self.history, self._spent = dict(found.best), found.history, found.seconds


class _Clock:
    """How far a plan has been carried out."""

    def __init__(self, plan: Plan, spent: float, step: int) -> None:
        self._plan, self._before, self.step = plan, spent, step
        self._start = self._reported = self._saved = time.monotonic()
        self._untimed, self._first = 0.0, step
        self._losses: list[Tensor] = []
        self._loss = math.nan
        self._words, self._judged = 0, self.share

    @property
    def spent(self) -> float:
        """Seconds in all."""
        return self._before + time.monotonic() - self._start

    @property
    def share(self) -> float:
        """The share of the plan that is done."""
        if self._plan.seconds is None:
            return self.step / max(self._plan.steps, 1)
        if self.step - self._first < _UNTIMED:
            self._untimed = time.monotonic() - self._start
            return min(self._before / self._plan.seconds, 1.0)
        total = self._plan.seconds - self._untimed
        return min((self.spent - self._untimed) / max(total, 1e-9), 1.0)

    @property
    def done(self) -> bool:
        """Whether the plan is carried out."""
        return self.share >= 1

    def count(self, loss: Tensor, words: int) -> bool:
        """Count a step; return whether it is time to report."""
        self.step += 1
        self._losses.append(loss)
        self._words += words
        if self.step % _EVERY == 0:
            loss.item()  # waits for a GPU
        return time.monotonic() - self._reported > _PAUSE or self.done

    def status(self, scores: dict[str, float]) -> Status:
        """Report what was since the last report."""
        now = time.monotonic()
        self._loss = torch.stack(self._losses).mean().item() if self._losses else self._loss
        speed = self._words / max(now - self._reported, 1e-9)
        share = self.share
        left = (now - self._start) * (1 - share) / share if share else math.inf
        if self._plan.seconds is not None:
            left = max(self._plan.seconds - self.spent, 0.0)
        self._losses, self._words, self._reported = [], 0, now
        return Status(self.step, self.spent, share, left, self._loss, speed, scores)

    def is_time_to_judge(self) -> bool:
        """Return whether as much is done since the last time as lies between two evaluations; at the end, too."""
        before, now = (math.floor(share * self._plan.evaluations + 1e-9) for share in (self._judged, self.share))
        self._judged = self.share
        return now > before

    def is_time_to_save(self, between: float) -> bool:
        """Return whether it is time for a checkpoint."""
        if time.monotonic() - self._saved < between:
            return False
        self._saved = time.monotonic()
        return True


@contextlib.contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end training between two steps, not within one; a second Ctrl-C ends it at once."""
    pressed = False

    def note(*_: object) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


def choose_device(name: str = "auto") -> torch.device:
    """Return the device to train on: a GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def compile_layers(network: Encoder) -> None:
    """Compile the layers of a network, which are one program; where that fails, they stay as they are."""
    import torch._dynamo

    torch._dynamo.config.suppress_errors = True
    for layer in network.layers:
        layer.compile(dynamic=False)
