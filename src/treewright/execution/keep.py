"""Finished shards on disk, so that a run that was broken off goes on where it was.

Each result is a file, named after what it depends on: the version of the package, the task and the shard.  So the same
command finds what it has done before, and another finds nothing.  A file begins with the SHA-256 of the rest; one that
is damaged counts for nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from treewright.errors import UsageError
from treewright.execution.tasks import Outcome, Task
from treewright.files import PathLike, atomic_output
from treewright.version import __version__

__all__ = ["Keep", "dump_arrays", "load_arrays"]

SUFFIX = ".shard"


class Keep:
    """A folder of finished shards, emptied when its ``with`` block ends without an error.

    So everything that is made of the results belongs into that block.

    Parameters
    ----------
    folder : path
        Made unless it is there; removed in the end, unless something else is in it.

    Raises
    ------
    UsageError
        If it cannot be made.
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
        """Look for a result that was kept."""
        try:
            content = memoryview((self.folder / name).read_bytes())
        except OSError:
            return None
        digest, data = content[:32], content[32:]
        return Outcome(task.load(bytes(data))) if hashlib.sha256(data).digest() == digest else None

    def save(self, name: str, data: bytes) -> None:
        """Keep a result; a crash leaves it whole or not at all."""
        with atomic_output(self.folder / name) as file:
            file.write(hashlib.sha256(data).digest())
            file.write(data)

    def __len__(self) -> int:
        """Count the results that are there."""
        return sum(1 for _ in self.folder.glob(f"*{SUFFIX}"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            for path in self.folder.glob(f"*{SUFFIX}"):
                path.unlink()
            with contextlib.suppress(OSError):  # somebody else has something in it
                self.folder.rmdir()


def dump_arrays(**arrays: npt.NDArray[Any]) -> bytes:
    """Turn arrays into bytes, for `Task.dump`."""
    from safetensors.numpy import save

    data: bytes = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    return data


def load_arrays(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """Turn bytes back into arrays, for `Task.load`.

    Examples
    --------
    >>> load_arrays(dump_arrays(counts=np.arange(3)))
    {'counts': array([0, 1, 2])}
    """
    from safetensors.numpy import load

    arrays: dict[str, npt.NDArray[Any]] = load(data)
    return arrays
