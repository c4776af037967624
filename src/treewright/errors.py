"""The exceptions of the package.

::

    Exception
    └── TreewrightError            everything this package raises on purpose
        ├── CandidatesError        a file of candidates to rerank is malformed (path and line are attributes)
        ├── ClusterError           a file of clusters, or a text to cluster, is malformed (path and line are attributes)
        ├── ExecutionError         work could not be done because the worker that did it died
        ├── TreebankError          a treebank file is malformed (path, line and column are attributes)
        ├── ModelError             a model file is truncated, foreign, newer or corrupted
        └── UsageError             a request that cannot be carried out as it was made

Every message is one line that says what happened, where, and what to do next; the command line prints it
and exits with status 1.  Wrong arguments to the numeric API (shapes, NaN, no tree possible) are plain
``ValueError``, as NumPy users expect.
"""

from __future__ import annotations

__all__ = [
    "CandidatesError",
    "ClusterError",
    "ExecutionError",
    "ModelError",
    "TreebankError",
    "TreewrightError",
    "UsageError",
]


class TreewrightError(Exception):
    """Base class of everything this package raises on purpose."""


class _LineError(TreewrightError):
    """A line of a file is malformed.

    Parameters
    ----------
    reason : str
        What is wrong, in a few words.
    path : str
        The file, as the user named it (``<stdin>`` for standard input).
    line : int
        Where, counted from 1.
    """

    def __init__(self, reason: str, path: str, line: int) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self.reason = reason
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[type[_LineError], tuple[str, str, int]]:  # so that it can come from a worker
        return type(self), (self.reason, self.path, self.line)


class CandidatesError(_LineError):
    """A file of candidates to rerank is malformed; ``reason``, ``path`` and ``line`` (from 1) are attributes."""


class ClusterError(_LineError):
    """A file of clusters, or a text to cluster, is malformed; ``reason``, ``path`` and ``line`` are attributes."""


class ExecutionError(TreewrightError):
    """Work could not be done because the worker that did it died, or there can be none."""


class TreebankError(TreewrightError):
    """A treebank file is malformed.

    Parameters
    ----------
    reason : str
        What is wrong, in a few words.
    path : str
        The file, as the user named it (``<stdin>`` for standard input).
    line, column : int
        Where, counted from 1; ``column`` counts characters within the line.
    """

    def __init__(self, reason: str, path: str, line: int, column: int = 1) -> None:
        super().__init__(f"{path}:{line}:{column}: {reason}")
        self.reason = reason
        self.path = path
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[type[TreebankError], tuple[str, str, int, int]]:  # so that it can come from a worker
        return type(self), (self.reason, self.path, self.line, self.column)


class ModelError(TreewrightError):
    """A model file is truncated, foreign, newer than this version, or corrupted."""


class UsageError(TreewrightError):
    """A request that cannot be carried out as it was made."""
