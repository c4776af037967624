"""Threads of this process, or none at all: for little work, and for kernels, which release the GIL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from treewright.execution.executor import Executor, with_errors
from treewright.execution.keep import Keep
from treewright.execution.tasks import Outcome, Task
from treewright.threads import in_order

__all__ = ["Threads"]

S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True)
class Threads(Executor):
    """An executor that uses threads.

    Attributes
    ----------
    workers : int
        The number of threads; 0 means one for each core, and 1 starts none.
    """

    workers: int = 1

    def map(self, task: Task[S, R], shards: Iterable[S], *, keep: Keep | None = None) -> Iterator[R]:
        """See `Executor.map`."""

        def run(shard: S | Outcome[R]) -> R:
            if isinstance(shard, Outcome):
                return shard.get()
            return task(shard) if keep is None else keep.run(task, shard)

        return in_order(run, with_errors(shards), self.workers, batch=1)
