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

from treewright.arrays import Ints, Places, Real, Singles
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
from treewright.kernels import inner_kernel, kernel

__all__ = ["Arcs", "Regions", "list_arc_features", "list_label_features", "score"]


#: Label rows start at multiples of this many weights.
ALIGNMENT = 8

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
def add_label_rows(hashes: Hashes, weights: Table, regions: Regions, rows: Real) -> None:
    """Sum, for each word and direction, the label weights of templates that see only that word."""
    positions, templates = hashes.shape
    labels, offset, mask = rows.shape[2], regions.label_offset, regions.label_mask
    for position in range(positions):
        for right in range(2):
            seed = np.uint32(RIGHT_SEED if right else LEFT_SEED)
            for template in range(templates):
                if exists(hashes[position, template]):
                    start = np.uintp(offset + ((hashes[position, template] ^ seed) & mask))
                    for label in range(labels):
                        rows[position, right, label] += decode(weights[start + np.uintp(label)])


@inner_kernel
def add_family_rows(hashes: Hashes, weights: Table, mask: np.uint32, rows: Real) -> None:
    """Sum, for each word and member of the family, the weights of templates that see only that word."""
    positions, templates = hashes.shape
    for position in range(positions):
        for template in range(templates):
            if exists(hashes[position, template]):
                place = hashes[position, template] & mask
                for member in range(FAMILY):
                    rows[position, member] += decode(weights[place ^ np.uint32(member)])


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
    labels = label.shape[1]
    padded = (labels + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    mask, label_mask, label_offset = regions.arc_mask, regions.label_mask, regions.label_offset
    head_alone = np.zeros((len(x.tags), FAMILY), arc.dtype)
    modifier_alone = np.zeros((len(x.tags), FAMILY), arc.dtype)
    add_family_rows(x.head_alone, weights, mask, head_alone)
    add_family_rows(x.modifier_alone, weights, mask, modifier_alone)
    label_head_alone = np.zeros((len(x.tags), 2, padded), arc.dtype)
    label_modifier_alone = np.zeros((len(x.tags), 2, padded), arc.dtype)
    add_label_rows(x.label_head_alone, weights, regions, label_head_alone)
    add_label_rows(x.label_modifier_alone, weights, regions, label_modifier_alone)
    features = np.empty(x.head.shape[1], np.uint32)
    row = np.empty(padded, arc.dtype)
    between, last_head, last = np.uint64(0), -1, 0
    for a in range(len(arcs.heads)):
        h, m = arcs.heads[a], arcs.modifiers[a]
        right = 1 if m > h else 0
        step = 2 * right - 1
        if h != last_head or (last > h) != (m > h):
            between, last_head, last = np.uint64(0), h, h
        for position in range(last, m, step):
            if position != h:
                between |= np.uint64(1) << np.uint64(x.tags[position])
        last = m
        directed, distant = family_members(h, m)
        total = head_alone[h, directed] + head_alone[h, distant]
        total += modifier_alone[m, directed] + modifier_alone[m, distant]
        for t in range(features.shape[0]):
            features[t] = x.head[h, t] ^ x.modifier[m, t]
        for t in range(features.shape[0]):
            if exists(features[t]):
                place = features[t] & mask
                total += decode(weights[place ^ directed]) + decode(weights[place ^ distant])
        tags = between if exists(x.between_head[h, 0] ^ x.between_modifier[m, 0]) else np.uint64(0)
        tag = 0
        while tags:
            if tags & np.uint64(1):
                place = (x.between_head[h, 0] ^ x.between_modifier[m, 0] ^ x.tag_seeds[tag]) & mask
                total += decode(weights[place ^ directed])
            tags >>= np.uint64(1)
            tag += 1
        counts = hash_counts(x.counts, h, m)
        for t in range(1, x.between_head.shape[1]):
            if exists(x.between_head[h, t] ^ x.between_modifier[m, t]):
                place = (x.between_head[h, t] ^ x.between_modifier[m, t] ^ counts) & mask
                total += decode(weights[place ^ directed]) + decode(weights[place ^ distant])
        arc[arcs.rows[a]] = total * scale

        seed = np.uint32(RIGHT_SEED if right else LEFT_SEED)
        for k in range(padded):
            row[k] = label_head_alone[h, right, k] + label_modifier_alone[m, right, k]
        for t in range(x.label_head.shape[1]):
            if exists(x.label_head[h, t] ^ x.label_modifier[m, t]):
                place = (x.label_head[h, t] ^ x.label_modifier[m, t] ^ seed) & label_mask
                start = np.uintp(label_offset + place)
                for k in range(padded):
                    row[k] += decode(weights[start + np.uintp(k)])
        for k in range(labels):
            label[arcs.rows[a], k] = row[k] * scale


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
