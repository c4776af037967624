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

#: What a worker says when it has started.
READY = b""


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back for a moment; a process started meanwhile never hears of it, and is ended by its parent."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(connection: Connection[bytes, bytes]) -> None:
    """Do what comes, until the other end is closed.

    A message is a packed task, which is that of all shards after it, or a number and a pickled shard.
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
                task = unpack(message)  # while the old one is there, whose constants may be the same
            except Exception as error:
                refused = failure(error)
            continue
        number, shard = message
        outcome = refused or _do(task, shard)
        try:
            answer = pickle.dumps((number, outcome), protocol=5)
        except Exception as error:
            answer = pickle.dumps((number, failure(error)), protocol=5)
        _answer(connection, answer)


def _answer(connection: Connection[bytes, bytes], answer: bytes) -> None:
    try:
        connection.send_bytes(answer)
    except OSError:  # nobody is there any more
        os._exit(0)


def _do(task: Task[Any, Any] | None, packed_shard: bytes) -> Outcome[Any]:
    assert task is not None
    try:
        shard = pickle.loads(packed_shard)
    except Exception as error:
        return failure(error)
    return attempt(task, shard)


def _receive(connection: Connection[bytes, bytes], messages: SimpleQueue[bytes]) -> None:
    """Take messages as they come, so that whoever sends them never waits for the work to be done.

    And end this process, whatever it is doing, when there is nobody any more to work for.
    """
    while True:
        try:
            messages.put(connection.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
