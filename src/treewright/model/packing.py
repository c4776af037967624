"""Tables of weights are packed where that pays: many weights are zero, and deflated a table is the smaller for it.

A dense table of a large model is mapped into memory as it lies, which takes no time.  To inflate what is packed takes a
tenth of a second for each sixteen megabytes.
"""

from __future__ import annotations

import json
import zlib
from typing import Any, Final

import numpy as np

from treewright.arrays import Array

__all__ = ["pack", "tables_of", "unpack"]

#: Tables of at least so many bytes are packed if there are not more than so many bytes of them in all, or if that makes
#: them less than half as large.
SMALL: Final = 1 << 14
LARGE: Final = 16 << 20

#: What all packed tables of a model have at most: a file cannot claim any amount of memory.
MOST: Final = 256 << 20


def tables_of(arrays: dict[str, Array]) -> dict[str, Array]:
    """Choose the tables of weights: those of bytes."""
    return {name: one for name, one in arrays.items() if one.dtype == np.int8 and one.ndim == 1}


def pack(arrays: dict[str, Array], level: int = 9) -> tuple[dict[str, Array], dict[str, int]]:
    """Deflate tables where that pays; return all arrays, and how long those tables were.

    A lower ``level`` is faster, and packs less tightly.

    Examples
    --------
    >>> packed, lengths = pack({"weights": np.zeros(100_000, np.int8), "few": np.ones(3)})
    >>> packed["weights"].nbytes < 200, lengths
    (True, {'weights': 100000})
    >>> unpack(packed, json.dumps(lengths))["weights"].shape
    (100000,)
    """
    tables, lengths, left = tables_of(arrays), dict[str, int](), MOST
    is_large = sum(one.nbytes for one in tables.values()) > LARGE
    for name, table in tables.items():
        if SMALL <= len(table) <= left:
            deflated = np.frombuffer(zlib.compress(table.tobytes(), level), np.uint8)
            if not is_large or 2 * len(deflated) < len(table):
                arrays, left = arrays | {name: deflated}, left - len(table)
                lengths[name] = len(table)
    return arrays, lengths


def unpack(arrays: dict[str, Array], packed: Any) -> dict[str, Array]:
    """Inflate what was packed, trusting neither lengths nor contents.

    Parameters
    ----------
    arrays : dict of arrays
    packed : str, or anything else
        The lengths by name, as JSON; None if nothing was packed.

    Raises
    ------
    ValueError
        If it cannot be so.
    """
    if packed is None:
        return arrays
    lengths = json.loads(packed) if isinstance(packed, str) else None
    if not isinstance(lengths, dict) or not all(isinstance(one, int) and one >= SMALL for one in lengths.values()):
        raise ValueError("the lengths of its tables are damaged")
    if sum(lengths.values()) > MOST or not lengths.keys() <= arrays.keys():
        raise ValueError("the lengths of its tables are impossible")
    return arrays | {name: _inflate(arrays[name], length) for name, length in lengths.items()}


def _inflate(array: Array, length: int) -> Array:
    """Inflate a table, never to more than its length."""
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(array.tobytes(), length)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(content) != length or not stream.eof or stream.unused_data:
        raise ValueError("a table has another length than it should")
    return np.frombuffer(content, np.int8)
