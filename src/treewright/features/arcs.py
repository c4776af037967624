"""Arc and label scores of a sentence, and their gradient: the compiled part.

An arc has *families* of features.  A family is one conjunction of attributes, hashed to a place in the weight table;
its sixteen members, direction times (any distance, or one of seven distances), are the sixteen places that differ
from it in the last four bits, so that they share a cache line::

    place of member k = (head side ^ modifier side) ^ k

A labelled arc also has one feature for each label template and label; the weights of all labels
of a template lie side by side and are added as vectors.  Direction is part of the hash there.

`score` and `gradient` visit the same features.  (One test holds them together: the score of a tree equals
the product of its gradient with the weights.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.features.weights import Table, decode
from treewright.kernels import kernel

__all__ = ["HashedSentence", "count_features", "gradient", "score"]

Hashes = npt.NDArray[np.uint32]

#: Members of a family: twice (any distance + seven bins).
FAMILY = 16

#: Label rows start at multiples of this many weights.
ALIGNMENT = 8

#: Stirs the counts of what stands between two words into a hash; odd, its bits evenly mixed.
COUNTS_SEED = 0x27D4EB2F

#: Tells left arcs from right arcs in the hash of a label feature.
LEFT_SEED, RIGHT_SEED = 0x3C6EF372, 0x9E3779B9


class HashedSentence(NamedTuple):
    """Everything about a sentence that its arc features are made of; row 0 is the root.

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
    """Hash how many verbs, punctuation marks and conjunctions stand between two words (three or more alike)."""
    first, last = min(h, m), max(h, m) - 1
    code = 1
    for kind in range(counts.shape[1]):
        code = 4 * code + min(3, counts[last, kind] - counts[first, kind])
    return np.uint32(np.uint32(code) * np.uint32(COUNTS_SEED))


@kernel
def label_rows(hashes: Hashes, weights: Table, offset: int, mask: np.uint32, labels: int) -> npt.NDArray[np.float32]:
    """Add up, for each word and direction, the label weights of templates that see only that word."""
    positions, templates = hashes.shape
    rows = np.zeros((positions, 2, labels), np.float32)
    for position in range(positions):
        for right in range(2):
            seed = np.uint32(RIGHT_SEED if right else LEFT_SEED)
            for template in range(templates):
                start = np.uintp(offset + ((hashes[position, template] ^ seed) & mask))
                for label in range(labels):
                    rows[position, right, label] += decode(weights[start + np.uintp(label)])
    return rows


@kernel
def family_rows(hashes: Hashes, weights: Table, mask: np.uint32) -> npt.NDArray[np.float32]:
    """Add up, for each word and member of the family, the weights of templates that see only that word."""
    positions, templates = hashes.shape
    rows = np.zeros((positions, FAMILY), np.float32)
    for position in range(positions):
        for template in range(templates):
            place = hashes[position, template] & mask
            for member in range(FAMILY):
                rows[position, member] += decode(weights[place ^ np.uint32(member)])
    return rows


