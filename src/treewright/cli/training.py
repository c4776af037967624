"""How training looks: a live bar on a terminal, readable lines elsewhere; and what came of it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.cli import console
from treewright.cli.console import notice, progress_bar
from treewright.parsing.progress import Reporter

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from treewright.learning import Epoch, Progress
    from treewright.parsing.progress import PruningReport

__all__ = ["show_interrupted", "show_result", "show_training"]

_STAGES = {
    "tokenizer": "Training the tokenizer",
    "tagger": "Training the tagger",
    "jackknife": "Jackknifing tags",
    "lemmas": "Training the lemmatizer",
    "tagging": "Tagging the treebank",
    "pruner": "Training the pruner",
    "pruning": "Pruning the treebank",
    "first-order": "Training the first-order model",
    "raw text": "Counting in raw text",
    "calibration": "Training on a part to calibrate probabilities",
}


@contextmanager
def show_training(epochs: int) -> Iterator[Reporter]:
    """Show the progress of training on standard error."""
    if not sys.stderr.isatty():
        yield _Lines(epochs)
        return
    with progress_bar() as bar:
        yield _Live(bar)


def show_result(output: Path, info: Mapping[str, Any]) -> None:
    """Report where a trained parser was saved, and how good it is."""
    scores = ", ".join(f"{key} {score:.2f}" for key, score in info["dev"].items())
    notice(f"Saved {output} ({os.path.getsize(output) / 1e6:.1f} MB), epoch {info['epoch']}: dev {scores}.")


def show_interrupted(info: Mapping[str, Any], folder: Path | None) -> None:
    """If training was interrupted, say how to go on."""
    if info.get("interrupted"):
        more = "the same command goes on from there" if folder else "give --resume FOLDER to be able to go on"
        notice(f"Training was interrupted: {more}.")


def _summary(epoch: Epoch) -> str:
    dev = "  ".join(f"{name} {score:.2f}" for name, score in list(epoch.dev.items())[:2])
    objectives = "".join(f"  {name} {value:.6g}" for name, value in epoch.objectives.items())
    best = "  (best)" if epoch.best else ""
    return f"epoch {epoch.number:2d}  loss {epoch.loss:.3f}{objectives}  dev {dev}  {epoch.seconds:.0f} s{best}"


def _pruning_summary(treebank: PruningReport, dev: PruningReport) -> str:
    return (
        f"pruning leaves {treebank.pass_rate:.1f} % of arcs, {treebank.heads_per_word:.1f} heads a word; "
        f"on dev {dev.heads_per_word:.1f}, with the gold head among them for {dev.oracle:.2f} % of words (oracle UAS)"
    )


class _Live(Reporter):
    """A bar for each stage; epochs stay on the screen."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}

    def _show(self, title: str, share: float, note: str = "") -> None:
        if title not in self._tasks:
            self._tasks[title] = self._bar.add_task(title, total=1.0, note="")
        self._bar.update(self._tasks[title], completed=share, note=note)

    def stage(self, name: str, share: float) -> None:
        self._show(_STAGES[name], share)

    def pruning(self, treebank: PruningReport, dev: PruningReport) -> None:
        self._bar.console.print(_pruning_summary(treebank, dev), highlight=False)

    def progress(self, progress: Progress) -> None:
        speed = f"{progress.words_per_second:,.0f} words/s"
        note = f"epoch {progress.epoch}/{progress.epochs}  {speed}  loss {progress.loss:.3f}"
        self._show("Training the parser", progress.share, note)

    def epoch(self, epoch: Epoch) -> None:
        self._bar.console.print(_summary(epoch), highlight=False)


class _Lines(Reporter):
    """A line now and then."""

    def __init__(self, epochs: int) -> None:
        self._epochs = epochs
        self._start = self._said = time.monotonic()

    def _say(self, text: str, share: float, always: bool = False) -> None:
        now = time.monotonic()
        if always or now - self._said > console.PAUSE:
            self._said = now
            left = f", about {(now - self._start) * (1 - share) / share:.0f} s left" if share > 0.02 else ""
            notice(f"{text}, {100 * share:.0f} % done{left}")

    def stage(self, name: str, share: float) -> None:
        if share == 0:
            self._start = time.monotonic()
        self._say(_STAGES[name], share)
        if share >= 1:
            self._start = time.monotonic()

    def pruning(self, treebank: PruningReport, dev: PruningReport) -> None:
        notice(_pruning_summary(treebank, dev))
        self._start = time.monotonic()

    def progress(self, progress: Progress) -> None:
        speed = f"{progress.words_per_second:,.0f} words/s"
        self._say(f"epoch {progress.epoch}: {speed}, loss {progress.loss:.3f}", progress.share)

    def epoch(self, epoch: Epoch) -> None:
        left = (time.monotonic() - self._start) / epoch.number * (self._epochs - epoch.number)
        notice(f"{_summary(epoch)}  about {left:.0f} s left at most")
