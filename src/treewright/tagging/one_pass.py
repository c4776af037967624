"""One pass over a sentence: all columns of tags, each a trip through its own weights, and words read once.

What columns see of a word is mostly the same, so it is read and hashed once for all of them.  The tags of the columns
before are numbers here, and so are the combinations of them that say which candidates a word has: no text is looked up
until all tags are found.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from treewright.arrays import Hashes, Heads
from treewright.features.attributes import PAD, AttributeReader, View, hash_attribute
from treewright.features.templates import Side, hash_side
from treewright.features.weights import Table
from treewright.kernels import kernel
from treewright.tagging.column import USUAL, ColumnFeatures
from treewright.tagging.column_tagger import MOST, ColumnTagger
from treewright.tagging.sequence import HashedWords, search
from treewright.treebank import Sentence

__all__ = ["OnePass"]


class Plan(NamedTuple):
    """What tagging a column takes, beside the hashed attributes of the words and the tags of the columns before."""

    emission: Side
    transition: Side
    tables: tuple[Hashes, Heads, Heads, Hashes]  # the last fields of hashed words, in order
    strides: Heads  # of each column before, in the number of a combination of tags; 0 where it does not matter
    sets: Heads  # of each combination of tags, the number of the set of its candidates
    set_starts: Heads
    set_tags: Heads  # of set s: set_tags[set_starts[s]:set_starts[s + 1]]
    weights: Table
    mask: np.uint32
    own: int  # where the attributes have the tag of this column, for later columns
    hashes: Hashes  # of each tag as an attribute


@kernel
def tag_column(attributes: Hashes, plan: Plan, signs: Heads, tags: Heads, order: int) -> None:
    """Find the tags of a column, a row of ``tags``, given the rows before, and add them to the attributes.

    ``signs`` are the words that have the last of the sets, whatever the tags before.
    """
    n = tags.shape[1]
    sets, starts = np.empty(n, np.int64), np.zeros(n + 1, np.int32)
    for i in range(n):
        combination = 0
        for column in range(order):
            combination += plan.strides[column] * tags[column, i]
        sets[i] = plan.sets[combination]
    for k in range(len(signs)):
        sets[signs[k]] = len(plan.set_starts) - 2
    for i in range(n):
        starts[i + 1] = starts[i] + plan.set_starts[sets[i] + 1] - plan.set_starts[sets[i]]
    candidates = np.empty(starts[n], np.int32)
    for i in range(n):
        first = plan.set_starts[sets[i]]
        for c in range(starts[i + 1] - starts[i]):
            candidates[starts[i] + c] = plan.set_tags[first + c]
    emission, transition = hash_side(attributes, plan.emission), hash_side(attributes, plan.transition)
    seeds, values, value_starts, value_seeds = plan.tables
    x = HashedWords(emission, transition, seeds, candidates, starts, values, value_starts, value_seeds)
    tags[order] = search(x, plan.weights, plan.mask, MOST, candidates[:0], 0.0)
    for i in range(n):
        attributes[PAD + 1 + i, plan.own] = plan.hashes[tags[order, i]]


class OnePass:
    """Tags sentences without given tags, as the taggers of the columns do one after the other."""

    def __init__(self, columns: Sequence[ColumnTagger]) -> None:
        self._columns = columns
        self._names = [column.name for column in columns]
        views, seen = dict[str, View](), set[str]()
        for column in columns:
            views |= {self._alias(column, name): view for name, view in column.features.views.items()}
            seen |= {self._alias(column, name) for name in column.features.attributes}
        self._reader = AttributeReader(sorted(seen - {*self._names}), views)
        self._plans = [self._plan(order, column) for order, column in enumerate(columns)]

    @staticmethod
    def _alias(column: ColumnTagger, name: str) -> str:
        """Tell the usual tags of one column from those of another."""
        return f"{USUAL}@{column.name}" if name == USUAL else name

    def tags(self, sentence: Sentence) -> dict[str, list[str]]:
        """Find the tags of each column."""
        attributes = self._reader.read(sentence, len(self._names))
        found = np.empty((len(self._names), len(sentence)), np.int32)
        for order, plan in enumerate(self._plans):
            signs = np.array(self._columns[order].features.unknown_signs(sentence), np.int32)
            tag_column(attributes, plan, signs, found, order)
        texts = (column.features.tags for column in self._columns)
        return {
            name: [tags[number] for number in row]
            for name, tags, row in zip(self._names, texts, found.tolist(), strict=True)
        }

    def _plan(self, order: int, column: ColumnTagger) -> Plan:
        features, own = column.features, self._alias(column, USUAL)
        names = [USUAL if name == own else name for name in self._reader.names] + self._names
        emission, transition = features.sides(names)
        before = {one.name: one.features for one in self._columns[:order]}
        strides, sets, lists = _candidates(features, before)
        tables = features.tables
        hashes = [hash_attribute(column.name, tag) for tag in features.tags]
        return Plan(
            emission,
            transition,
            (tables["seeds"], tables["values"], tables["value_starts"], tables["value_seeds"]),
            strides,
            sets,
            np.cumsum([0, *map(len, lists)], dtype=np.int32),
            np.concatenate(lists),
            column.weights.table,
            features.mask,
            len(self._reader.names) + order,
            np.array(hashes, np.uint32),
        )


def _candidates(features: ColumnFeatures, before: Mapping[str, ColumnFeatures]) -> tuple[Heads, Heads, list[Heads]]:
    """Find the strides of combinations of given tags, the set of candidates of each, and the sets.

    The first set has all tags, the last one those of signs.
    """
    given = list(features.settings.given)
    sizes = [len(before[name].tags) for name in given]
    strides = {name: math.prod(sizes[place + 1 :]) for place, name in enumerate(given)}
    sets = np.zeros(math.prod(sizes), np.int32)
    lists = [np.arange(len(features.tags), dtype=np.int32)]
    if len(features.settings.candidates) > 0:
        for number, tags in enumerate(itertools.product(*(before[name].tags for name in given))):
            candidates = features.settings.candidates.get(" ".join(tags))
            if candidates is not None:
                sets[number] = len(lists)
                lists.append(np.array(candidates, np.int32))
    lists.append(features.of_signs)
    return np.array([strides.get(name, 0) for name in before], np.int32), sets, lists
