"""Tasks: what to do with each shard, in whichever process."""

from __future__ import annotations

import pickle
import secrets
import traceback
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from treewright.errors import ExecutionError, TreewrightError

__all__ = ["Constant", "Outcome", "Task", "attempt"]

S = TypeVar("S")
R = TypeVar("R")


class Task(Generic[S, R]):
    """A function from a shard to its result, best written as a frozen dataclass of what the function needs.

    A task is sent to each worker once, and its large arrays are not copied: workers share them, read-only.  The result
    must depend only on the task and the shard, so that a shard can be done again, and elsewhere.

    The other methods are for keeping results on disk (`treewright.execution.Keep`).
    """

    def __call__(self, shard: S) -> R:
        """Compute the result of a shard."""
        raise NotImplementedError

    def describe(self, shard: S) -> str:
        """Describe a shard in a few words, for messages."""
        return ""

    def identify(self, shard: S) -> bytes:
        """Return bytes that are the same if, and only if, the task and the shard are."""
        raise TypeError(f"{type(self).__name__} does not say how to keep its results")

    def dump(self, result: R) -> bytes:
        """Convert a result to bytes."""
        raise TypeError(f"{type(self).__name__} does not say how to keep its results")

    def load(self, data: bytes) -> R:
        """Convert bytes back to a result."""
        raise TypeError(f"{type(self).__name__} does not say how to keep its results")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[R]):
    """The result of a shard, or the error that it ended in."""

    result: R | None = None
    error: Exception | None = None

    def get(self) -> R:
        """Return the result, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]


def attempt(task: Task[S, R], shard: S) -> Outcome[R]:
    """Run a task on one shard; an error becomes part of the outcome."""
    try:
        return Outcome(task(shard))
    except Exception as error:
        return failure(error)


def failure(error: Exception) -> Outcome[Any]:
    """Make an outcome of an error, which can be sent to another process."""
    if not isinstance(error, TreewrightError):  # it is unexpected, so it matters where it happened
        error.add_note("In a worker:\n" + "".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        notes = getattr(error, "__notes__", [])
        error = ExecutionError(f"a task failed: {type(error).__name__}: {error}")
        error.__notes__ = notes
    return Outcome(error=error)


_constants: WeakValueDictionary[str, Constant[Any]] = WeakValueDictionary()


class Constant(Generic[R]):
    """What many tasks in a row have in common: packed here once, and unpacked once in each worker.

    An example is the treebank of a log-linear model, whose weights change in each iteration.

    Examples
    --------
    >>> words = Constant(["a", "b"])
    >>> words.value
    ['a', 'b']
    >>> pickle.loads(pickle.dumps(words)) is words
    True
    """

    def __init__(self, value: R) -> None:
        self.value = value
        self._name = secrets.token_hex(16)
        self._packed: bytes | None = None
        _constants[self._name] = self

    def __reduce__(self) -> tuple[Any, ...]:
        if self._packed is None:
            self._packed = pickle.dumps(self.value, protocol=5)
        return _unpacked, (self._name, self._packed)


def _unpacked(name: str, packed: bytes) -> Constant[Any]:
    """Find a constant in this process, or unpack it."""
    known = _constants.get(name)
    if known is None:
        known = Constant(pickle.loads(packed))
        known._name, known._packed = name, packed
        _constants[name] = known
    return known
