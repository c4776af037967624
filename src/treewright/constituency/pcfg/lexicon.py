"""The probability of a word under a tag, for any word.

As in Klein and Manning (2003), by Bayes' rule from P(tag | word), where the counts of the word are smoothed by
``SMOOTHING`` more words with the tags of words like it,

    P(t | w) = (c(t, w) + SMOOTHING P(t | class of w)) / (c(w) + SMOOTHING),   P(w | t) = P(t | w) P(w) / P(t).

The classes of a word are all words, its shape, and its shape with the last one, two and three letters.  Each is
smoothed by the one before in the same way (like the suffixes of Brants 2000), and all are counted over rare words.  A
word seen ``TRUSTED`` times or more has only the tags that it was seen with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from treewright.arrays import Array, Arrays, Floats, Heads

__all__ = ["RARE", "Lexicon", "word_classes"]

#: Words seen at most this often are rare: unknown words are taken to behave like them.
RARE = 3
#: Words seen at least this often have been seen with all their tags.
TRUSTED = 20
#: How many words the class of a word counts for, and the wider class of a class.
SMOOTHING = 1.0
#: The log-probability of a word under a given tag that was never seen with a word like it.
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
    """Words and their tags: how often each tag was seen with each word, and with each class of rare words.

    ``tags`` has the label of each tag; tags may share a label, as tags remember what is above them.
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
        # Another process keeps its own cache of scores.
        return Lexicon, (self.tags, self.words, self.classes)

    @classmethod
    def count(cls, tags: Sequence[str], seen: Mapping[tuple[str, int], int]) -> Lexicon:
        """Make a lexicon from the counts of words with tags."""
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
        """Describe the lexicon, without its tags."""
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
        """Compute the log-probability of a word under each tag."""
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
        """Compute the log-probabilities of words, shape (n, tags); a word with a known tag can have no other."""
        rows = []
        for word, tag in zip(words, tags, strict=True):
            row = self.score(word)
            if tag is not None and (same := self._labels.get(tag)) is not None:
                row = np.where(same, np.maximum(row, UNSEEN), -np.inf)
            rows.append(row)
        return np.stack(rows)


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
    if len(table) and (table[:, :2].min() < 0 or table[:, 2].min() < 1):
        raise ValueError("its lexicon has counts below one")
    for place, tag, count in table.tolist():
        found[place][tag] = count
    if not all(found):
        raise ValueError("its lexicon has words without tags")
    return counters
