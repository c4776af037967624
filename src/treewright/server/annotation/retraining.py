"""A better parser while people annotate: trained in a process of its own on what they have said so far.

It learns from the sentences that are done, from the arcs of others that have been looked at (partial trees), and from
another treebank if there is one.  Every tenth sentence of those with whole trees is held out; on these the new parser
must be at least as good as the one that is used, and then it takes its place.  Whatever goes wrong is told and harms
nobody.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treewright.dependency.parser import Parser
from treewright.dependency.scores import dev_scores
from treewright.errors import TreewrightError, UsageError
from treewright.server.annotation.session import Session
from treewright.server.annotation.state import Annotated
from treewright.treebank import Sentence, write

__all__ = ["FEWEST", "Retraining", "examples_of"]

#: Fewer sentences with whole trees than this teach nothing.
FEWEST = 10

#: One sentence in so many is held out, and at most so many in all.
HELD_OUT, MOST_HELD_OUT = 10, 300

#: What makes training quick; taggers need as many folds of sentences.
QUICK = ("--folds", "4", "--calibrate", "aside", "--without", "tokenizer")

#: How the lines of training say how far it is.
_SHARE = re.compile(r"(\d+) % done|epoch +(\d+)")


@dataclass
class Status:
    """What retraining is doing: its state, how far it is (from 0 to 1, if that is known), and a line about it."""

    state: str = "idle"  # idle, training, failed, kept (the old parser), or swapped (for the new one)
    line: str = ""
    share: float | None = None
    runs: int = 0
    scores: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Describe it as plain data."""
        return dict(vars(self))


def examples_of(states: Iterable[Annotated], base: Sequence[Sentence] = ()) -> tuple[list[Sentence], list[Sentence]]:
    """Return what is learned from, and what is held out.

    Examples
    --------
    >>> states = [Annotated.of(Sentence.from_forms(["Go"], heads=[0])) for _ in range(3)]
    >>> examples_of(states)  # nobody has looked at these
    ([], [])
    """
    learned, held_out = list[Sentence](), list[Sentence]()
    for number, sentence in enumerate(base, 1):
        is_whole = bool(len(sentence)) and bool((sentence.heads >= 0).all())
        (held_out if is_whole and number % HELD_OUT == 0 else learned).append(sentence)
    partial = list[Sentence]()
    for number, state in enumerate(states, 1):
        if len(state.sentence) and state.is_done:
            (held_out if number % HELD_OUT == 0 else learned).append(state.sentence)
        elif (state.known_heads >= 0).any():
            partial.append(_looked_at(state))
    return learned + partial, held_out[-MOST_HELD_OUT:]


def _looked_at(state: Annotated) -> Sentence:
    """Return a sentence with only those arcs that have been looked at."""
    heads = state.known_heads
    pairs = zip(state.sentence.deprels, heads.tolist(), strict=True)
    return state.sentence.replace(heads=heads, deprels=[relation if head >= 0 else "_" for relation, head in pairs])


class Retraining:
    """Trains parsers for a session in the background, one at a time.

    Parameters
    ----------
    session : Session
    every : int
        After how many sentences to train again; 0 trains only when asked.
    base : sequence of Sentence
        What else is learned from.
    language : str
        What the model notes.
    more : sequence of str
        Other options of ``treewright train``.
    """

    def __init__(
        self,
        session: Session,
        every: int = 0,
        base: Sequence[Sentence] = (),
        language: str = "",
        more: Sequence[str] = (),
    ) -> None:
        self.session, self.every, self.base = session, every, base
        self.status = Status()
        self._command = [*QUICK, *more, *(["--language", language] if language else [])]
        self._since, self._lock = 0, threading.Lock()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        session.on_confirmed = self.confirmed

    def confirmed(self) -> None:
        """Hear that one more sentence is done, and train if it is time."""
        with self._lock:
            self._since += 1
            due = self.every and self._since >= self.every
        if due:
            with contextlib.suppress(UsageError):  # one is training already, or there are too few sentences
                self.start()

    def start(self) -> None:
        """Start training.

        Raises
        ------
        UsageError
            If it is going on already, or there is too little to learn from.
        """
        with self.session.lock:
            learned, held_out = examples_of(self.session.states, self.base)
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                raise UsageError("a parser is being trained already")
            whole = sum(bool((sentence.heads >= 0).all()) for sentence in learned)
            if whole < FEWEST or not held_out:
                self.status.line = f"{whole + len(held_out)} sentences are done: too few to learn from yet"
                raise UsageError(self.status.line)
            self._since = 0
            self.status = Status("training", "Starting ...", 0.0, self.status.runs + 1)
            self._thread = threading.Thread(target=self._run, args=(learned, held_out), name="retraining", daemon=True)
            self._thread.start()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until nothing is being trained."""
        if self._thread is not None:
            self._thread.join(seconds)

    def close(self) -> None:
        """End the process, if there is one."""
        self._closed = True
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
        self.wait(10.0)

    def _run(self, learned: list[Sentence], held_out: list[Sentence]) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
                path = self._trained(Path(folder), learned, held_out)
                self._judge(Parser.open(path), held_out)
        except (TreewrightError, OSError) as error:
            self._end("failed", f"Training failed: {error}")

    def _trained(self, folder: Path, learned: list[Sentence], held_out: list[Sentence]) -> Path:
        """Train in another process, and return the model file."""
        for name, sentences in (("train", learned), ("dev", held_out)):
            write([sentence.replace(layout=None) for sentence in sentences], folder / f"{name}.conllu")
        model = folder / "model.tw"
        files = [str(folder / "train.conllu"), "--dev", str(folder / "dev.conllu"), "--output", str(model)]
        command = [sys.executable, "-m", "treewright", "train", *files, *self._command]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        self._process = process
        if self._closed:
            process.terminate()
        assert process.stderr is not None
        with process.stderr as lines:
            for line in lines:
                self._said(line.strip())
        if process.wait() != 0:
            raise UsageError(self.status.line.removeprefix("treewright: error: ") or "the process ended")
        return model

    def _said(self, line: str) -> None:
        """Take a line of the process for the status."""
        if not line:
            return
        share = self.status.share
        if found := _SHARE.search(line):
            percent, epoch = found.groups()
            share = max(share or 0.0, int(percent) / 100) if percent else share
            share = max(share or 0.0, min(0.95, int(epoch) / 10)) if epoch else share
        self.status.line, self.status.share = line[:300], share

    def _judge(self, parser: Parser, held_out: list[Sentence]) -> None:
        """Use the new parser unless the one in use is better on what was held out."""
        self.status.line = "Comparing the parsers ..."
        name, new = next(iter(dev_scores(parser, held_out, 1).items()))
        current, count = self.session.adviser.parser, f"{len(held_out)} sentences held out"
        self.status.scores = {"new": new}
        if current is not None:
            old = dev_scores(current, held_out, 1)[name]
            self.status.scores["old"] = old
            if new < old:
                self._end("kept", f"The parser in use is better: {name} {old:.1f}, the new one {new:.1f} ({count})")
                return
        self.session.adviser.use(parser)
        self._end("swapped", f"A new parser is in use: {name} {new:.1f} ({count})")

    def _end(self, state: str, line: str) -> None:
        self.status.state, self.status.line, self.status.share = state, " ".join(line.split()), None
