"""A sentence as features see it: everything that they depend on, hashed once for each word."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.arrays import Hashes, Ints, Mask
from treewright.features.arc_places import HashedArcs
from treewright.features.attributes import PAD, AttributeReader
from treewright.features.lexicon import Lexicon
from treewright.features.settings import BETWEEN_TAGS, HIGHER, FeatureSettings
from treewright.features.templates import HASH, Side, hash_side, hash_side_into, parse_templates

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["Hashed", "Hasher", "hash_higher"]

#: The classes of words that are counted between the ends of an arc.
COUNTED = (("VERB", "AUX"), ("PUNCT",), ("CCONJ", "SCONJ"))


@dataclass(frozen=True, slots=True)
class Hashed:
    """A sentence as features see it: hashes of first-order and higher-order sides, and which words are conjunctions."""

    arcs: HashedArcs
    higher: dict[str, Hashes]
    conjunctions: Mask

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
        names = sorted(settings.attributes)
        self._reader = AttributeReader(names, lexicon.attributes)
        self._sides = [
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
        self._tag_index = {tag: index + 1 for index, tag in enumerate(settings.tags)}
        self._tag_seeds = np.array([zlib.crc32(b"between %d" % i) for i in range(BETWEEN_TAGS + 1)], np.uint32)

    def hash(self, sentence: Sentence) -> Hashed:
        """Hash everything that the features of a sentence depend on."""
        hashes = self._reader.read(sentence)
        sides = (hash_side(hashes, side) for side in self._sides)
        upos = self._tags(sentence)
        tags = np.zeros(len(sentence) + 1, np.uint8)
        tags[1:] = [self._tag_index.get(tag, 0) for tag in upos]
        counts = np.zeros((len(sentence) + 1, len(COUNTED)), np.int32)
        for kind, counted in enumerate(COUNTED):
            counts[1:, kind] = np.cumsum([tag in counted for tag in upos])
        hashed = HashedArcs._make((*sides, tags, self._tag_seeds, counts))
        conjunctions = np.array([False, *(tag == "CCONJ" for tag in upos)])
        larger = {
            name: hash_higher(hashes, sides)
            for name, sides in itertools.chain(self.higher.items(), self.non_local.items())
        }
        return Hashed(hashed, larger, conjunctions)

    def _tags(self, sentence: Sentence) -> Sequence[str]:
        """Return the tags that count between the ends of an arc: coarse ones, prefixes of clusters, or none."""
        clusters = self._lexicon.clusters
        if not self._settings.bits_as_tags or clusters is None:
            return sentence.upos if self._settings.tags else [""] * len(sentence)
        return [clusters[form][:4] for form in sentence.forms]


def hash_higher(hashes: Hashes, sides: Sequence[Side]) -> Hashes:
    """Hash all sides of templates at the root, at every word, and at "none", which comes last."""
    hashed = np.empty((len(sides), hashes.shape[0] - 2 * PAD + 1, len(sides[0].seeds)), np.uint32)
    for k, side in enumerate(sides):
        hash_side_into(hashes, side, hashed[k])
        hashed[k, -1] = ~side.seeds & HASH
    return hashed
