"""One case of the attack, and the counts of all: how many were tried, answered, refused, and wrong."""

from __future__ import annotations

import signal
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from treewright.errors import TreewrightError

__all__ = ["OUTCOMES", "Case", "Hung", "Tally", "watchdog"]

T = TypeVar("T")

OUTCOMES = ("answered", "refused", "wrong")


class Hung(BaseException):
    """A case took longer than it may; no handler of the package catches it."""


@contextmanager
def watchdog(seconds: float) -> Iterator[None]:
    """Raise `Hung` in the main thread if the block takes longer than this."""

    def bark(*_: object) -> None:
        raise Hung(f"no answer within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, bark)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass
class Tally:
    """Counts of outcomes by part and question, and a line about each wrong one."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str, list[int]]]:
        """Yield part, question and counts: tried, answered, refused, wrong."""
        for part, what in dict.fromkeys((part, what) for part, what, _ in self.counts):
            counts = [self.counts[part, what, outcome] for outcome in OUTCOMES]
            yield part, what, [sum(counts), *counts]

    def table(self) -> str:
        """Return the counts as a table in Markdown."""
        rows = list(self.rows())
        total = [sum(column) for column in zip(*(counts for _, _, counts in rows), strict=True)] if rows else [0] * 4
        lines = [
            "| part | question | tried | answered | refused | wrong |",
            "| --- | --- | ---: | ---: | ---: | ---: |",
        ]
        lines += [f"| {part} | {what} | {' | '.join(f'{n:,}' for n in counts)} |" for part, what, counts in rows]
        return "\n".join([*lines, f"| all | | {' | '.join(f'{n:,}' for n in total)} |"])


@dataclass
class Case:
    """A random case of one part: it can be drawn again from the seed and its number."""

    part: str
    seed: int
    number: int
    tally: Tally
    folder: Path  # for files; all cases of a run share it

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng([self.seed, zlib.crc32(self.part.encode()), self.number])

    def note(self, what: str, outcome: str, why: str = "") -> None:
        """Count an outcome; keep a line about a wrong one."""
        self.tally.counts[self.part, what, outcome] += 1
        if outcome == "wrong":
            self.tally.findings.append(f"{what}: {why} (--only {self.part} --seed {self.seed} --case {self.number})")

    def check(self, what: str, is_right: bool, why: str = "") -> None:
        """Count an answer, right or wrong."""
        self.note(what, "answered" if is_right else "wrong", why)

    def ask(self, what: str, question: Callable[[], T], seconds: float = 600.0) -> tuple[T | None, Exception | None]:
        """Return an answer, or the error by which it was refused; anything else that is raised is wrong."""
        try:
            with watchdog(seconds):
                return question(), None
        except (ValueError, TreewrightError) as error:
            return None, error
        except (Hung, Exception) as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(last.filename).name}:{last.lineno}"
            self.note(what, "wrong", f"{type(error).__name__}: {str(error)[:200]} at {place}")
            return None, None
