"""Memory that is used again: fresh memory can cost more than what is done with it, a page at a time."""

from __future__ import annotations

import math
import threading

import numpy as np
import numpy.typing as npt

__all__ = ["CACHED", "scratch"]

#: How many numbers fit into the cache with a few other arrays like this.
CACHED = 1 << 16

#: How many numbers an array may have to be kept, 4 MB of them.
KEPT = 1 << 19

_kept = threading.local()


def scratch(name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return an array to work in, with arbitrary contents, valid until this thread asks for the same name again."""
    size = math.prod(shape)
    if size > KEPT:
        return np.empty(shape)
    array = getattr(_kept, name, None)
    if array is None or len(array) < size:
        array = np.empty(max(size, CACHED))
        setattr(_kept, name, array)
    return np.asarray(array[:size], np.float64).reshape(shape)
