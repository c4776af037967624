"""Scores of labelled parts, and their gradient: the compiled part.

As in `treewright.features.higher`, the feature of a template is the exclusive or of its sides.  Mixing in a *seed* of
the label turns a feature of the words into one of the words and the label; several seeds, such as those of the whole
label and of a piece of it, turn it into several.  All labels of the same words are scored together, because hashing the
words is half of the work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.arrays import Hashes, Ints, Places, Real, Singles
from treewright.features.higher import family_members, hash_part, put_features
from treewright.features.templates import exists
from treewright.features.weights import Table, decode
from treewright.kernels import kernel, prefetch

__all__ = ["LabelledRows", "TableOfLabels", "add_labelled_scores", "list_labelled_features"]


class TableOfLabels(NamedTuple):
    """The table of weights, where these features begin in it, the mask that turns hashes into places, and the scale."""

    weights: Table
    offset: int
    mask: np.uint32
    scale: float


class LabelledRows(NamedTuple):
    """Parts: rows of words, each with a range of labels, and where their scores are stored."""

    rows: Ints  # (rows, words)
    head: int  # which of the words is the head
    # The range of labels of each row.
    first: Ints
    last: Ints
    seeds: Hashes  # (labels, seeds)
    # The score of a row with a label is at the base of the label plus the slot of the row.
    base: Ints
    slots: Ints


@kernel
def sum_of_row(features: Hashes, seed: np.uint32, placed: np.uint32, distant: np.uint32, table: TableOfLabels) -> float:
    """Sum the weights of the features of some words with one seed, without the scale."""
    total = np.float64(0.0)
    for t in range(len(features)):
        if exists(features[t]):
            place = (features[t] ^ seed) & table.mask
            total += decode(table.weights[np.uintp(table.offset + (place ^ placed))])
            total += decode(table.weights[np.uintp(table.offset + (place ^ distant))])
    return total


@kernel
def add_labelled_scores(sides: Hashes, parts: LabelledRows, bare: bool, table: TableOfLabels, scores: Real) -> None:
    """Add to the scores of parts the weights of their features; ``bare``, also those of the words without a label.

    For ``sides``, see `treewright.features.higher.add_scores`.
    """
    weights, offset, mask = table.weights, table.offset, table.mask
    templates, views = sides.shape[2], parts.seeds.shape[1]
    most = 0
    for row in range(len(parts.rows)):
        most = max(most, parts.last[row] - parts.first[row])
    features = np.empty(templates, np.uint32)
    same = np.empty((most, views), np.int64)
    sums = np.empty((most, views), scores.dtype)
    for row in range(len(parts.rows)):
        hash_part(sides, parts.rows, row, parts.head, features)
        placed, distant = family_members(parts.rows, row, parts.head)
        first, labels = parts.first[row], parts.last[row] - parts.first[row]
        for v in range(views):
            for k in range(labels):  # pieces of labels are often the same, and are looked up once
                same[k, v] = 0
                while parts.seeds[first + same[k, v], v] != parts.seeds[first + k, v]:
                    same[k, v] += 1
                if same[k, v] == k:
                    for t in range(templates):
                        prefetch(weights, np.uintp(offset + ((features[t] ^ parts.seeds[first + k, v]) & mask)))
        shared = sum_of_row(features, np.uint32(0), placed, distant, table) if bare else 0.0
        for k in range(labels):
            total = shared
            for v in range(views):
                if same[k, v] == k:
                    sums[k, v] = sum_of_row(features, parts.seeds[first + k, v], placed, distant, table)
                total += sums[same[k, v], v]
            scores[parts.base[first + k] + parts.slots[row]] += total * table.scale


@kernel
def list_labelled_features(
    sides: Hashes, rows: Ints, head: int, seeds: Hashes, bare: bool, offset: int, mask: np.uint32, coefficients: Singles
) -> tuple[Places, Singles]:
    """List the features of parts, one label each, with the coefficient of the part; ``seeds`` has a row for each."""
    features = np.empty(sides.shape[2], np.uint32)
    views = seeds.shape[1] + (1 if bare else 0)
    places = np.empty(2 * len(rows) * len(features) * views, np.int32)
    values = np.empty(len(places), np.float32)
    end = 0
    for p in range(len(rows)):
        hash_part(sides, rows, p, head, features)
        members = family_members(rows, p, head)
        for v in range(views):
            seed = seeds[p, v] if v < seeds.shape[1] else np.uint32(0)
            end = put_features(features, seed, members, offset, mask, coefficients[p], places, values, end)
    return places[:end], values[:end]
