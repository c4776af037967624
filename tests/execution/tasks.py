"""Tasks that tell what executors do with them.  Workers import this module."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.waiting import wait_until
from treewright.errors import TreebankError, UsageError
from treewright.execution import Constant, Task


class Square(Task[list[int], list[int]]):
    def __call__(self, shard):
        return [number**2 for number in shard]


class Uneven(Task[int, int]):
    """Is done with the first shards last."""

    def __call__(self, shard):
        time.sleep(0.2 / (1 + shard))
        return shard


class Slower(Task[float, float]):
    """Takes as many seconds as a shard says."""

    def __call__(self, shard):
        time.sleep(shard)
        return shard


class Process(Task[Any, int]):
    def __call__(self, shard):
        return os.getpid()


class Unpicklable(Exception):  # noqa: N818
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


ERRORS = {
    "usage": UsageError("no tree"),
    "treebank": TreebankError("no such column", "a.conllu", 3, 7),
    "value": ValueError("a number"),
    "unpicklable": Unpicklable(1, 2),
}


@dataclass(frozen=True)
class Failing(Task[int, int]):
    """Fails at one shard."""

    at: int
    error: str

    def __call__(self, shard):
        if shard == self.at:
            raise ERRORS[self.error]
        return shard


class Odd(Task[int, Any]):
    """Gives what cannot be sent."""

    def __call__(self, shard):
        return (lambda: shard) if shard == 2 else shard


@dataclass(frozen=True)
class Deadly(Task[int, int]):
    """Kills its process at one shard, so many times."""

    folder: Path
    at: int
    times: int

    def __call__(self, shard):
        time.sleep(0.02)
        if shard == self.at and len(list(self.folder.iterdir())) < self.times:
            (self.folder / str(time.monotonic_ns())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return shard**2

    def describe(self, shard):
        return f"number {shard}"


@dataclass(frozen=True)
class Noted(Task[int, int]):
    """Notes in a folder that it has been there."""

    folder: Path
    seconds: float = 0.05

    def __call__(self, shard):
        (self.folder / f"{shard}-{os.getpid()}").touch()
        time.sleep(self.seconds)
        return shard**2


def meet(folder):
    """Note in a folder that this process has been there, and wait until another has."""
    folder.mkdir(exist_ok=True)
    (folder / str(os.getpid())).touch()
    assert wait_until(lambda: len(list(folder.iterdir())) >= 2), "the other worker never came"


@dataclass(frozen=True)
class Meeting(Task[int, int]):
    """Is done once two processes work on it."""

    folder: Path

    def __call__(self, shard):
        meet(self.folder)
        return shard**2


@dataclass(frozen=True)
class Gate(Task[int, int]):
    """Waits at a gate until it is open; then is done once two processes have passed it."""

    folder: Path

    @property
    def gate(self):
        return self.folder / "open"

    @property
    def waiting(self):
        """The processes that have come before it was open."""
        return [int(path.suffix[1:]) for path in self.folder.glob("waiting.*")]

    def __call__(self, shard):
        if not self.gate.exists():
            (self.folder / f"waiting.{os.getpid()}").touch()
        assert wait_until(self.gate.exists), "the gate was never opened"
        meet(self.folder / "passed")
        return shard**2


@dataclass(frozen=True)
class Kept(Task[int, int]):
    """Notes in a folder that it has been there, and fails at one shard."""

    folder: Path
    at: int = -1

    def __call__(self, shard):
        with (self.folder / f"{shard}").open("a") as notes:
            notes.write("x")
        if shard == self.at:
            raise UsageError("crash")
        return shard**2

    def identify(self, shard):
        return b"squares %d" % shard

    def dump(self, result):
        return b"%d" % result

    def load(self, data):
        return int(data)


@dataclass(frozen=True)
class Look(Task[int, tuple[int, float, bool, int]]):
    """Looks at a table from all sides: its process, an entry, whether it can be written, its address."""

    table: Any

    def __call__(self, shard):
        time.sleep(0.05)
        return os.getpid(), float(self.table[shard]), self.table.flags.writeable, self.table.ctypes.data % 64


class Weighed:
    """Counts how often it has been unpacked in this process."""

    times = 0

    def __setstate__(self, state):
        type(self).times += 1


@dataclass(frozen=True)
class Unpacking(Task[int, tuple[int, int, int]]):
    constant: Constant[Weighed]
    number: int
    folder: Path

    def __call__(self, shard):
        meet(self.folder / str(self.number))
        return os.getpid(), self.number, self.constant.value.times


@dataclass(frozen=True)
class PrivateMemory(Task[int, tuple[int, float]]):
    """Reads all of a table, and tells how many megabytes this process has for itself."""

    table: Any
    folder: Path

    def __call__(self, shard):
        np.add.reduce(self.table)
        meet(self.folder)
        lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
        private = sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty"))
        return os.getpid(), private / 1024
