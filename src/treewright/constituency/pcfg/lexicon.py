"""The probability of a word under a tag, for any word.

As Klein and Manning (2003), by Bayes' rule from P(tag | word): the counts of the word, with ``SMOOTHING`` more words
that have the tags of words like it,

    P(t | w) = (c(t, w) + SMOOTHING P(t | class of w)) / (c(w) + SMOOTHING),   P(w | t) = P(t | w) P(w) / P(t).

The classes of a word go from all words over its shape to its shape with the last one, two and three letters; each is
smoothed by the one before in the same way (as the suffixes of Brants 2000), and all are counted over rare words.  A
word seen ``TRUSTED`` times or more has the tags that it was seen with, and no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from treewright.arrays import Array, Arrays, Floats, Heads

__all__ = ["RARE", "Lexicon", "word_classes"]

#: Words seen at most this often tell how unknown words behave.
RARE = 3
#: Words seen at least this often have all the tags that they can have.
TRUSTED = 20
#: How many words the classes of a word, and the class above a class, count for.
SMOOTHING = 1.0
#: The log-probability of a word under a tag that was given with it, and never seen with a word like it.
UNSEEN = -30.0

SUFFIX = 3


def word_classes(word: str) -> list[str]:
    """List the classes of a word, the widest first.

    Examples
    --------
    >>> word_classes("Re-opened")
    ['', 'Aa-', 'Aa-~d', 'Aa-~ed', 'Aa-~ned']
    """
    kinds = (
        ("A", word[:1].isupper()),
        ("a", any(map(str.islower, word))),
        ("AA", any(map(str.isupper, word[1:]))),
        ("0", any(map(str.isdigit, word))),
        ("-", "-" in word),
        (".", not any(map(str.isalnum, word))),
    )
    shape = "".join(mark for mark, present in kinds if present) or "?"
    return ["", shape, *(f"{shape}~{word[-length:].lower()}" for length in range(1, min(SUFFIX, len(word)) + 1))]


class Lexicon:
    """Words and their tags.

    Parameters
    ----------
    tags : sequence of str
        The label of each tag; two tags may share one, where tags remember what is above them.
    words, classes : mapping of str to Counter of int
        How often each tag was seen with each word, and with each class of rare words.
    """

    def __init__(
        self, tags: Sequence[str], words: Mapping[str, Counter[int]], classes: Mapping[str, Counter[int]]
    ) -> None:
        self.tags = list(tags)
        self.words = words
        self.classes = classes
        self._of_tag = sum((self._counts(found) for found in words.values()), np.zeros(len(tags)))
        self._labels = {label: np.array([other == label for other in tags]) for label in tags}
        self.score = lru_cache(1 << 14)(self._score)

    def __reduce__(self) -> tuple[type[Lexicon], tuple[Any, ...]]:
        # A process that parses with it remembers scores of its own.
        return Lexicon, (self.tags, self.words, self.classes)

    @classmethod
    def count(cls, tags: Sequence[str], seen: Mapping[tuple[str, int], int]) -> Lexicon:
        """Make a lexicon of counts of words with tags."""
        words: dict[str, Counter[int]] = {}
        for (word, tag), number in sorted(seen.items()):
            words.setdefault(word, Counter())[tag] += number
        rare = [word for word, found in words.items() if found.total() <= RARE] or list(words)
        classes: dict[str, Counter[int]] = {}
        for word in rare:
            for name in word_classes(word):
                classes.setdefault(name, Counter()).update(words[word])
        return cls(tags, words, classes)

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Take the lexicon apart for a model file; the tags are not part of it."""
        counts: dict[str, Array] = {"word_counts": _table(self.words), "class_counts": _table(self.classes)}
        return {"words": list(self.words), "classes": list(self.classes)}, counts

    @classmethod
    def restore(cls, tags: Sequence[str], manifest: Mapping[str, Any], arrays: Arrays) -> Lexicon:
        """Put together what `describe` took apart."""
        words = _counters(manifest["words"], arrays["word_counts"])
        return cls(tags, words, _counters(manifest["classes"], arrays["class_counts"]))

    def _counts(self, found: Mapping[int, int]) -> Floats:
        counts = np.zeros(len(self.tags))
        counts[list(found.keys())] = list(found.values())
        return counts

    def _score(self, word: str) -> Floats:
        """Give the log-probability of a word under each tag."""
        own = self._counts(self.words.get(word, {}))
        given_word = own / max(own.sum(), 1)
        if own.sum() < TRUSTED:
            widest, *narrower = (self._counts(self.classes.get(name, {})) for name in word_classes(word))
            given_class = widest / widest.sum()
            for counts in narrower:
                given_class = _smoothed(counts, given_class)
            given_word = _smoothed(own, given_class)
        total = self._of_tag.sum()
        with np.errstate(divide="ignore"):
            scores: Floats = np.log(given_word * max(own.sum(), 1) / total) - np.log(self._of_tag / total)
        scores.flags.writeable = False
        return scores

    def scores(self, words: Iterable[str], tags: Iterable[str | None]) -> Floats:
        """Give the log-probabilities of words, shape (n, tags); a tag that is given and known leaves no other."""
        rows = []
        for word, tag in zip(words, tags, strict=True):
            row = self.score(word)
            if tag is not None and (same := self._labels.get(tag)) is not None:
                row = np.where(same, np.maximum(row, UNSEEN), -np.inf)
            rows.append(row)
        return np.stack(rows)

    def knows_tag(self, tag: str) -> bool:
        """Tell whether a word was seen with this tag."""
        return tag in self._labels


def _smoothed(counts: Floats, wider: Floats) -> Floats:
    smoothed: Floats = (counts + SMOOTHING * wider) / (counts.sum() + SMOOTHING)
    return smoothed


def _table(counters: Mapping[str, Counter[int]]) -> Heads:
    """List rows (name, tag, count), where a name is its place in the mapping."""
    rows = [(place, tag, count) for place, found in enumerate(counters.values()) for tag, count in found.items()]
    return np.array(rows, np.int32).reshape(-1, 3)


def _counters(names: Sequence[str], table: Array) -> dict[str, Counter[int]]:
    """Put together what `_table` took apart."""
    counters: dict[str, Counter[int]] = {str(name): Counter() for name in names}
    found = list(counters.values())
    for place, tag, count in table.tolist():
        found[place][tag] = count
    return counters