@kernel
def score(
    x: HashedSentence,
    weights: Table,
    arc_mask: np.uint32,
    label_offset: int,
    label_mask: np.uint32,
    scale: float,
    arc: npt.NDArray[np.float32],
    label: npt.NDArray[np.float32],
) -> None:
    """Score every arc and every label of every arc.

    Parameters
    ----------
    x : HashedSentence
    weights : float32 or int8 array
        Arc features up to ``label_offset``, label features from there.
    arc_mask, label_mask : uint32
        What of a hash is a place.
    scale : float
        What sums of decoded weights are multiplied by.
    arc : float32 array, shape (n + 1, n + 1)
        Filled with ``arc[h, m]``; minus infinity where there is no such arc.
    label : float32 array, shape (n + 1, n + 1, labels)
        Filled with ``label[h, m, l]``.
    """
    size, labels = label.shape[0], label.shape[2]
    padded = (labels + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    factor = np.float32(scale)
    head_alone = family_rows(x.head_alone, weights, arc_mask)
    modifier_alone = family_rows(x.modifier_alone, weights, arc_mask)
    label_head_alone = label_rows(x.label_head_alone, weights, label_offset, label_mask, padded)
    label_modifier_alone = label_rows(x.label_modifier_alone, weights, label_offset, label_mask, padded)
    places = np.empty(x.head.shape[1], np.uint32)
    row = np.empty(padded, np.float32)
    for h in range(size):
        arc[h, h] = -np.inf
        arc[h, 0] = -np.inf
        label[h, h] = 0
        label[h, 0] = 0
        for right in range(2):
            seed = np.uint32(RIGHT_SEED if right else LEFT_SEED)
            between = np.uint64(0)
            for away in range(1, size - h if right else h):
                m = h + away if right else h - away
                directed, distant = family_members(h, m)
                total = head_alone[h, directed] + head_alone[h, distant]
                total += modifier_alone[m, directed] + modifier_alone[m, distant]
                for t in range(places.shape[0]):
                    places[t] = (x.head[h, t] ^ x.modifier[m, t]) & arc_mask
                for t in range(places.shape[0]):
                    total += decode(weights[places[t] ^ directed]) + decode(weights[places[t] ^ distant])
                tags = between
                tag = 0
                while tags:
                    if tags & np.uint64(1):
                        place = (x.between_head[h, 0] ^ x.between_modifier[m, 0] ^ x.tag_seeds[tag]) & arc_mask
                        total += decode(weights[place ^ directed])
                    tags >>= np.uint64(1)
                    tag += 1
                counts = hash_counts(x.counts, h, m)
                for t in range(1, x.between_head.shape[1]):
                    place = (x.between_head[h, t] ^ x.between_modifier[m, t] ^ counts) & arc_mask
                    total += decode(weights[place ^ directed]) + decode(weights[place ^ distant])
                arc[h, m] = total * factor
                between |= np.uint64(1) << np.uint64(x.tags[m])

                for k in range(padded):
                    row[k] = label_head_alone[h, right, k] + label_modifier_alone[m, right, k]
                for t in range(x.label_head.shape[1]):
                    place = (x.label_head[h, t] ^ x.label_modifier[m, t] ^ seed) & label_mask
                    start = np.uintp(label_offset + place)
                    for k in range(padded):
                        row[k] += decode(weights[start + np.uintp(k)])
                for k in range(labels):
                    label[h, m, k] = row[k] * factor


@kernel
def count_features(x: HashedSentence) -> int:
    """Bound the number of features that one labelled arc has."""
    arcs = x.head.shape[1] + x.head_alone.shape[1] + x.modifier_alone.shape[1] + x.between_head.shape[1]
    labels = x.label_head.shape[1] + x.label_head_alone.shape[1] + x.label_modifier_alone.shape[1]
    return int(2 * arcs + 64 + labels)


@kernel
def arc_features(
    x: HashedSentence, h: int, m: int, arc_mask: np.uint32, places: npt.NDArray[np.int32], end: int
) -> int:
    """List the places of the features of one arc from ``places[end]`` on; return the new end."""
    directed, distant = family_members(h, m)
    counts = hash_counts(x.counts, h, m)
    first = end
    for t in range(x.head.shape[1]):
        places[end] = (x.head[h, t] ^ x.modifier[m, t]) & arc_mask
        end += 1
    for t in range(x.head_alone.shape[1]):
        places[end] = x.head_alone[h, t] & arc_mask
        end += 1
    for t in range(x.modifier_alone.shape[1]):
        places[end] = x.modifier_alone[m, t] & arc_mask
        end += 1
    for t in range(1, x.between_head.shape[1]):
        places[end] = (x.between_head[h, t] ^ x.between_modifier[m, t] ^ counts) & arc_mask
        end += 1
    for family in range(first, end):
        places[end + family - first] = places[family] ^ distant
        places[family] ^= directed
    end += end - first
    tags = np.uint64(0)
    for between in range(min(h, m) + 1, max(h, m)):
        tags |= np.uint64(1) << np.uint64(x.tags[between])
    for tag in range(64):
        if tags >> np.uint64(tag) & np.uint64(1):
            place = (x.between_head[h, 0] ^ x.between_modifier[m, 0] ^ x.tag_seeds[tag]) & arc_mask
            places[end] = place ^ directed
            end += 1
    return end


@kernel
def label_features(
    x: HashedSentence,
    h: int,
    m: int,
    label: int,
    label_offset: int,
    label_mask: np.uint32,
    places: npt.NDArray[np.int32],
    end: int,
) -> int:
    """List the places of the features of the label of one arc from ``places[end]`` on; return the new end."""
    seed = np.uint32(RIGHT_SEED if m > h else LEFT_SEED)
    start = label_offset + label
    for t in range(x.label_head.shape[1]):
        places[end] = start + ((x.label_head[h, t] ^ x.label_modifier[m, t] ^ seed) & label_mask)
        end += 1
    for t in range(x.label_head_alone.shape[1]):
        places[end] = start + ((x.label_head_alone[h, t] ^ seed) & label_mask)
        end += 1
    for t in range(x.label_modifier_alone.shape[1]):
        places[end] = start + ((x.label_modifier_alone[m, t] ^ seed) & label_mask)
        end += 1
    return end


@kernel
def gradient(
    x: HashedSentence,
    arcs: npt.NDArray[np.int32],
    coefficients: npt.NDArray[np.float32],
    arc_mask: np.uint32,
    label_offset: int,
    label_mask: np.uint32,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """List the features of labelled arcs, each with the coefficient of its arc.

    Parameters
    ----------
    x : HashedSentence
    arcs : int32 array, shape (a, 3)
        Head, modifier and label of each arc; a label of -1 stands for the bare arc.
    coefficients : float32 array, shape (a,)

    Returns
    -------
    places : int32 array
    values : float32 array
        The gradient of the sum of coefficient times score; a place may occur more than once.
    """
    places = np.empty(len(arcs) * count_features(x), np.int32)
    values = np.empty(len(places), np.float32)
    end = 0
    for a in range(len(arcs)):
        h, m, label = arcs[a]
        first = end
        end = arc_features(x, h, m, arc_mask, places, end)
        if label >= 0:
            end = label_features(x, h, m, label, label_offset, label_mask, places, end)
        values[first:end] = coefficients[a]
    return places[:end], values[:end]
