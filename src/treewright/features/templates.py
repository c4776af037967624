"""Feature templates: written as text, hashed once for each token.

A template names attributes of tokens near a position: ``"upos-1 upos word+1"`` is the tag before it, the tag at it, and
the word after it.  A template over several tokens has one *side* for each, ``"word | upos upos+1"``.  Every side is
hashed once for each token of a sentence; the feature of a part is the exclusive or of the sides of its tokens, so that
scoring an arc computes no hashes (compare McDonald et al. 2005, where a feature is a string).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.arrays import Hashes
from treewright.features.attributes import ABSENT, PAD
from treewright.kernels import kernel

__all__ = [
    "HASH",
    "Side",
    "attributes_of",
    "exists",
    "hash_side",
    "hash_side_into",
    "parse_templates",
    "read_templates",
    "usable_templates",
    "with_copies",
]

#: The most attributes that one side of a template may name.
WIDTH = 4

#: The bits of a 32-bit number that are the hash of a side.  Those above mark a side that looks at an absent value: one
#: bit for each side of a template, so that no exclusive or of sides can hide it.
HASH = 0x0FFFFFFF

_FIELD = re.compile(r"([a-z]+\d*)([+-]\d)?")


class Side(NamedTuple):
    """One side of some templates: attributes at offsets, a seed for each, and the bit that marks an absent value."""

    offsets: npt.NDArray[np.int8]
    attributes: npt.NDArray[np.int8]
    seeds: Hashes
    absent: np.uint32


def read_templates(*texts: str, bigram: str = "") -> list[str]:
    """Read templates, separated by commas or line ends; ``bigram`` is how two sides become three.

    Examples
    --------
    >>> read_templates("word | upos, upos | word", "upos | upos | upos", bigram="{} | | {}")
    ['word | | upos', 'upos | | word', 'upos | upos | upos']
    """
    templates = [" ".join(field.split()) for text in texts for field in re.split("[,\n]", text) if field.strip()]
    if not bigram:
        return templates
    return [bigram.format(*template.split(" | ")) if template.count("|") == 1 else template for template in templates]


def with_copies(templates: Sequence[str], name: str, attributes: Sequence[str]) -> list[str]:
    """Copy the templates that mention ``name`` for each of the attributes that it stands for.

    Examples
    --------
    >>> with_copies(["pos | word", "word | word"], "pos", ("xpos", "upos"))
    ['xpos | word', 'word | word', 'upos | word']
    """
    first, *others = ([template.replace(name, attribute) for template in templates] for attribute in attributes)
    return [*first, *(copy for copies in others for copy, old in zip(copies, templates, strict=True) if name in old)]


def _fields(side: str) -> list[tuple[str, int]]:
    fields = []
    for text in side.split():
        match = _FIELD.fullmatch(text)
        if match is None:
            raise ValueError(f"template field {text!r} is not an attribute with an offset such as upos-1")
        fields.append((match[1], int(match[2] or 0)))
    return fields


def attributes_of(templates: Iterable[str]) -> set[str]:
    """Return the attributes that templates mention."""
    return {name for template in templates for side in template.split("|") for name, _ in _fields(side)}


def usable_templates(
    templates: Iterable[str], available: Iterable[str], instead: Iterable[tuple[str, str]] = ()
) -> list[str]:
    """Keep the templates whose attributes are available, after replacing missing ones: (missing, other) in ``instead``.

    Examples
    --------
    >>> usable_templates(["xpos | xpos", "upos | upos", "feats"], ["upos"], [("xpos", "upos")])
    ['upos | upos']
    """
    available = set(available)
    kept: dict[str, None] = {}
    for template in templates:
        for missing, other in instead:
            if missing not in available:
                template = re.sub(rf"\b{missing}(?![a-z0-9])", other, template)
        if attributes_of([template]) <= available:
            kept[template] = None
    return list(kept)


def parse_templates(templates: Sequence[str], attributes: Sequence[str], salt: str, count: int = 0) -> list[Side]:
    """Compile templates with the same number of sides: the first sides of all, then the second sides, and so on.

    ``attributes`` are the columns of the attribute array, in order; ``salt`` keeps apart the features of lists that
    share a weight table; ``count`` is the number of sides, by default that of the first template.
    """
    split = [template.split("|") for template in templates]
    count = count or (len(split[0]) if split else 0)
    for text, template in zip(templates, split, strict=True):
        if len(template) != count:
            raise ValueError(f"template {text!r} has {len(template)} sides instead of {count}")
    sides = []
    for which in range(count):
        offsets = np.zeros((len(templates), WIDTH), np.int8)
        names = np.full((len(templates), WIDTH), -1, np.int8)
        seeds = np.empty(len(templates), np.uint32)
        for row, template in enumerate(split):
            seeds[row] = zlib.crc32(f"{salt} {which} {'|'.join(template)}".encode())
            for column, (name, offset) in enumerate(_fields(template[which])):
                if abs(offset) > PAD or column >= WIDTH:
                    raise ValueError(f"template {templates[row]!r} looks too far or names too many attributes")
                offsets[row, column] = offset
                names[row, column] = attributes.index(name)
        sides.append(Side(offsets, names, seeds, np.uint32((HASH + 1) << which)))
    return sides


@kernel
def mix(state: np.uint32, value: np.uint32) -> np.uint32:
    """Mix one more value into a 32-bit hash (the finalizer of MurmurHash3)."""
    state = np.uint32((state ^ value) * np.uint32(0x85EBCA6B))
    state = np.uint32((state ^ (state >> np.uint32(15))) * np.uint32(0xC2B2AE35))
    return np.uint32(state ^ (state >> np.uint32(13)))


@kernel
def hash_side(hashes: Hashes, side: Side) -> Hashes:
    """Hash one side of every template at the root and at every word: shape (n + 1, number of templates)."""
    hashed = np.empty((hashes.shape[0] - 2 * PAD, len(side.seeds)), np.uint32)
    hash_side_into(hashes, side, hashed)
    return hashed


@kernel
def hash_side_into(hashes: Hashes, side: Side, hashed: Hashes) -> None:
    """Hash one side of every template at every position, into the first rows of an array."""
    templates, width = side.offsets.shape
    for position in range(hashes.shape[0] - 2 * PAD):
        for template in range(templates):
            state, absent = side.seeds[template], np.uint32(0)
            for field in range(width):
                attribute = side.attributes[template, field]
                if attribute < 0:
                    break
                value = hashes[position + PAD + side.offsets[template, field], attribute]
                if value == ABSENT:
                    absent = side.absent
                state = mix(state, value)
            hashed[position, template] = np.uint32(state & np.uint32(HASH)) | absent


@kernel
def exists(feature: np.uint32) -> bool:
    """Return whether a feature, the exclusive or of sides, exists: whether nothing that it looks at is absent."""
    return bool(feature <= HASH)
