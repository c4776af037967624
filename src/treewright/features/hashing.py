"""A sentence as features see it: everything that they depend on, hashed once for each word."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.arrays import Array, Hashes, Ints, Mask
from treewright.features.arc_places import HashedArcs
from treewright.features.attributes import PAD
from treewright.features.lexicon import Lexicon
from treewright.features.settings import BETWEEN_TAGS, HIGHER, FeatureSettings
from treewright.features.sides import Sides
from treewright.features.templates import HASH, Side, hash_side_into, parse_templates

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["Hashed", "Hasher", "hash_higher"]

#: The classes of words that are counted between the ends of an arc.
COUNTED = (("VERB", "AUX"), ("PUNCT",), ("CCONJ", "SCONJ"))

#: The bits of the number of a tag, after those for the tag itself, that say which of these classes it belongs to.
KIND_BITS = BETWEEN_TAGS.bit_length() + np.arange(len(COUNTED))
CONJUNCTION_BIT = BETWEEN_TAGS.bit_length() + len(COUNTED)

#: What a tag is that words may be coordinated by.
CONJUNCTION = "CCONJ"


@dataclass(frozen=True, slots=True)
class Hashed:
    """A sentence as features see it: hashes of first-order and higher-order sides, and which words are conjunctions."""

    arcs: HashedArcs
    higher: dict[str, Hashes]
    conjunctions: Mask

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays."""
        arrays: tuple[Array, ...] = (*self.arcs, *self.higher.values(), self.conjunctions)
        return sum(array.nbytes for array in arrays)

    def chosen(self, name: str, rows: Ints) -> Ints | None:
        """Return the parts that a list of templates is about: None for all, or those whose s or m is a conjunction."""
        if name != "coordination":
            return None
        h, s, m = rows[:, 1], rows[:, 2], rows[:, 3]
        return np.flatnonzero(self.conjunctions[m] | (self.conjunctions[s] & (s != h)))  # s = h: there is no s


class Hasher:
    """Hashes sentences.

    ``higher`` and ``non_local`` hold the sides of each list of higher-order templates in use, and of each kind of
    non-local factors.
    """

    def __init__(self, settings: FeatureSettings, lexicon: Lexicon) -> None:
        self._settings, self._lexicon = settings, lexicon
        first_order = (
            (settings.arc_pair, ["arc"], 2),
            (settings.arc_alone, ["head", "modifier"], 1),
            (settings.between, ["between"], 2),
            (settings.label_pair, ["label"], 2),
            (settings.label_alone, ["label of head", "label of modifier"], 1),
        )
        self._reader = lexicon.reader(settings.attributes)
        names = self._reader.names
        first = [
            side
            for templates, salts, count in first_order
            for salt in salts
            for side in parse_templates(templates, names, salt, count)
        ]
        self.higher: dict[str, list[Side]] = {
            name: parse_templates(getattr(settings, name), names, name, kind.rank)
            for name, kind in HIGHER.items()
            if getattr(settings, name)
        }
        self.non_local = {
            kind: parse_templates(templates, names, f"all {kind}") for kind, templates in settings.non_local.items()
        }
        larger = {**self.higher, **self.non_local}
        self._names, self._first_order = list(larger), len(first)
        self._sides = Sides(first, list(larger.values()))
        self._numbers = _numbers_of_tags(settings.tags)
        self._tag_seeds = np.array([zlib.crc32(b"between %d" % i) for i in range(BETWEEN_TAGS + 1)], np.uint32)

    def hash(self, sentence: Sentence) -> Hashed:
        """Hash everything that the features of a sentence depend on."""
        sides, larger = self._sides.hash(self._reader.read(sentence))
        numbers = np.array([0, *(self._numbers.get(tag, 0) for tag in self._tags(sentence))])
        counts = ((numbers[:, None] >> KIND_BITS) & 1).cumsum(axis=0, dtype=np.int32)
        tags = (numbers & BETWEEN_TAGS).astype(np.uint8)
        hashed = HashedArcs._make((*sides, tags, self._tag_seeds, counts))
        conjunctions = numbers >> CONJUNCTION_BIT > 0
        return Hashed(hashed, dict(zip(self._names, larger, strict=True)), conjunctions)

    def _tags(self, sentence: Sentence) -> Sequence[str]:
        """Return the tags that count between the ends of an arc: coarse ones, prefixes of clusters, or none."""
        clusters = self._lexicon.clusters
        if not self._settings.bits_as_tags or clusters is None:
            return sentence.upos if self._settings.tags else [""] * len(sentence)
        return [clusters[form][:4] for form in sentence.forms]


def _numbers_of_tags(tags: Sequence[str]) -> dict[str, int]:
    """Describe tags by numbers: the index, from 1, then bits for what a tag counts as, and for being a conjunction."""
    numbers = {tag: index + 1 for index, tag in enumerate(tags)}
    for kind, counted in zip(KIND_BITS.tolist(), COUNTED, strict=True):
        for tag in counted:
            numbers[tag] = numbers.get(tag, 0) | 1 << kind
    numbers[CONJUNCTION] |= 1 << CONJUNCTION_BIT
    return numbers


def hash_higher(hashes: Hashes, sides: Sequence[Side]) -> Hashes:
    """Hash all sides of templates at the root, at every word, and at "none", which comes last."""
    hashed = np.empty((len(sides), hashes.shape[0] - 2 * PAD + 1, len(sides[0].seeds)), np.uint32)
    for k, side in enumerate(sides):
        hash_side_into(hashes, side, hashed[k])
        hashed[k, -1] = ~side.seeds & HASH
    return hashed
