"""64-bit hashes of names, and how they combine: they identify features, and do not collide in practice.

With ten million features, the chance that any two share a 64-bit hash is about one in 400,000.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from treewright.kernels import kernel

__all__ = ["Hashes64", "hash_text", "hash_texts", "mix"]

Hashes64 = npt.NDArray[np.uint64]


@lru_cache(maxsize=1 << 20)
def hash_text(text: str) -> int:
    """Hash a text, the same way in every process; never to 0, which stands for nothing.

    Examples
    --------
    >>> hash_text("NP") == hash_text("NP"), hash_text("NP") == hash_text("VP")
    (True, False)
    """
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") or 1


def hash_texts(texts: list[str] | tuple[str, ...]) -> Hashes64:
    """Hash many texts."""
    return np.array([hash_text(text) for text in texts], np.uint64)


@kernel
def mix(left: np.uint64, right: np.uint64) -> np.uint64:
    """Combine two hashes; the order matters (the finalizer of splitmix64)."""
    x = left * np.uint64(0x9E3779B97F4A7C15) + right
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
