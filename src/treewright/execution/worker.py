"""What runs in a worker process: shards in, outcomes out, over one connection."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from treewright.execution.packing import Packed, unpack
from treewright.execution.tasks import Outcome, Task, attempt, failure

__all__ = ["READY", "interrupts_held", "serve"]

#: The first message of a worker.
READY = b""


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Block Ctrl-C; a process started meanwhile never receives it, and is ended by its parent."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(connection: Connection[bytes, bytes]) -> None:
    """Run shards as they come, until the other end is closed.

    A message is either a packed task, for all shards that follow, or the number of a shard and the pickled shard.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    messages: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(connection, messages), daemon=True).start()
    _answer(connection, READY)
    task: Task[Any, Any] | None = None
    refused: Outcome[Any] | None = None
    while True:
        message = pickle.loads(messages.get())
        if isinstance(message, Packed):
            refused = None
            try:
                task = unpack(message)  # the old task is still there, so that common constants are unpacked once
            except Exception as error:
                refused = failure(error)
            continue
        number, shard = message
        outcome = refused or _run(task, shard)
        try:
            answer = pickle.dumps((number, outcome), protocol=5)
        except Exception as error:
            answer = pickle.dumps((number, failure(error)), protocol=5)
        _answer(connection, answer)


def _answer(connection: Connection[bytes, bytes], answer: bytes) -> None:
    try:
        connection.send_bytes(answer)
    except OSError:  # the other end is closed
        os._exit(0)


def _run(task: Task[Any, Any] | None, packed_shard: bytes) -> Outcome[Any]:
    assert task is not None
    try:
        shard = pickle.loads(packed_shard)
    except Exception as error:
        return failure(error)
    return attempt(task, shard)


def _receive(connection: Connection[bytes, bytes], messages: SimpleQueue[bytes]) -> None:
    """Receive messages as they come, so that the sender never waits for the work to be done.

    Once the other end is closed, end this process, whatever it is doing.
    """
    while True:
        try:
            messages.put(connection.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
