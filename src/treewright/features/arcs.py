"""Arc and label scores of a sentence, and their gradient: the compiled part.

The features of an arc are those of `treewright.features.arc_places`.

A labelled arc also has one feature for each label template and label.  The weights of all labels of a template are
adjacent and added as vectors; direction is part of the hash.

`score` and the lists visit the same features: a test checks that the score of a tree is the product of its gradient and
the weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Ints, Mask, Places, Real, Singles
from treewright.features.arc_places import (
    FAMILY,
    HashedArcs,
    Hashes,
    arc_places,
    count_families,
    family_members,
    hash_counts,
)
from treewright.features.templates import exists
from treewright.features.weights import Table, decode
from treewright.kernels import inner_kernel, kernel, prefetch

__all__ = ["Arcs", "Regions", "list_arc_features", "list_label_features", "score"]


#: Label rows start at multiples of this many weights.
ALIGNMENT = 8

#: Of so many arcs, the weights are asked for before those of the first are summed (see `treewright.features.higher`).
AHEAD = 4

#: Distinguish left arcs from right arcs in the hash of a label feature.
LEFT_SEED, RIGHT_SEED = 0x3C6EF372, 0x9E3779B9


class Regions(NamedTuple):
    """The regions of the weight table, one for each kind of feature: where each begins, and the mask of hashes."""

    arc_mask: np.uint32
    label_mask: np.uint32
    label_offset: int
    higher_mask: np.uint32
    higher_offset: int


class Arcs(NamedTuple):
    """A list of arcs, and the row of each in the arrays of scores."""

    heads: Ints
    modifiers: Ints
    rows: Ints


@inner_kernel
def add_label_rows(hashes: Hashes, wanted: Mask, weights: Table, regions: Regions, rows: Real) -> None:
    """Sum, for each word and direction that is wanted, the label weights of templates that see only that word.

    The weights of one word and direction are on their way while those of the one before are summed.
    """
    positions, templates = hashes.shape
    labels, offset, mask = rows.shape[2], regions.label_offset, regions.label_mask
    starts, before = np.empty((2, templates), np.int64), -1
    turn = 0
    for unit in range(2 * positions + 1):
        position, right = unit // 2, unit % 2
        is_last = position == positions
        if not is_last and not wanted[position, right]:
            continue
        if not is_last:
            seed = np.uint32(RIGHT_SEED if right else LEFT_SEED)
            for t in range(templates):
                start = offset + ((hashes[position, t] ^ seed) & mask)
                starts[turn, t] = start if exists(hashes[position, t]) else -1
                if starts[turn, t] >= 0:
                    prefetch(weights, np.uintp(start))
                    prefetch(weights, np.uintp(start + labels - 1))
        if before >= 0:
            row = rows[before // 2, before % 2]
            for t in range(templates):
                if starts[1 - turn, t] >= 0:
                    add_row(weights, starts[1 - turn, t], row)
        turn, before = 1 - turn, unit


@inner_kernel
def add_row(weights: Table, start: int, row: Real) -> None:
    """Add the weights from a place on to a row."""
    for k in range(len(row)):
        row[k] += decode(weights[np.uintp(start) + np.uintp(k)])


@inner_kernel
def add_family_rows(hashes: Hashes, weights: Table, mask: np.uint32, rows: Real) -> None:
    """Sum, for each word and member of the family, the weights of templates that see only that word."""
    positions, templates = hashes.shape
    for position in range(positions):
        for template in range(templates):
            prefetch(weights, np.uintp(hashes[position, template] & mask))
        for template in range(templates):
            if exists(hashes[position, template]):
                place = hashes[position, template] & mask
                for member in range(FAMILY):
                    rows[position, member] += decode(weights[place ^ np.uint32(member)])


@inner_kernel
def wanted_directions(words: Ints, arcs: Arcs, size: int) -> Mask:
    """Return, for each word, whether any arc to the left and any to the right has it as its head, or its modifier."""
    wanted = np.zeros((size, 2), np.bool_)
    for a in range(len(words)):
        wanted[words[a], 1 if arcs.modifiers[a] > arcs.heads[a] else 0] = True
    return wanted


@inner_kernel
def put_pairs(
    heads: Hashes, modifiers: Hashes, h: int, m: int, first: int, salt: np.uint32, found: Hashes, end: int
) -> int:
    """Write the features of two words that exist, from a template on, to a list from ``end`` on; return its new end."""
    for t in range(first, heads.shape[1]):
        feature = heads[h, t] ^ modifiers[m, t]
        if exists(feature):
            found[end] = feature ^ salt
            end += 1
    return end


@inner_kernel
def label_features(x: HashedArcs, h: int, m: int, start: int, label_mask: np.uint32, places: Places, end: int) -> int:
    """List the places of the features of the label of one arc from ``places[end]`` on; return the new end.

    ``start`` is where the weights of this label begin.
    """
    seed = np.uint32(RIGHT_SEED if m > h else LEFT_SEED)
    for t in range(x.label_head.shape[1]):
        places[end] = start + ((x.label_head[h, t] ^ x.label_modifier[m, t] ^ seed) & label_mask)
        end += exists(x.label_head[h, t] ^ x.label_modifier[m, t])
    for t in range(x.label_head_alone.shape[1]):
        places[end] = start + ((x.label_head_alone[h, t] ^ seed) & label_mask)
        end += exists(x.label_head_alone[h, t])
    for t in range(x.label_modifier_alone.shape[1]):
        places[end] = start + ((x.label_modifier_alone[m, t] ^ seed) & label_mask)
        end += exists(x.label_modifier_alone[m, t])
    return end


@kernel
def score(x: HashedArcs, weights: Table, regions: Regions, scale: float, arcs: Arcs, arc: Real, label: Real) -> None:
    """Score a list of arcs, and every label of each; sums of decoded weights are multiplied by ``scale``.

    Arcs of one head on one side are together, the nearest first, so that the tags in between are gathered on the way.
    ``arc[arcs.rows[a]]`` is set to the score of arc a, and ``label[arcs.rows[a]]`` to those of its labels.
    """
    score_arcs(x, weights, regions.arc_mask, scale, arcs, arc)
    if label.shape[1] > 0:
        score_labels(x, weights, regions, scale, arcs, label)


@inner_kernel
def score_arcs(x: HashedArcs, weights: Table, mask: np.uint32, scale: float, arcs: Arcs, arc: Real) -> None:
    """Score arcs: of some at a time, the weights are asked for before those of the first are summed."""
    head_alone = np.zeros((len(x.tags), FAMILY), arc.dtype)
    modifier_alone = np.zeros((len(x.tags), FAMILY), arc.dtype)
    add_family_rows(x.head_alone, weights, mask, head_alone)
    add_family_rows(x.modifier_alone, weights, mask, modifier_alone)
    # Families, of which two members are summed; and after them single features, of the tags in between.
    most = x.head.shape[1] + x.between_head.shape[1] + len(x.tag_seeds)
    found, families, ends = np.empty((AHEAD, most), np.uint32), np.empty(AHEAD, np.int64), np.empty(AHEAD, np.int64)
    nothing = np.uint32(0)
    seen, is_seen, count = np.empty(len(x.tag_seeds), np.int64), np.zeros(len(x.tag_seeds), np.bool_), 0
    last_head, last = -1, 0
    for first in range(0, len(arcs.heads), AHEAD):
        some = min(AHEAD, len(arcs.heads) - first)
        for k in range(some):
            h, m = arcs.heads[first + k], arcs.modifiers[first + k]
            step = 1 if m > h else -1
            if h != last_head or (last > h) != (m > h):
                last_head, last, count = h, h, 0
                is_seen[:] = False
            for position in range(last, m, step):
                tag = x.tags[position]
                if position != h and not is_seen[tag]:
                    is_seen[tag] = True
                    seen[count] = tag
                    count += 1
            last = m
            end = put_pairs(x.head, x.modifier, h, m, 0, nothing, found[k], 0)
            salt = hash_counts(x.counts, h, m)
            families[k] = put_pairs(x.between_head, x.between_modifier, h, m, 1, salt, found[k], end)
            ends[k] = families[k]
            feature = x.between_head[h, 0] ^ x.between_modifier[m, 0]
            if exists(feature):
                for tag in range(count):
                    found[k, ends[k]] = feature ^ x.tag_seeds[seen[tag]]
                    ends[k] += 1
            for f in range(ends[k]):
                found[k, f] &= mask
                prefetch(weights, np.uintp(found[k, f]))
        for k in range(some):
            h, m = arcs.heads[first + k], arcs.modifiers[first + k]
            directed, distant = family_members(h, m)
            total = head_alone[h, directed] + head_alone[h, distant]
            total += modifier_alone[m, directed] + modifier_alone[m, distant]
            for f in range(families[k]):
                total += decode(weights[found[k, f] ^ directed]) + decode(weights[found[k, f] ^ distant])
            for f in range(families[k], ends[k]):
                total += decode(weights[found[k, f] ^ directed])
            arc[arcs.rows[first + k]] = total * scale


@inner_kernel
def score_labels(x: HashedArcs, weights: Table, regions: Regions, scale: float, arcs: Arcs, label: Real) -> None:
    """Score every label of arcs; the weights of the next arc are on their way while those of one are summed."""
    labels, templates = label.shape[1], x.label_head.shape[1]
    padded = (labels + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    mask, offset = regions.label_mask, regions.label_offset
    head_alone = np.zeros((len(x.tags), 2, padded), label.dtype)
    modifier_alone = np.zeros((len(x.tags), 2, padded), label.dtype)
    of_heads = wanted_directions(arcs.heads, arcs, len(x.tags))
    of_modifiers = wanted_directions(arcs.modifiers, arcs, len(x.tags))
    add_label_rows(x.label_head_alone, of_heads, weights, regions, head_alone)
    add_label_rows(x.label_modifier_alone, of_modifiers, weights, regions, modifier_alone)
    found, ends = np.empty((2, templates), np.uint32), np.zeros(2, np.int64)
    row = np.empty(padded, label.dtype)
    for a in range(len(arcs.heads) + 1):
        if a < len(arcs.heads):
            h, m = arcs.heads[a], arcs.modifiers[a]
            seed = np.uint32(RIGHT_SEED if m > h else LEFT_SEED)
            own = found[a % 2]
            ends[a % 2] = put_pairs(x.label_head, x.label_modifier, h, m, 0, seed, own, 0)
            for f in range(ends[a % 2]):
                own[f] &= mask
                prefetch(weights, np.uintp(offset + own[f]))
                prefetch(weights, np.uintp(offset + own[f] + padded - 1))
        if a > 0:
            h, m = arcs.heads[a - 1], arcs.modifiers[a - 1]
            right = 1 if m > h else 0
            for k in range(padded):
                row[k] = head_alone[h, right, k] + modifier_alone[m, right, k]
            for f in range(ends[(a - 1) % 2]):
                add_row(weights, offset + found[(a - 1) % 2, f], row)
            for k in range(labels):
                label[arcs.rows[a - 1], k] = row[k] * scale


@kernel
def list_arc_features(x: HashedArcs, regions: Regions, rows: Ints, coefficients: Singles) -> tuple[Places, Singles]:
    """List the features of arcs, rows (h, m), each with the coefficient of its arc."""
    one = np.empty(2 * count_families(x) + 64, np.int32)
    places = np.empty(len(rows) * len(one), np.int32)
    values = np.empty(len(places), np.float32)
    end = 0
    for a in range(len(rows)):
        for i in range(arc_places(x, rows[a, 0], rows[a, 1], regions.arc_mask, one)):
            if one[i] >= 0:
                places[end] = one[i]
                values[end] = coefficients[a]
                end += 1
    return places[:end], values[:end]


@kernel
def list_label_features(x: HashedArcs, regions: Regions, rows: Ints, coefficients: Singles) -> tuple[Places, Singles]:
    """List the features of the labels of arcs, rows (h, m, label), each with its coefficient."""
    count = x.label_head.shape[1] + x.label_head_alone.shape[1] + x.label_modifier_alone.shape[1]
    places = np.empty(len(rows) * count, np.int32)
    values = np.empty(len(places), np.float32)
    end = 0
    for a in range(len(rows)):
        h, m, label = rows[a, 0], rows[a, 1], rows[a, 2]
        first = end
        end = label_features(x, h, m, regions.label_offset + label, regions.label_mask, places, end)
        values[first:end] = coefficients[a]
    return places[:end], values[:end]
