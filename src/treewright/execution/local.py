"""Processes on this machine: the default for large amounts of work."""

from __future__ import annotations

import itertools
import multiprocessing
import pickle
import tempfile
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait
from typing import Any, BinaryIO, TypeVar

from treewright.errors import ExecutionError
from treewright.execution.executor import Executor, Session, run_in_order
from treewright.execution.keep import Keep
from treewright.execution.packing import Packed, pack, shared_file
from treewright.execution.tasks import Outcome, Task
from treewright.execution.threads import Threads
from treewright.execution.worker import READY, interrupts_held, serve
from treewright.threads import count_workers

__all__ = ["ATTEMPTS", "LocalProcesses", "gave_up"]

S = TypeVar("S")
R = TypeVar("R")

#: How many times to try a shard whose worker dies.
ATTEMPTS = 3

#: How many workers in a row may die while they start.
FALSE_STARTS = 3

#: How many shards a worker has at a time: one to work on, and one to continue with.
AT_HAND = 2


class LocalProcesses(Executor):
    """An executor that uses processes, which share the arrays of a task by mapping them into memory.

    They start when there is more than one shard, are reused for the next task, and end with the executor or this
    process.  A worker that dies is replaced, and its shard is done again.

    Parameters
    ----------
    workers : int
        The number of processes; 0 means one for each core, and 1 starts none and works in this process.

    Notes
    -----
    Workers are new interpreters, so a script must use this under ``if __name__ == "__main__":``.  The arrays are in a
    file in the folder for temporary files (``TMPDIR``).
    """

    def __init__(self, workers: int = 0) -> None:
        self.count = count_workers(workers)
        self.workers: list[Worker] = []
        self._is_busy = False

    def map(self, task: Task[S, R], shards: Iterable[S], *, keep: Keep | None = None) -> Iterator[R]:
        """See `Executor.map`.  Only one call can be active at a time."""
        source = iter(shards)
        ahead = list(itertools.islice(source, 2)) if self.count > 1 else []
        if len(ahead) < 2:
            yield from Threads(1).map(task, itertools.chain(ahead, source), keep=keep)
            return
        if self._is_busy:
            raise RuntimeError("these processes are busy with another task; finish it, or make another executor")
        self._is_busy = True
        try:
            with (
                shared_file() as (file, path),
                _Session(self, _packed(task, file, path), task) as session,
            ):
                yield from run_in_order(session, task, itertools.chain(ahead, source), keep)
        finally:
            self._is_busy = False

    def close(self) -> None:
        """End the processes."""
        while self.workers:
            self.workers.pop().stop()


def _packed(task: Task[Any, Any], file: BinaryIO, path: str) -> Packed:
    try:
        return pack(task, file, path)
    except OSError as error:
        raise ExecutionError(
            f"cannot share arrays in {tempfile.gettempdir()}: {error.strerror or error}; choose another with TMPDIR"
        ) from error


class Worker:
    """A process, and the shards that it has been given."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")  # forking is not safe with threads
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other,), daemon=True)
        with interrupts_held():
            self.process.start()
        other.close()
        self.is_ready = False
        self.task: Packed | None = None
        self.shards: deque[tuple[int, Any]] = deque()

    def send(self, task: Packed, number: int, shard: Any) -> None:
        """Send a shard; that a worker has died is noticed when its connection is read."""
        self.shards.append((number, shard))
        packed = pickle.dumps((number, pickle.dumps(shard, protocol=5)), protocol=5)
        try:
            if self.task is not task:
                self.connection.send_bytes(pickle.dumps(task, protocol=5))
                self.task = task
            self.connection.send_bytes(packed)
        except OSError:
            pass

    def stop(self) -> None:
        """End the process, whatever it is doing; it exits by itself once the connection is closed."""
        self.connection.close()
        self.process.join(5)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.process.close()


class _Session(Session):
    """One task on these processes."""

    def __init__(self, pool: LocalProcesses, packed: Packed, task: Task[Any, Any]) -> None:
        self.capacity = (AT_HAND + 1) * pool.count  # results that wait for their turn keep no worker idle
        self._pool, self._packed, self._task = pool, packed, task
        self._waiting: deque[tuple[int, Any]] = deque()
        self._deaths: Counter[int] = Counter()
        self._false_starts = 0

    def submit(self, number: int, shard: Any) -> None:
        self._waiting.append((number, shard))
        self._assign()

    def collect(self) -> Iterable[tuple[int, Outcome[Any]]]:
        outcomes: list[tuple[int, Outcome[Any]]] = []
        while not outcomes:
            self._assign()
            by_connection = {worker.connection: worker for worker in self._pool.workers}
            for connection in wait(list(by_connection)):
                outcomes += self._receive(by_connection[connection])  # type: ignore[index]
        self._assign()
        return outcomes

    def _assign(self) -> None:
        """Start workers while there are too few; send shards to workers with none, then to those with one."""
        pool = self._pool
        at_work = sum(len(worker.shards) for worker in pool.workers)
        while len(pool.workers) < min(pool.count, at_work + len(self._waiting)):
            pool.workers.append(Worker())
        for most in range(AT_HAND):
            for worker in pool.workers:
                if self._waiting and worker.is_ready and len(worker.shards) == most:
                    worker.send(self._packed, *self._waiting.popleft())

    def _receive(self, worker: Worker) -> Iterator[tuple[int, Outcome[Any]]]:
        """Read a message of a worker, or find that it has died."""
        try:
            message = worker.connection.recv_bytes()
        except (EOFError, OSError):
            yield from self._remove(worker)
            return
        if message == READY:
            worker.is_ready, self._false_starts = True, 0
            return
        number, outcome = pickle.loads(message)
        worker.shards.popleft()
        yield number, outcome

    def _remove(self, worker: Worker) -> Iterator[tuple[int, Outcome[Any]]]:
        """Remove a dead worker and take back its shards; it was working on the first."""
        self._pool.workers.remove(worker)
        worker.process.join()
        cause = f"exit status {worker.process.exitcode}"
        worker.stop()
        if not worker.is_ready:
            self._false_starts += 1
            if self._false_starts == FALSE_STARTS:
                raise ExecutionError(
                    f"worker processes die while they start ({cause}); a script must start them under "
                    'if __name__ == "__main__":, and there must be enough memory for them'
                )
        if worker.shards:
            number, shard = worker.shards[0]
            self._deaths[number] += 1
            if self._deaths[number] == ATTEMPTS:
                worker.shards.popleft()
                yield number, gave_up(self._task, number, shard, cause)
        self._waiting.extendleft(reversed(worker.shards))

    def close(self) -> None:
        for worker in [worker for worker in self._pool.workers if worker.shards]:  # their results are not needed
            self._pool.workers.remove(worker)
            worker.stop()


def gave_up(task: Task[Any, Any], number: int, shard: Any, cause: str) -> Outcome[Any]:
    """Make the outcome of a shard that killed its worker too many times."""
    which = f"shard {number + 1:,}" + (f" ({about})" if (about := task.describe(shard)) else "")
    return Outcome(
        error=ExecutionError(
            f"{which} killed its worker {ATTEMPTS} times ({cause}): it may need more memory; use fewer workers, or "
            "leave out what is in it"
        )
    )
