"""Scores of siblings, grandchildren, grand-siblings and tri-siblings, and their gradient: the compiled part.

A part of k words has one side for each of them (`treewright.features.templates`); a feature is the exclusive or of the
sides.  As for arcs, a feature is a *family* of sixteen places in one cache line: on which sides of the head the
grandparent and the modifier are, times (any distance, or one of three distances between the last two words).  A word
that does not exist repeats h in the list of parts; its sides are those of a special word, "none".

The same kernels serve all kinds of parts, which differ only in the number of words and in which of them is the head.
"""

from __future__ import annotations

import numpy as np

from treewright.arrays import Hashes, Ints, Places, Real, Singles
from treewright.features.templates import exists
from treewright.features.weights import Table, decode
from treewright.kernels import kernel, prefetch

__all__ = ["add_scores", "list_features"]

#: The number of parts that are hashed, and whose weights are prefetched, before the first of them is summed: most of
#: the time is spent waiting for memory, so it is spent on many places at once.
AHEAD = 8


@kernel
def family_members(rows: Ints, p: int, head: int) -> tuple[np.uint32, np.uint32]:
    """Choose the two members of each family that a part has: sides of the head, and sides with distance."""
    h, m, before = rows[p, head], rows[p, -1], rows[p, -2]
    place = (1 if m > h else 0) + (2 if rows[p, 0] < h else 0)
    distance = abs(m - before)
    nearness = 1 if distance == 1 else 2 if distance < 5 else 3
    return np.uint32(place), np.uint32(place + 4 * nearness)


@kernel
def hash_part(sides: Hashes, rows: Ints, p: int, head: int, hashed: Hashes) -> None:
    """Hash a part under every template."""
    h, none = rows[p, head], sides.shape[1] - 1
    for t in range(len(hashed)):
        hashed[t] = sides[head, h, t]
    for word in range(sides.shape[0]):
        if word != head:
            position = rows[p, word]
            if position == h:
                position = none
            for t in range(len(hashed)):
                hashed[t] ^= sides[word, position, t]


@kernel
def add_scores(
    sides: Hashes,  # (k, n + 2, templates): the hash of each side of each template at each word, and last at "none"
    rows: Ints,  # (parts, k)
    head: int,  # which of the k words is the head
    planar: bool,  # whether to skip parts that no projective tree has: those whose grandparent is between h and m
    weights: Table,
    offset: int,  # where the features of this kind begin in the table
    mask: np.uint32,  # turns a hash into a place
    scale: float,  # the factor of decoded weights
    scores: Real,  # (parts,)
) -> None:
    """Add to the score of each part the weights of its features."""
    features = np.empty((AHEAD, sides.shape[2]), np.uint32)
    waiting = np.empty(AHEAD, np.int64)
    p = 0
    while p < len(rows):
        count = 0
        while p < len(rows) and count < AHEAD:
            g, h, m = rows[p, 0], rows[p, head], rows[p, -1]
            if not (planar and g != h and min(h, m) <= g <= max(h, m)):
                hash_part(sides, rows, p, head, features[count])
                for t in range(features.shape[1]):
                    prefetch(weights, np.uintp(offset + (features[count, t] & mask)))
                waiting[count] = p
                count += 1
            p += 1
        for k in range(count):
            placed, distant = family_members(rows, waiting[k], head)
            total = scores[0] * 0
            for t in range(features.shape[1]):
                if exists(features[k, t]):
                    place = features[k, t] & mask
                    total += decode(weights[np.uintp(offset + (place ^ placed))])
                    total += decode(weights[np.uintp(offset + (place ^ distant))])
            scores[waiting[k]] += total * scale


@kernel
def put_features(
    features: Hashes,
    seed: np.uint32,
    members: tuple[np.uint32, np.uint32],
    offset: int,
    mask: np.uint32,
    coefficient: float,
    places: Places,
    values: Singles,
    end: int,
) -> int:
    """Write two members of each family of a part, with a coefficient, to a list from ``end`` on; return its new end.

    ``seed`` is mixed into every feature.
    """
    for t in range(len(features)):
        if exists(features[t]):
            for member in members:
                places[end] = offset + (((features[t] ^ seed) & mask) ^ member)
                values[end] = coefficient
                end += 1
    return end


@kernel
def list_features(
    sides: Hashes, rows: Ints, head: int, offset: int, mask: np.uint32, coefficients: Singles
) -> tuple[Places, Singles]:
    """List the features of parts, each with the coefficient of its part (see `add_scores`)."""
    features = np.empty(sides.shape[2], np.uint32)
    places = np.empty(2 * len(rows) * len(features), np.int32)
    values = np.empty(len(places), np.float32)
    end = 0
    for p in range(len(rows)):
        hash_part(sides, rows, p, head, features)
        members = family_members(rows, p, head)
        end = put_features(features, np.uint32(0), members, offset, mask, coefficients[p], places, values, end)
    return places[:end], values[:end]
