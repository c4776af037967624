"""Finished shards on disk, so that an interrupted run can resume.

Each result is a file, named after what it depends on: the version of the package, the task and the shard.  So the same
command finds what it has done before, and a different one finds nothing.  A file begins with the SHA-256 of the rest;
damaged files are ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from treewright.arrays import Array
from treewright.errors import UsageError
from treewright.execution.tasks import Outcome, Task
from treewright.files import PathLike, atomic_output, unfinished
from treewright.version import __version__

__all__ = ["Keep", "dump_arrays", "load_arrays"]

S = TypeVar("S")
R = TypeVar("R")

SUFFIX = ".shard"


class Keep:
    """A folder of finished shards, emptied when its ``with`` block ends without an error.

    Whatever is done with the results belongs in that block.

    Parameters
    ----------
    folder : path
        Created if necessary; removed at the end, unless it has something else in it.

    Raises
    ------
    UsageError
        If the folder cannot be created.
    """

    def __init__(self, folder: PathLike) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot keep finished shards in {folder}: {error.strerror or error}") from error

    def name(self, task: Task[Any, Any], shard: Any) -> str:
        """Name the result of a shard."""
        digest = hashlib.sha256(f"{__version__} {type(task).__qualname__}\n".encode())
        digest.update(task.identify(shard))
        return digest.hexdigest() + SUFFIX

    def find(self, task: Task[Any, Any], name: str) -> Outcome[Any] | None:
        """Look for the result of a shard; None if there is none."""
        try:
            content = memoryview((self.folder / name).read_bytes())
        except OSError:
            return None
        digest, data = content[:32], content[32:]
        return Outcome(task.load(bytes(data))) if hashlib.sha256(data).digest() == digest else None

    def save(self, name: str, data: bytes) -> None:
        """Write a result; after a crash the file is complete or absent."""
        with atomic_output(self.folder / name) as file:
            file.write(hashlib.sha256(data).digest())
            file.write(data)

    def run(self, task: Task[S, R], shard: S) -> R:
        """Return the result of a shard: the one that was kept, or else a new one, which is kept."""
        name = self.name(task, shard)
        found = self.find(task, name)
        result: R = task(shard) if found is None else found.get()
        if found is None:
            self.save(name, task.dump(result))
        return result

    def __len__(self) -> int:
        """Return the number of results in the folder."""
        return sum(1 for _ in self.folder.glob(f"*{SUFFIX}"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            for path in (*self.folder.glob(f"*{SUFFIX}"), *unfinished(self.folder)):
                path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # there is something else in it
                self.folder.rmdir()


def dump_arrays(**arrays: Array) -> bytes:
    """Turn arrays into bytes, for `Task.dump`."""
    from safetensors.numpy import save

    data: bytes = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    return data


def load_arrays(data: bytes) -> dict[str, Array]:
    """Turn bytes back into arrays, for `Task.load`.

    Examples
    --------
    >>> load_arrays(dump_arrays(counts=np.arange(3)))
    {'counts': array([0, 1, 2])}
    """
    from safetensors.numpy import load

    arrays: dict[str, Array] = load(data)
    return arrays
