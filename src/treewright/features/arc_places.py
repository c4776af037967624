"""The places of the features of an arc in a table.

An arc has *families* of features.  A family is one conjunction of attributes, hashed to a place in the table.  Its
sixteen members, direction times (any distance, or one of seven distances), are the places that differ from it in the
last four bits only, so that they share a cache line::

    place of member k = (head side ^ modifier side) ^ k
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Hashes, Places
from treewright.features.templates import exists
from treewright.kernels import kernel

__all__ = ["FAMILY", "HashedArcs", "Hashes", "arc_places", "count_families", "family_members", "hash_counts"]


#: Members of a family: twice (any distance + seven bins).
FAMILY = 16

#: Mixes the counts of what stands between two words into a hash; odd, its bits evenly distributed.
COUNTS_SEED = 0x27D4EB2F


class HashedArcs(NamedTuple):
    """Everything in a sentence that its arc features depend on; row 0 is the root.

    The ``Hashes`` have shape (n + 1, number of templates).
    """

    head: Hashes
    modifier: Hashes
    head_alone: Hashes
    modifier_alone: Hashes
    between_head: Hashes
    between_modifier: Hashes
    label_head: Hashes
    label_modifier: Hashes
    label_head_alone: Hashes
    label_modifier_alone: Hashes
    tags: npt.NDArray[np.uint8]
    tag_seeds: Hashes
    counts: npt.NDArray[np.int32]


@kernel
def family_members(h: int, m: int) -> tuple[np.uint32, np.uint32]:
    """Choose the two members of each family that an arc has: its direction, and direction with distance."""
    direction = 0
    distance = m - h
    if distance < 0:
        distance = -distance
        direction = 8
    if distance >= 5:
        distance = 5 if distance < 7 else 6 if distance < 11 else 7
    return np.uint32(direction), np.uint32(direction + distance)


@kernel
def hash_counts(counts: npt.NDArray[np.int32], h: int, m: int) -> np.uint32:
    """Hash the numbers of verbs, punctuation marks and conjunctions between two words (three or more count alike)."""
    first, last = min(h, m), max(h, m) - 1
    code = 1
    for kind in range(counts.shape[1]):
        code = 4 * code + min(3, counts[last, kind] - counts[first, kind])
    return np.uint32(np.uint32(code) * np.uint32(COUNTS_SEED))


@kernel
def arc_places(x: HashedArcs, h: int, m: int, mask: np.uint32, places: Places) -> int:
    """List the places of the features of one arc, each template at a fixed index; return the end of the list.

    First come all families under direction, then all under direction and distance, then one feature for each tag that
    occurs between head and modifier.  The place of a feature that does not exist is -1.
    """
    directed, distant = family_members(h, m)
    end = 0
    for t in range(x.head.shape[1]):
        feature = x.head[h, t] ^ x.modifier[m, t]
        places[end] = np.int32(feature & mask) if exists(feature) else -1
        end += 1
    for t in range(x.head_alone.shape[1]):
        feature = x.head_alone[h, t]
        places[end] = np.int32(feature & mask) if exists(feature) else -1
        end += 1
    for t in range(x.modifier_alone.shape[1]):
        feature = x.modifier_alone[m, t]
        places[end] = np.int32(feature & mask) if exists(feature) else -1
        end += 1
    counts = hash_counts(x.counts, h, m)
    for t in range(1, x.between_head.shape[1]):
        feature = x.between_head[h, t] ^ x.between_modifier[m, t]
        places[end] = np.int32((feature ^ counts) & mask) if exists(feature) else -1
        end += 1
    for family in range(end):
        places[end + family] = places[family] ^ distant if places[family] >= 0 else -1
        places[family] = places[family] ^ directed if places[family] >= 0 else -1
    end *= 2
    feature = x.between_head[h, 0] ^ x.between_modifier[m, 0]
    if exists(feature):
        tags = np.uint64(0)
        for between in range(min(h, m) + 1, max(h, m)):
            tags |= np.uint64(1) << np.uint64(x.tags[between])
        for tag in range(64):
            if tags >> np.uint64(tag) & np.uint64(1):
                places[end] = np.int32((feature ^ x.tag_seeds[tag]) & mask) ^ directed
                end += 1
    return end


@kernel
def count_families(x: HashedArcs) -> int:
    """Count the families of features of an arc (except those of the tags in between)."""
    return int(x.head.shape[1] + x.head_alone.shape[1] + x.modifier_alone.shape[1] + x.between_head.shape[1] - 1)
