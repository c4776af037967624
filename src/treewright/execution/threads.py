"""Threads of this process, or none at all: for little work, and where kernels do most of it without the GIL."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from treewright.execution.executor import Session, run_in_order
from treewright.execution.keep import Keep
from treewright.execution.tasks import Outcome, Task

__all__ = ["Threads", "count_workers"]

S = TypeVar("S")
R = TypeVar("R")


def count_workers(wanted: int) -> int:
    """Give the number of workers: 0 is one for each core that this process may use."""
    if wanted < 0:
        raise ValueError(f"{wanted} workers; there must be at least 1, or 0 for all cores")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return wanted or cores or 1


@dataclass(frozen=True)
class Threads:
    """An executor of threads.

    Attributes
    ----------
    workers : int
        How many, 0 for one for each core; 1 starts none.
    """

    workers: int = 1

    def map(self, task: Task[S, R], shards: Iterable[S], *, keep: Keep | None = None) -> Iterator[R]:
        """See `Executor.map`."""
        workers = count_workers(self.workers)
        with _Here(task) if workers == 1 else _Threads(task, workers) as session:
            yield from run_in_order(session, task, shards, keep)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class _Here(Session):
    """One shard at a time."""

    room = 1

    def __init__(self, task: Task[Any, Any]) -> None:
        self._task = task

    def submit(self, number: int, shard: Any) -> None:
        self._next = number, shard

    def collect(self) -> Iterable[tuple[int, Outcome[Any]]]:
        number, shard = self._next
        return [(number, Outcome(self._task(shard)))]  # an error needs no packing: it is raised right here


class _Threads(Session):
    def __init__(self, task: Task[Any, Any], workers: int) -> None:
        self.room = 2 * workers
        self._task = task
        self._pool = ThreadPoolExecutor(workers)
        self._numbers: dict[Future[Any], int] = {}

    def submit(self, number: int, shard: Any) -> None:
        self._numbers[self._pool.submit(self._task, shard)] = number

    def collect(self) -> Iterable[tuple[int, Outcome[Any]]]:
        finished, _ = wait(self._numbers, return_when=FIRST_COMPLETED)
        return [(self._numbers.pop(future), _outcome(future)) for future in finished]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)


def _outcome(future: Future[Any]) -> Outcome[Any]:
    error = future.exception()
    if error is not None and not isinstance(error, Exception):
        raise error
    return Outcome(error=error) if error is not None else Outcome(future.result())
