"""Tasks packed for worker processes: large arrays are in a file that all workers map into memory.

So the weights of a model are in memory once, for any number of workers.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

__all__ = ["Packed", "pack", "shared_file", "unpack"]

#: Arrays of fewer bytes are copied.
LARGE = 1 << 20

#: Arrays in the file are aligned to cache lines, as NumPy's own are.
ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Packed:
    """A task without its large arrays, the path of the file that has them, and where in it each begins and ends."""

    stream: bytes
    path: str
    spans: tuple[tuple[int, int], ...]


@contextlib.contextmanager
def shared_file() -> Iterator[tuple[BinaryIO, str]]:
    """Create a file in the folder for temporary files; yield it and the path by which other processes open it.

    On systems with ``/proc`` it is anonymous, so nothing is left of it however this process ends.
    """
    if os.path.isdir("/proc/self/fd"):
        with tempfile.TemporaryFile() as file:
            yield cast(BinaryIO, file), f"/proc/{os.getpid()}/fd/{file.fileno()}"
    else:
        with tempfile.NamedTemporaryFile(prefix="treewright-", suffix=".arrays") as named:
            yield cast(BinaryIO, named), named.name


def pack(task: Any, file: BinaryIO, path: str) -> Packed:
    """Pack a task, and write its large arrays to an empty file that others open by this path."""
    spans: list[tuple[int, int]] = []

    def take(buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        if raw.nbytes < LARGE:
            return True  # it stays in the stream
        file.seek(-file.tell() % ALIGNMENT, 1)
        spans.append((file.tell(), file.tell() + raw.nbytes))
        file.write(raw)
        return False

    stream = pickle.dumps(task, protocol=5, buffer_callback=take)
    file.flush()
    return Packed(stream, path, tuple(spans))


def unpack(packed: Packed) -> Any:
    """Unpack a task; its large arrays are read-only."""
    if not packed.spans:
        return pickle.loads(packed.stream)
    with open(packed.path, "rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return pickle.loads(packed.stream, buffers=[content[start:end] for start, end in packed.spans])
