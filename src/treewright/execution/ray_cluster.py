"""A Ray cluster: an existing one, or one that is started on this machine.

Ray itself retries a shard whose worker or machine is lost, and shares the arrays of a task among the workers of a
machine.
"""

from __future__ import annotations

import importlib
import socket
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from treewright.errors import ExecutionError, UsageError
from treewright.execution.executor import Executor, Session, run_in_order
from treewright.execution.keep import Keep
from treewright.execution.local import ATTEMPTS, gave_up
from treewright.execution.tasks import Outcome, Task, attempt

__all__ = ["RayCluster"]

S = TypeVar("S")
R = TypeVar("R")

#: How many seconds to wait for an answer from a cluster.
KNOCK_SECONDS = 10


class RayCluster(Executor):
    """An executor on a cluster; needs ``pip install 'treewright[cluster]'``, here and on every machine of the cluster.

    Parameters
    ----------
    address : str
        ``ray://host:port`` or ``host:port`` of a cluster.  ``auto`` is the cluster that runs on this machine, or that
        ``RAY_ADDRESS`` names; if there is none, one is started, and stopped at the end.  ``local`` always starts one.
    workers : int
        How many shards to do at a time, at most; 0 means as many as there are cores.

    Raises
    ------
    UsageError
        If Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, address: str = "auto", workers: int = 0) -> None:
        try:
            ray: Any = importlib.import_module("ray")  # it takes a second, and may not be installed
        except ImportError:
            raise UsageError("a cluster needs Ray: pip install 'treewright[cluster]'") from None
        self._ray = ray
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            _connect(ray, address, workers)
        cores = int(ray.cluster_resources().get("CPU", 1))
        self._capacity = workers if 0 < workers < cores else 2 * cores
        self._run = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(_run)

    def map(self, task: Task[S, R], shards: Iterable[S], *, keep: Keep | None = None) -> Iterator[R]:
        """See `Executor.map`."""
        with _Session(self._ray, self._run, task, self._capacity) as session:
            yield from run_in_order(session, task, shards, keep)

    def close(self) -> None:
        """Stop the cluster, if it was started here."""
        if self._is_ours:
            self._ray.shutdown()


def _connect(ray: Any, address: str, workers: int) -> None:
    quiet = {"logging_level": "ERROR", "log_to_driver": False}
    try:
        if address != "local":
            if address != "auto":
                _knock(address)
            try:
                ray.init(address=address, **quiet)
                return
            except ConnectionError:
                if address != "auto":
                    raise
        ray.init(address="local", num_cpus=workers or None, include_dashboard=False, **quiet)
    except Exception as error:  # Ray has no class of its own for a machine that is too slow to start one
        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = getattr(error, "strerror", None) or (lines[-1] if lines[0].endswith(":") else lines[0])
        raise UsageError(f"cannot reach the cluster {address}: {reason}") from error


def _knock(address: str) -> None:
    """Find out within seconds, not minutes, that there is no cluster."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError("an address must be auto, local, ray://host:port or host:port")
    socket.create_connection((host, int(port)), KNOCK_SECONDS).close()


class _Session(Session):
    """One task on a cluster."""

    def __init__(self, ray: Any, run: Any, task: Task[Any, Any], capacity: int) -> None:
        self.capacity = capacity
        self._ray, self._run, self._task = ray, run, task
        self._shared = ray.put(task)
        self._shards: dict[Any, tuple[int, Any]] = {}

    def submit(self, number: int, shard: Any) -> None:
        # In a list the task stays a reference, so a worker that has it already does not unpack it again.
        self._shards[self._run.remote(self._shared.hex(), [self._shared], shard)] = number, shard

    def collect(self) -> Iterable[tuple[int, Outcome[Any]]]:
        finished, _ = self._ray.wait(list(self._shards))
        for future in finished:
            number, shard = self._shards.pop(future)
            try:
                outcome = self._ray.get(future)
            except self._ray.exceptions.RayTaskError as error:
                cause = str(error.cause).partition("\n")[0]
                raise ExecutionError(
                    f"a worker of the cluster failed ({cause}); is treewright installed there?"
                ) from error
            except self._ray.exceptions.RayError as error:
                outcome = gave_up(self._task, number, shard, type(error).__name__)
            yield number, outcome

    def close(self) -> None:
        for future in self._shards:  # their results are not needed
            self._ray.cancel(future, force=True)


#: The current task of this worker, by name.
_current: dict[str, Task[Any, Any]] = {}


def _run(name: str, boxed: list[Any], shard: Any) -> Outcome[Any]:
    """Do a shard in a worker."""
    if name not in _current:
        # The old task is still there, so that constants that both have in common are not unpacked again.
        task = importlib.import_module("ray").get(boxed[0])
        _current.clear()
        _current[name] = task
    return attempt(_current[name], shard)
