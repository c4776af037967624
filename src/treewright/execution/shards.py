"""Shards: a stream of things, cut into lists whose size depends only on the things."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

__all__ = ["sharded"]

S = TypeVar("S")


def sharded(things: Iterable[S], size: int, measure: Callable[[S], int] = lambda thing: 1) -> Iterator[list[S]]:
    """Cut a stream into lists.

    Parameters
    ----------
    things : iterable
        Read as needed.
    size : int
        A list ends with the thing that brings it to this size.
    measure : function
        Returns the size of a thing; by default 1.

    Examples
    --------
    >>> list(sharded("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    >>> list(sharded(["a", "bcde", "f", "g"], 3, len))
    [['a', 'bcde'], ['f', 'g']]
    """
    if size < 1:
        raise ValueError(f"shards of size {size}; it must be at least 1")
    shard: list[S] = []
    total = 0
    for thing in things:
        shard.append(thing)
        total += measure(thing)
        if total >= size:
            yield shard
            shard, total = [], 0
    if shard:
        yield shard
