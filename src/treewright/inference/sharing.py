"""Many problems on several threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["share_out"]

S = TypeVar("S")
T = TypeVar("T")


def share_out(batch: Sequence[S], threads: int, ask: Callable[[list[S]], list[T]]) -> list[T]:
    """Ask about a batch, each thread about its share; answers come in the order of the batch.

    Examples
    --------
    >>> share_out([1, 2, 3], 2, lambda share: [number + len(share) for number in share])
    [3, 3, 5]
    """
    if threads <= 1 or len(batch) < 2:
        return ask(list(batch)) if batch else []
    shares = [list(batch[k::threads]) for k in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        answers = list(pool.map(ask, [share for share in shares if share]))
    return [answers[k % threads][k // threads] for k in range(len(batch))]
