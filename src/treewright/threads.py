"""Threads: one function applied to many things, the results in order.

Kernels release the GIL, so threads are enough.  Results come in order, so what is summed from them does not depend on
the number of threads.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["count_workers", "in_order", "in_shares"]

S = TypeVar("S")
T = TypeVar("T")


def count_workers(wanted: int | None = None) -> int:
    """Return the number of workers to use: 0 or None means one for each core that this process may use."""
    if wanted is not None and wanted < 0:
        raise ValueError(f"{wanted} workers; there must be at least 1, or 0 for one on each core")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return wanted or cores or 1


def in_order(
    function: Callable[[S], T], things: Iterable[S], threads: int | None = None, *, batch: int = 32
) -> Iterator[T]:
    """Apply a function to each of many things.

    An error is raised when its turn has come; what has not been started by then is cancelled.

    Parameters
    ----------
    function : function
    things : iterable
        Read only a little ahead, so that any number of them can be streamed.
    threads : int, optional
        The number of threads; 0 or None means one for each core.
    batch : int
        The number of things that a thread takes at once.

    Examples
    --------
    >>> list(in_order(abs, [1, -2, -3], threads=2))
    [1, 2, 3]
    """
    threads = count_workers(threads)
    if threads == 1:
        yield from map(function, things)
        return
    remaining = iter(things)
    pool = ThreadPoolExecutor(threads)
    pending: deque[Future[list[T]]] = deque()
    try:
        while some := list(itertools.islice(remaining, batch)):
            pending.append(pool.submit(lambda some: [function(thing) for thing in some], some))
            if len(pending) > 2 * threads:
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def in_shares(function: Callable[[list[S]], list[T]], things: Sequence[S], threads: int | None = None) -> list[T]:
    """Split many things into one share for each thread, and apply a function to each share as a whole.

    Parameters
    ----------
    function : function
        Returns one result for each thing of its share.
    things : sequence
    threads : int, optional
        The number of threads; 0 or None means one for each core.

    Returns
    -------
    list
        The results, in the order of the things.

    Examples
    --------
    >>> in_shares(lambda share: [number + len(share) for number in share], [1, 2, 3], threads=2)
    [3, 3, 5]
    """
    count = min(count_workers(threads), len(things))
    if count <= 1:
        return function(list(things)) if things else []
    shares = [list(things[k::count]) for k in range(count)]
    results = list(in_order(function, shares, count, batch=1))
    return [results[k % count][k // count] for k in range(len(things))]
