"""Which words a model knows: those seen more than once in training, as a set of hashes.

A word seen once tells little by its form and much by its shape and ending; treating it as unknown in training
teaches the model what to make of words that it has never seen.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treewright.features.attributes import ATTRIBUTES

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["Vocabulary"]

#: How often a word is seen before its form is trusted.
MINIMUM = 2


class Vocabulary:
    """A set of words.

    Examples
    --------
    >>> from treewright.treebank import Sentence
    >>> vocabulary = Vocabulary.of([Sentence.from_forms("the cat saw the Cheshire".split())])
    >>> "the" in vocabulary, "cat" in vocabulary
    (True, False)
    >>> vocabulary.known_form("the"), vocabulary.known_form("Cheshire")
    ('the', '?Aa ire')
    """

    def __init__(self, hashes: npt.NDArray[np.uint32]) -> None:
        self.hashes = np.sort(hashes)
        self._known = frozenset(self.hashes.tolist())

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> Vocabulary:
        """Collect the words that occur at least twice."""
        counts = Counter(form for sentence in sentences for form in sentence.forms)
        known = {_hash(form) for form, count in counts.items() if count >= MINIMUM}
        return cls(np.array(sorted(known), np.uint32))

    def __len__(self) -> int:
        return len(self.hashes)

    def __contains__(self, form: str) -> bool:
        return _hash(form) in self._known

    def known_form(self, form: str) -> str:
        """Return a known word itself, and for another its shape and ending."""
        if form in self:
            return form
        shape, ending = ATTRIBUTES["shape"][1], ATTRIBUTES["suffix3"][1]
        return f"?{shape(form)} {ending(form)}"

    @property
    def attributes(self) -> dict[str, tuple[str, Callable[[str], str]]]:
        """The attribute ``word`` as this vocabulary sees it, for `AttributeReader`."""
        return {"word": ("forms", self.known_form)}


def _hash(form: str) -> int:
    return zlib.crc32(form.encode("utf-8", "surrogatepass"))
