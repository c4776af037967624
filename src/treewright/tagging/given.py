"""Given tags: which cells of a sentence hold one, and what it leaves possible in the columns before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.arrays import Heads, Mask
from treewright.tagging.column import ColumnFeatures
from treewright.treebank import Sentence

__all__ = ["Given", "Restriction", "given_tags"]

#: The columns that hold given tags → which words have one.
Given = Mapping[str, Mask]


def given_tags(sentence: Sentence, *, blank_features: bool) -> dict[str, Mask]:
    """Find the cells of a sentence that hold a tag: all but ``_``.

    In FEATS, ``_`` also says that a word has no features.  If ``blank_features``, it stands for unknown ones
    throughout; otherwise only at words that have no other tag.

    Examples
    --------
    >>> sentence = Sentence.from_forms(["Oh", "dear"], upos=["INTJ", "_"])
    >>> {column: mask.tolist() for column, mask in given_tags(sentence, blank_features=False).items()}
    {'upos': [True, False], 'xpos': [False, False], 'feats': [True, False], 'lemmas': [False, False]}
    """
    given = {
        column: np.array([tag != "_" for tag in getattr(sentence, column)])
        for column in ("upos", "xpos", "feats", "lemmas")
    }
    if not blank_features:
        given["feats"] |= given["upos"] | given["xpos"]
    return given


@dataclass(frozen=True, eq=False)
class Restriction:
    """Restricts the candidates of words to given tags, and to tags that were seen with those given in later columns."""

    columns: Sequence[ColumnFeatures]  # in the order in which they are tagged

    @cached_property
    def _before(self) -> list[defaultdict[str, list[list[str]]]]:
        """For each column: each tag → the tags of the columns before that it was seen with."""
        before = []
        for features in self.columns:
            keys: defaultdict[str, list[list[str]]] = defaultdict(list)
            for key, numbers in features.settings.candidates.items():
                for number in numbers:
                    keys[features.tags[number]].append(key.split(" "))
            before.append(keys)
        return before

    def candidates(self, place: int, sentence: Sentence, given: Given) -> list[Heads]:
        """List the candidates of each word in the column at a place in the order; those before it are tagged."""
        features = self.columns[place]
        candidates, own = features.candidates(sentence), features.tag_indices(sentence)
        later = [other for other in range(place + 1, len(self.columns)) if given[self._name(other)].any()]
        for word in range(len(sentence)):
            if given[self._name(place)][word]:
                candidates[word] = own[word : word + 1]
            elif len(candidates[word]) > 1:
                for other in later:
                    if given[self._name(other)][word]:
                        candidates[word] = self._seen(place, other, word, sentence, given, candidates[word])
        return candidates

    def _seen(self, place: int, other: int, word: int, sentence: Sentence, given: Given, candidates: Heads) -> Heads:
        """Leave of candidates those that were seen with the given tag of a later column; all if none was."""
        names = [self._name(column) for column in range(other)]
        known = {
            column: getattr(sentence, name)[word]
            for column, name in enumerate(names)
            if column < place or given[name][word]
        }
        tags = {
            key[place]
            for key in self._before[other][getattr(sentence, self._name(other))[word]]
            if all(key[column] == tag for column, tag in known.items())
        }
        texts = self.columns[place].tags
        left = np.array([number for number in candidates.tolist() if texts[number] in tags], np.int32)
        return left if len(left) else candidates

    def _name(self, place: int) -> str:
        return self.columns[place].settings.column
