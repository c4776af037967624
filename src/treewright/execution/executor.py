"""The interface of executors: a task is run on each of many shards, and results come in the order of the shards.

The result is the same on one worker or many, to the last bit, because shards do not depend on the number of workers,
and whoever sums results does so in this order.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Self, TypeVar

from treewright.execution.keep import Keep
from treewright.execution.tasks import Outcome, Task

__all__ = ["Executor", "Session", "run_in_order", "with_errors"]

S = TypeVar("S")
R = TypeVar("R")


class _Closing:
    """A base class for what is closed at the end of a ``with`` block."""

    def close(self) -> None:
        """End everything that was started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Executor(_Closing, ABC):
    """Runs the same task on many shards.  Leaving its ``with`` block ends everything that it started."""

    @abstractmethod
    def map(self, task: Task[S, R], shards: Iterable[S], *, keep: Keep | None = None) -> Iterator[R]:
        """Yield the result of each shard, in order.

        Parameters
        ----------
        task : Task
            What to do with each shard.
        shards : iterable
            The data, read only a little ahead.
        keep : Keep, optional
            Where to keep finished shards, and to look for them.

        Raises
        ------
        ExecutionError
            If the worker that has a shard dies repeatedly.
        Exception
            Whatever the task raises for a shard, when its turn has come.
        """


class Session(_Closing, ABC):
    """The work of an executor on one task, as `run_in_order` uses it."""

    #: How many shards may be read before the result of the first of them has been yielded.
    capacity: int

    @abstractmethod
    def submit(self, number: int, shard: Any) -> None:
        """Take a shard, to be done at some time."""

    @abstractmethod
    def collect(self) -> Iterable[tuple[int, Outcome[Any]]]:
        """Wait for at least one outcome, and return what there is, with the numbers of the shards."""


def run_in_order(session: Session, task: Task[S, R], shards: Iterable[S], keep: Keep | None) -> Iterator[R]:
    """Run all shards in a session."""
    names: dict[int, str] = {}
    done: dict[int, Outcome[R]] = {}
    read = yielded = 0
    source = with_errors(shards)
    while True:
        for shard in itertools.islice(source, session.capacity - (read - yielded)):
            if isinstance(shard, Outcome):
                done[read] = shard
            elif keep is None:
                session.submit(read, shard)
            else:
                names[read] = keep.name(task, shard)
                if (found := keep.find(task, names[read])) is not None:
                    done[read] = found
                else:
                    session.submit(read, shard)
            read += 1
        if yielded == read:
            return
        while yielded not in done:
            for number, outcome in session.collect():
                done[number] = outcome
                if keep is not None and outcome.error is None:
                    keep.save(names[number], task.dump(outcome.get()))
        names.pop(yielded, None)
        yield done.pop(yielded).get()
        yielded += 1


def with_errors(shards: Iterable[S]) -> Iterator[S | Outcome[Any]]:
    """Yield shards, and at the end the error of reading them, if any: what was read before it is done first."""
    try:
        yield from shards
    except Exception as error:
        yield Outcome(error=error)
