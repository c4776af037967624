"""Scores of parts that carry a label, and their gradient: the compiled part.

Like those of `treewright.features.higher`, but for what a label adds.  A feature of the words of a part, the exclusive
or of the sides of a template, becomes one of the words and the label when a *seed* of the label is stirred in; with
several seeds, such as those of the whole label and of a piece of it, it becomes several.  All labels of the same words
are scored together, because hashing the words is half of the work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints, Real
from treewright.features.arc_places import Hashes
from treewright.features.higher import family_members, hash_part
from treewright.features.templates import exists
from treewright.features.weights import Table, decode
from treewright.kernels import kernel, prefetch

__all__ = ["LabelledRows", "TableOfLabels", "add_labelled_scores", "list_labelled_features"]


class TableOfLabels(NamedTuple):
    """Where weights are: the table, where in it these features begin, what of a hash is a place, and their scale."""

    weights: Table
    offset: int
    mask: np.uint32
    scale: float


class LabelledRows(NamedTuple):
    """Parts: rows of words, each with a range of labels, and where the scores of these stand.

    Attributes
    ----------
    rows : int64 array, shape (rows, words)
    head : int
        Which of the words is the head.
    first, last : int64 arrays
        The labels of each row.
    seeds : uint32 array, shape (labels, seeds)
    base, slots : int64 arrays
        The score of a row with a label is at the base of the label plus the slot of the row.
    """

    rows: Ints
    head: int
    first: Ints
    last: Ints
    seeds: Hashes
    base: Ints
    slots: Ints


@kernel
def sum_of_row(features: Hashes, seed: np.uint32, placed: np.uint32, distant: np.uint32, table: TableOfLabels) -> float:
    """Add up the weights of the features of some words with one seed, up to the scale."""
    total = np.float64(0.0)
    for t in range(len(features)):
        if exists(features[t]):
            place = (features[t] ^ seed) & table.mask
            total += decode(table.weights[np.uintp(table.offset + (place ^ placed))])
            total += decode(table.weights[np.uintp(table.offset + (place ^ distant))])
    return total


@kernel
def add_labelled_scores(sides: Hashes, parts: LabelledRows, bare: bool, table: TableOfLabels, scores: Real) -> None:
    """Add to the scores of parts what their features weigh.

    Parameters
    ----------
    sides : uint32 array, shape (words, n + 2, templates)
        See `treewright.features.higher.add_scores`.
    parts : LabelledRows
    bare : bool
        Whether there are features of the words without a label, too.
    table : TableOfLabels
    scores : float array
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
    sides: Hashes,
    rows: Ints,
    head: int,
    seeds: Hashes,
    bare: bool,
    offset: int,
    mask: np.uint32,
    coefficients: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """List the features of parts, one label each, with the coefficient of the part; ``seeds`` has a row for each."""
    features = np.empty(sides.shape[2], np.uint32)
    views = seeds.shape[1] + (1 if bare else 0)
    places = np.empty(2 * len(rows) * len(features) * views, np.int32)
    values = np.empty(len(places), np.float32)
    end = 0
    for p in range(len(rows)):
        hash_part(sides, rows, p, head, features)
        placed, distant = family_members(rows, p, head)
        for v in range(views):
            seed = seeds[p, v] if v < seeds.shape[1] else np.uint32(0)
            for t in range(len(features)):
                if exists(features[t]):
                    place = (features[t] ^ seed) & mask
                    places[end] = offset + (place ^ placed)
                    places[end + 1] = offset + (place ^ distant)
                    values[end] = coefficients[p]
                    values[end + 1] = coefficients[p]
                    end += 2
    return places[:end], values[:end]
