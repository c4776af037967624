"""The words that a model knows: which it has seen, which are frequent, and the cluster of each.

The form of a word seen once says little, its shape and ending much; treating it as unknown in training teaches the
model what to do with words that it has never seen.  The bit string of a word in a Brown hierarchy is a coarser
representation (Koo et al. 2008, section 3.2): its first four or six bits in place of a tag, all of them in place of the
word.  Words are stored as hashes, in a few bytes each.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.arrays import Array, Arrays, Hashes
from treewright.features.attributes import ATTRIBUTES, AttributeReader, View

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["CLUSTER_ATTRIBUTES", "TOP_WORDS", "Lexicon", "WordClusters", "cluster_views"]

#: How often a word must be seen before its form is used.
MINIMUM = 2

#: The number of frequent words (Koo et al. 2008, footnote 4).
TOP_WORDS = 800

#: How many bits of clusters are looked at, beside all of them.
PREFIXES = (4, 6, 8, 12)

#: Attributes that exist only in a lexicon with clusters.
CLUSTER_ATTRIBUTES = ("cluster", *(f"cluster{bits}" for bits in PREFIXES))

#: The bits of a word that is in no cluster.
NO_CLUSTER = "?"


class WordClusters:
    """The bit string of each word, in six bytes a word.

    Parameters
    ----------
    hashes : uint32 array
        The words, hashed, in ascending order.
    numbers : uint16 array
        The cluster of each.
    bits : sequence of str
        The bit string of each cluster.

    Examples
    --------
    >>> clusters = WordClusters.of({"the": "00", "dog": "0110", "cat": "0110"})
    >>> clusters["cat"], clusters["Dog"], clusters["bird"]
    ('0110', '0110', '?')
    """

    def __init__(self, hashes: Hashes, numbers: npt.NDArray[np.uint16], bits: Sequence[str]) -> None:
        are_whole = hashes.ndim == 1 and all(array.dtype.kind in "iu" for array in (hashes, numbers))
        if not are_whole or hashes.shape != numbers.shape or (len(numbers) and int(numbers.max()) >= len(bits)):
            raise ValueError("its words do not fit its clusters")
        self.hashes, self.numbers, self.bits = hashes, numbers, list(bits)
        self._known = dict(zip(hashes.tolist(), numbers.tolist(), strict=True))

    @classmethod
    def of(cls, clusters: Mapping[str, str] | WordClusters) -> WordClusters:
        """Take the bit strings from a mapping of words; those of a model stay as they are."""
        if isinstance(clusters, WordClusters):
            return clusters
        bits = sorted(set(clusters.values()))
        if len(bits) > 1 << 16:
            raise ValueError(f"{len(bits):,} clusters are too many for features; cluster the words again into fewer")
        number = {path: index for index, path in enumerate(bits)}
        known = {_hash(word): number[path] for word, path in sorted(clusters.items())}
        hashes = np.array(sorted(known), np.uint32)
        return cls(hashes, np.array([known[value] for value in hashes.tolist()], np.uint16), bits)

    def __len__(self) -> int:
        return len(self.hashes)

    def __getitem__(self, form: str) -> str:
        """Return the bits of a word, or else of its lower-case form, or else of that with every digit replaced by 0."""
        for spelling in (form, form.lower(), ATTRIBUTES["lower"][1](form)):
            number = self._known.get(_hash(spelling))
            if number is not None:
                return self.bits[number]
        return NO_CLUSTER


class Lexicon:
    """The words that a model knows.

    Parameters
    ----------
    known, frequent : uint32 array
        The hashes of words seen more than once in training, and of those seen most often.
    clusters : WordClusters, optional

    Examples
    --------
    >>> from treewright.treebank import Sentence
    >>> lexicon = Lexicon.of([Sentence.from_forms("the cat saw the Cheshire".split())], top_words=1)
    >>> "the" in lexicon, "cat" in lexicon
    (True, False)
    >>> lexicon.known_form("the"), lexicon.known_form("Cheshire")
    ('the', '?Aa ire')
    >>> lexicon.frequent_form("the"), lexicon.frequent_form("cat")
    ('the', None)
    """

    def __init__(
        self, known: npt.ArrayLike = (), frequent: npt.ArrayLike = (), clusters: WordClusters | None = None
    ) -> None:
        self.known = np.sort(np.asarray(known, np.uint32))
        self.frequent = np.sort(np.asarray(frequent, np.uint32))
        self.clusters = clusters
        self._known, self._frequent = frozenset(self.known.tolist()), frozenset(self.frequent.tolist())
        self._reader = AttributeReader((), self.attributes)

    @classmethod
    def of(
        cls, sentences: Iterable[Sentence], *, clusters: WordClusters | None = None, top_words: int = TOP_WORDS
    ) -> Lexicon:
        """Collect the words that occur at least twice, and the most frequent ones (ties by spelling)."""
        counts = Counter(form for sentence in sentences for form in sentence.forms)
        known = {_hash(form) for form, count in counts.items() if count >= MINIMUM}
        frequent = {_hash(form) for form in sorted(counts, key=lambda form: (-counts[form], form))[:top_words]}
        return cls(sorted(known), sorted(frequent), clusters)

    def __len__(self) -> int:
        return len(self.known)

    def __contains__(self, form: str) -> bool:
        return _hash(form) in self._known

    def known_form(self, form: str) -> str:
        """Return a known word itself, and the shape and ending of any other."""
        if form in self:
            return form
        shape, ending = ATTRIBUTES["shape"][1], ATTRIBUTES["suffix3"][1]
        return f"?{shape(form)} {ending(form)}"

    def frequent_form(self, form: str) -> str | None:
        """Return a frequent word itself, and None for any other, whose features do not exist."""
        return form if _hash(form) in self._frequent else None

    @property
    def attributes(self) -> dict[str, View]:
        """The attributes that depend on the lexicon, for `AttributeReader`."""
        words: dict[str, View] = {"word": ("forms", self.known_form), "frequent": ("forms", self.frequent_form)}
        return words | cluster_views(self.clusters)

    def reader(self, names: Collection[str]) -> AttributeReader:
        """Return what reads these attributes, in any order and among others: one for all that share the lexicon."""
        self._reader.extend(sorted(names))
        return self._reader

    def __reduce__(self) -> tuple[type[Lexicon], tuple[Any, ...]]:
        return type(self), (self.known, self.frequent, self.clusters)  # so that workers can have it

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what a model file holds of a lexicon: the bit strings of clusters, and arrays."""
        arrays: dict[str, Array] = {"vocabulary": self.known, "frequent": self.frequent}
        if self.clusters is None:
            return {"clusters": []}, arrays
        arrays |= {"clusters": self.clusters.hashes, "clusters.numbers": self.clusters.numbers}
        return {"clusters": self.clusters.bits}, arrays

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> Lexicon:
        """Rebuild the lexicon that `describe` described."""
        bits = manifest.get("clusters")
        clusters = WordClusters(arrays["clusters"], arrays["clusters.numbers"], bits) if bits else None
        return cls(arrays["vocabulary"], arrays.get("frequent", ()), clusters)


def cluster_views(clusters: WordClusters | None) -> dict[str, View]:
    """Return the attributes that clusters add to words: the whole bit string, and its first bits."""
    if clusters is None:
        return {}

    def first(bits: int) -> View:
        return "forms", lambda form: clusters[form][:bits]

    return {"cluster": ("forms", clusters.__getitem__)} | {f"cluster{bits}": first(bits) for bits in PREFIXES}


def _hash(form: str) -> int:
    return zlib.crc32(form.encode("utf-8", "surrogatepass"))
