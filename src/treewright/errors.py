"""The exceptions of the package.

::

    Exception
    └── TreewrightError            everything that this package raises on purpose
        ├── CandidatesError        a file of candidates to rerank is malformed
        ├── ClusterError           a file of clusters, or a text to cluster, is malformed
        ├── ExecutionError         a worker died, or workers cannot be started
        ├── TreebankError          a treebank file is malformed
        ├── ModelError             a model file is truncated, foreign, newer or corrupted
        └── UsageError             a request cannot be carried out
            ├── ContradictionError     no tree obeys the constraints
            └── IntractableError       the answer would take exponential time with this model

Every message is one line that says what happened, where, and what to do next; the command line prints it and exits with
status 1.  Wrong arguments to the numeric API (shapes, NaN, no possible tree) raise a plain ``ValueError``, as NumPy
users expect.
"""

from __future__ import annotations

__all__ = [
    "CandidatesError",
    "ClusterError",
    "ContradictionError",
    "ExecutionError",
    "IntractableError",
    "ModelError",
    "TreebankError",
    "TreewrightError",
    "UsageError",
]


class TreewrightError(Exception):
    """The base class of everything that this package raises on purpose."""


class _LineError(TreewrightError):
    """A line of a file is malformed.

    ``path`` is the file as the user named it (``<stdin>`` for standard input); lines, and the column of a subclass that
    has one, are counted from 1.
    """

    def __init__(self, reason: str, path: str, line: int, *columns: int) -> None:
        super().__init__(f"{':'.join(map(str, (path, line, *columns)))}: {reason}")
        self.reason, self.path, self.line = reason, path, line
        self._arguments: tuple[str | int, ...] = (reason, path, line, *columns)

    def __reduce__(self) -> tuple[type[_LineError], tuple[str | int, ...]]:  # so that workers can send it
        return type(self), self._arguments


class CandidatesError(_LineError):
    """A file of candidates to rerank is malformed; ``reason``, ``path`` and ``line`` are attributes."""


class ClusterError(_LineError):
    """A file of clusters, or a text to cluster, is malformed; ``reason``, ``path`` and ``line`` are attributes."""


class ExecutionError(TreewrightError):
    """Work could not be done because a worker died, or because workers cannot be started."""


class TreebankError(_LineError):
    """A treebank file is malformed; ``reason``, ``path``, ``line`` and ``column`` are attributes."""

    def __init__(self, reason: str, path: str, line: int, column: int = 1) -> None:
        super().__init__(reason, path, line, column)
        self.column = column


class ModelError(TreewrightError):
    """A model file is truncated, foreign, newer than this version, or corrupted."""


class UsageError(TreewrightError):
    """A request cannot be carried out."""


class ContradictionError(UsageError):
    """No tree obeys; ``clash`` has the constraints that contradict each other, in words, as far as they are known."""

    def __init__(self, message: str, clash: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.clash = clash

    def __reduce__(self) -> tuple[type[ContradictionError], tuple[str, tuple[str, ...]]]:  # so that workers can send it
        return type(self), (str(self), self.clash)


class IntractableError(UsageError):
    """The exact answer would take too long: probabilities are intractable with this model, or too few trees obey."""
