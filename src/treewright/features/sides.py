"""All sides of all templates of a model, hashed in one pass: a call for each would cost more than what it does.

Each list of templates has a block of memory for each of its sides, a row for the root and for each word.  The sides of
larger parts lie together, one after the other, and have one more row, for a word that does not exist.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treewright.arrays import Hashes, Ints
from treewright.features.attributes import ABSENT, PAD
from treewright.features.templates import HASH, Side, mix
from treewright.kernels import kernel

__all__ = ["Sides"]


class Sides:
    """The sides of templates: of the first order, each with an array of its own, and of larger parts, with one array.

    Parameters
    ----------
    first : sequence of Side
    larger : sequence of sequences of Side
        The sides of each list of templates.
    """

    def __init__(self, first: Sequence[Side], larger: Sequence[Sequence[Side]]) -> None:
        listed = [*first, *(side for sides in larger for side in sides)]
        widths = [len(side.seeds) for side in listed]
        self._first = widths[: len(first)]
        self._larger = [(len(sides), len(sides[0].seeds)) for sides in larger]
        self._starts = np.cumsum([0, *widths]).astype(np.int64)
        self._with_none = np.arange(len(listed)) >= len(first)
        self._offsets = np.concatenate([side.offsets for side in listed])
        self._attributes = np.concatenate([side.attributes for side in listed])
        self._seeds = np.concatenate([side.seeds for side in listed])
        self._absent = np.repeat(np.array([side.absent for side in listed], np.uint32), widths)

    def hash(self, hashes: Hashes) -> tuple[list[Hashes], list[Hashes]]:
        """Hash all sides at the root and at every word of a sentence.

        Returns
        -------
        first : list
            For each side an array of shape (n + 1, templates).
        larger : list
            For each list of templates an array of shape (sides, n + 2, templates); the last row is that of "none".
        """
        flat = _hash_all(
            hashes, self._offsets, self._attributes, self._seeds, self._absent, self._starts, self._with_none
        )
        rows, end = len(hashes) - 2 * PAD, 0
        first, larger = [], []
        for width in self._first:
            first.append(flat[end : end + rows * width].reshape(rows, width))
            end += rows * width
        for sides, width in self._larger:
            size = sides * (rows + 1) * width
            larger.append(flat[end : end + size].reshape(sides, rows + 1, width))
            end += size
        return first, larger


@kernel
def _hash_all(
    hashes: Hashes,
    offsets: npt.NDArray[np.int8],
    attributes: npt.NDArray[np.int8],
    seeds: Hashes,
    absent: Hashes,
    starts: Ints,
    with_none: npt.NDArray[np.bool_],
) -> Hashes:
    """Hash every template at every position, block by block; within a template, positions are hashed side by side."""
    rows, columns = hashes.shape[0] - 2 * PAD, hashes.shape[1]
    by_attribute = np.empty((columns, hashes.shape[0]), np.uint32)
    for position in range(hashes.shape[0]):
        for attribute in range(columns):
            by_attribute[attribute, position] = hashes[position, attribute]
    size = 0
    for block in range(len(with_none)):
        size += (starts[block + 1] - starts[block]) * (rows + (1 if with_none[block] else 0))
    flat, state, marks = np.empty(size, np.uint32), np.empty(rows, np.uint32), np.empty(rows, np.uint32)
    base = 0
    for block in range(len(with_none)):
        width = starts[block + 1] - starts[block]
        for t in range(width):
            template = starts[block] + t
            for position in range(rows):
                state[position], marks[position] = seeds[template], np.uint32(0)
            for field in range(offsets.shape[1]):
                attribute = attributes[template, field]
                if attribute < 0:
                    break
                first = PAD + offsets[template, field]
                for position in range(rows):
                    value = by_attribute[attribute, np.uintp(first + position)]
                    state[position] = mix(state[position], value)
                    marks[position] |= absent[template] if value == ABSENT else np.uint32(0)
            for position in range(rows):
                flat[base + position * width + t] = (state[position] & np.uint32(HASH)) | marks[position]
            if with_none[block]:
                flat[base + rows * width + t] = ~seeds[template] & np.uint32(HASH)
        base += width * (rows + (1 if with_none[block] else 0))
    return flat
