"""The interface: a task for each of many shards, the results in the order of the shards.

Because shards do not depend on how many workers there are, and because whoever adds results up adds them up in this
order, the outcome is the same on one worker or many, to the last bit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from treewright.execution.keep import Keep
from treewright.execution.tasks import Outcome, Task

__all__ = ["Executor", "Session", "run_in_order"]

S = TypeVar("S")
R = TypeVar("R")


class Executor(Protocol):
    """Does the same task for many shards.

    Leaving its ``with`` block ends what it has started.
    """

    def map(self, task: Task[S, R], shards: Iterable[S], *, keep: Keep | None = None) -> Iterator[R]:
        """Give the result of each shard, in order.

        Parameters
        ----------
        task : Task
        shards : iterable
            Read only a little ahead, so that any number of them can be streamed.
        keep : Keep, optional
            Where finished shards are kept, and looked for.

        Raises
        ------
        ExecutionError
            If the worker that has a shard dies, again and again.
        Exception
            What the task raises for a shard, when its turn has come.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Session(AbstractContextManager["Session"]):
    """What an executor does for one task; `run_in_order` asks it for nothing else."""

    #: How many shards may be read whose results have not been given.
    room: int

    def submit(self, number: int, shard: Any) -> None:
        """Take a shard, which will be done at some time."""
        raise NotImplementedError

    def collect(self) -> Iterable[tuple[int, Outcome[Any]]]:
        """Wait until something is done, and give it: at least one outcome, with the number of its shard."""
        raise NotImplementedError

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what is still going on."""


def run_in_order(session: Session, task: Task[S, R], shards: Iterable[S], keep: Keep | None) -> Iterator[R]:
    """Let a session do all shards."""
    names: dict[int, str] = {}
    done: dict[int, Outcome[R]] = {}
    read = given = 0
    source = _with_errors(shards)
    while True:
        for shard in itertools.islice(source, session.room - (read - given)):
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
        if given == read:
            return
        while given not in done:
            for number, outcome in session.collect():
                done[number] = outcome
                if keep is not None and outcome.error is None:
                    keep.save(names[number], task.dump(outcome.get()))
        names.pop(given, None)
        yield done.pop(given).get()
        given += 1


def _with_errors(shards: Iterable[S]) -> Iterator[S | Outcome[Any]]:
    """Give shards, and last the error with which there are no more: what was read before it is done first."""
    try:
        yield from shards
    except Exception as error:
        yield Outcome(error=error)
