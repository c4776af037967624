"""The attributes of words that models see: hashed, and computed once for each token.

An attribute is a view of one column of a sentence: the form itself, its last three letters, the fine tag.  Its
value is hashed to 32 bits as soon as it is read: no dictionary of strings is kept or stored in the model, and
everything after this point is integer arithmetic on arrays.  The hash is CRC-32, which is the same on every machine;
the templates mix it further.
"""

from __future__ import annotations

import re
import threading
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treewright.arrays import Hashes

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["ABSENT", "ATTRIBUTES", "PAD", "AttributeReader", "View", "hash_attribute", "informative_attributes"]

#: Positions before the root and after the last word that templates may look at.
PAD = 2

#: The most distinct values of a column that are cached; beyond this the cache is emptied.
CACHE_LIMIT = 500_000

#: The hash of a value that is None: features that look at it do not exist.
ABSENT = 0


#: An attribute: the column it views, and how.
View = tuple[str, Callable[[str], str | None]]


_DIGIT = re.compile(r"\d")


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def hash_attribute(name: str, value: str | None) -> int:
    """Hash a value of an attribute."""
    return ABSENT if value is None else _hash(f"{name}={value}") or 1


def _lower(form: str) -> str:
    """Fold case, and replace every digit by 0."""
    return _DIGIT.sub("0", form.lower())


def _shape(form: str) -> str:
    """Return the kinds of characters in a word, each run once: ``McDonald's`` becomes ``AaAa'a``."""
    shape = ""
    for character in form[:40]:
        if character.isupper():
            kind = "A"
        elif character.isalpha():
            kind = "a"
        else:
            kind = "0" if character.isdigit() else character
        if not shape.endswith(kind):
            shape += kind
    return shape


def _only(*names: str) -> Callable[[str], str]:
    """Return a view of FEATS that keeps some features: those that agree, or those that mark a function."""

    def view(feats: str) -> str:
        return "|".join(pair for pair in feats.split("|") if pair.partition("=")[0] in names)

    return view


def _prefix(size: int) -> Callable[[str], str]:
    return lambda form: form[:size].lower()


def _suffix(size: int) -> Callable[[str], str]:
    return lambda form: form[-size:].lower()


#: Attribute name → the column it views, and how.
ATTRIBUTES: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "word": ("forms", str),
    "lower": ("forms", _lower),
    **{f"prefix{size}": ("forms", _prefix(size)) for size in range(1, 6)},
    **{f"suffix{size}": ("forms", _suffix(size)) for size in range(1, 6)},
    "shape": ("forms", _shape),
    "lemma": ("lemmas", str),
    "upos": ("upos", str),
    "xpos": ("xpos", str),
    "feats": ("feats", str),
    "case": ("feats", _only("Case", "VerbForm", "Mood")),
    "agreement": ("feats", _only("Case", "Gender", "Number", "Person")),
}


class _Rows(dict[str, bytes]):
    """Values of one column → the hashes of their attributes, computed when first asked for, as the bytes of a row."""

    def __init__(self, views: Sequence[tuple[str, Callable[[str], str | None]]]) -> None:
        super().__init__()
        self.views = views

    def __missing__(self, value: str) -> bytes:
        if len(self) > CACHE_LIMIT:
            self.clear()
        row = np.array([hash_attribute(name, view(value)) for name, view in self.views], np.uint32).tobytes()
        self[value] = row
        return row


class AttributeReader:
    """Reads the chosen attributes of sentences: those of `ATTRIBUTES`, and ``extra`` ones in the same form.

    The name of an extra one may say for whom it is, ``usual@xpos``; it is hashed as ``usual``.

    Examples
    --------
    >>> from treewright.treebank import Sentence
    >>> reader = AttributeReader(["word", "suffix2"])
    >>> hashes = reader.read(Sentence.from_forms(["parsing", "singing"]))
    >>> hashes.shape      # two words, the root, and two positions beyond each end
    (7, 2)
    >>> first, second = hashes[3], hashes[4]
    >>> bool(first[0] == second[0]), bool(first[1] == second[1])
    (False, True)
    """

    def __init__(self, names: Sequence[str], extra: Mapping[str, View] | None = None) -> None:
        self.names: list[str] = []
        self._available: dict[str, View] = {**ATTRIBUTES, **(extra or {})}
        self._kept, self._extending = threading.local(), threading.Lock()
        self.extend(names)

    def extend(self, names: Iterable[str]) -> None:
        """Read some more attributes, which come after those that are read already."""
        with self._extending:
            more = [name for name in names if name not in self.names]
            known, by_column = [*self.names, *more], dict[str, list[int]]()
            for index, name in enumerate(known):
                by_column.setdefault(self._available[name][0], []).append(index)
            self._columns = [
                (column, indices, _Rows([(known[i].partition("@")[0], self._available[known[i]][1]) for i in indices]))
                for column, indices in by_column.items()
            ]
            self.names = known

    def read(self, sentence: Sentence, more: int = 0) -> Hashes:
        """Hash the attributes of a sentence: row ``PAD`` is the root, row ``PAD + i`` is word *i*.

        The answer is not to be written to: the stages of a cascade, which ask about the same sentence one after the
        other, get the same one.  Unless there are so many ``more`` columns, for attributes whose values at the words
        are found later.
        """
        columns = self._columns
        if more:
            return self._read(sentence, columns, more)
        seen = columns, [tuple(getattr(sentence, column)) for column, _, _ in columns], len(sentence)
        if getattr(self._kept, "seen", None) != seen:
            self._kept.hashes = self._read(sentence, columns)
            self._kept.seen = seen
        hashes: Hashes = self._kept.hashes
        return hashes

    def _read(self, sentence: Sentence, columns: list[tuple[str, list[int], _Rows]], more: int = 0) -> Hashes:
        size = len(sentence)
        width = more + sum(len(indices) for _, indices, _ in columns)
        hashes = np.empty((size + 1 + 2 * PAD, width), np.uint32)
        hashes[:PAD] = _hash("<before>")
        hashes[PAD] = _hash("<root>")
        hashes[PAD + 1 + size :] = _hash("<after>")
        words = hashes[PAD + 1 : PAD + 1 + size]
        for column, indices, rows in columns:
            values: Iterable[str] = getattr(sentence, column)
            joined = b"".join([rows[value] for value in values])
            words[:, indices] = np.frombuffer(joined, np.uint32).reshape(size, len(indices))
        return hashes


def informative_attributes(sentences: Iterable[Sentence]) -> set[str]:
    """Return the attributes that have more than one value in these sentences.

    A treebank without lemmas or morphology has ``_`` in that column throughout.
    """
    columns = {column for column, _ in ATTRIBUTES.values()}
    values: dict[str, set[str]] = {column: set() for column in columns}
    for sentence in sentences:
        for column in columns:
            values[column].update(getattr(sentence, column))
    return {name for name, (column, view) in ATTRIBUTES.items() if _distinguishes(values[column], view)}


def _distinguishes(values: Collection[str], view: Callable[[str], str]) -> bool:
    seen: set[str] = set()
    for value in values:
        seen.add(view(value))
        if len(seen) > 1:
            return True
    return False
