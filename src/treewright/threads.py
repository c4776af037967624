"""Threads: the same function for many things, the results in order.

Kernels run without the GIL, so that threads are enough; and whatever is added up, is added up in order, so that a
result does not depend on how many there are.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["in_order"]

S = TypeVar("S")
T = TypeVar("T")


def in_order(
    function: Callable[[S], T], things: Iterable[S], threads: int | None = None, *, batch: int = 32
) -> Iterator[T]:
    """Apply a function to each of many things.

    Parameters
    ----------
    function : function
    things : iterable
        Read only a little ahead, so that any number of them can be streamed.
    threads : int, optional
        How many to use; 0 or nothing is one for each core.
    batch : int
        How many things a thread takes at once.

    Examples
    --------
    >>> list(in_order(abs, [1, -2, -3], threads=2))
    [1, 2, 3]
    """
    threads = threads or os.cpu_count() or 1
    if threads == 1:
        yield from map(function, things)
        return
    remaining = iter(things)
    with ThreadPoolExecutor(threads) as pool:
        pending: deque[Future[list[T]]] = deque()
        while some := list(itertools.islice(remaining, batch)):
            pending.append(pool.submit(lambda some: [function(thing) for thing in some], some))
            if len(pending) > 2 * threads:
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()
