"""What is kept of examples from one epoch to the next: what takes time to make, as long as there is room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["ROOM", "Kept"]

T = TypeVar("T")

#: The bytes that are kept at most.
ROOM = 256 << 20


class Kept(Generic[T]):
    """Things by the numbers of examples, made once, or each time when there is no more room.

    Workers get none of them.

    Examples
    --------
    >>> kept = Kept[bytes](room=4)
    >>> kept.get(0, lambda: b"once", len), kept.get(0, lambda: b"again", len)
    (b'once', b'once')
    >>> kept.get(1, lambda: b"once", len), kept.get(1, lambda: b"again", len)
    (b'once', b'again')
    """

    def __init__(self, room: int | None = None) -> None:
        self._room = self._left = ROOM if room is None else room
        self._things: dict[int, T] = {}

    def __reduce__(self) -> tuple[type[Kept[T]], tuple[int]]:
        return type(self), (self._room,)

    def get(self, number: int, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """Return the thing of an example; ``size`` says how many bytes it takes."""
        thing = self._things.get(number)
        if thing is None:
            thing, left = make(), self._left
            if left > 0 and (left := left - size(thing)) >= 0:
                self._things[number], self._left = thing, left
        return thing
