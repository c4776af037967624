"""The tagger: UPOS, then XPOS given UPOS, then FEATS given both; each column by exact search.

The probability of a tagging is the product of the probabilities of its columns, each given those before it.
"""

from __future__ import annotations

import heapq
import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from treewright.arrays import Array, Arrays, Floats, Heads
from treewright.features.lexicon import Lexicon, WordClusters
from treewright.features.weights import Weights
from treewright.tagging.column import ColumnFeatures, ColumnSettings
from treewright.tagging.column_tagger import ColumnTagger
from treewright.tagging.given import Given, Restriction
from treewright.treebank import Sentence

__all__ = ["SentenceTagger", "Tagger", "Tagging"]


class Tagging(NamedTuple):
    """A tagged sentence, and the logarithm of the probability of all its tags: the product over the columns."""

    sentence: Sentence
    log_probability: float


class SentenceTagger(ABC):
    """What parsers see of a tagger: linear (`Tagger`) or neural."""

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """The columns of a sentence that are tagged."""

    @abstractmethod
    def tag(self, sentence: Sentence, given: Given | None = None) -> Sentence:
        """Fill in the columns that the tagger was trained for; given tags and the other columns stay as they are."""

    @abstractmethod
    def k_best(self, sentence: Sentence, k: int, given: Given | None = None) -> list[Tagging]:
        """Find the k most probable taggings, best first, each once; fewer if there are not that many."""

    @abstractmethod
    def confidence(self, sentence: Sentence, given: Given | None = None) -> dict[str, Floats]:
        """Compute the probability of each tag of a tagged sentence."""

    @abstractmethod
    def describe(self) -> tuple[Any, dict[str, Array]]:
        """Describe the tagger as a manifest and arrays."""


class Tagger(SentenceTagger):
    """Tags sentences, column by column.

    Parameters
    ----------
    columns : sequence of ColumnTagger
        In the order in which they are tagged.
    """

    def __init__(self, columns: Sequence[ColumnTagger]) -> None:
        self.columns = list(columns)
        self._restriction = Restriction([column.features for column in self.columns])

    def calibrated(self, temperatures: Mapping[str, float]) -> Tagger:
        """Return the same tagger with other temperatures, by the names of the columns."""
        return Tagger([replace(one, temperature=temperatures.get(one.name, one.temperature)) for one in self.columns])

    @property
    def names(self) -> Sequence[str]:
        """The columns of a sentence that are tagged, in order."""
        return [column.name for column in self.columns]

    @property
    def clusters(self) -> WordClusters | None:
        """The word clusters that the tagger looks at, if any."""
        return next((column.features.clusters for column in self.columns if column.features.settings.clusters), None)

    def of_columns(self, *names: str) -> Tagger:
        """Return a tagger of some of the columns, none of which may look at one that is left out."""
        return Tagger([column for column in self.columns if column.name in names])

    def tag(self, sentence: Sentence, given: Given | None = None) -> Sentence:
        """Fill in the columns that the tagger was trained for; the others stay as they are.

        Given tags (`treewright.tagging.given.given_tags`) stay too, and guide those of their neighbours.
        """
        if not len(sentence):
            return sentence
        for place, column in enumerate(self.columns):
            tags = column.tag(sentence, self._candidates(place, sentence, given))
            sentence = sentence.replace(**{column.name: tags})
        return sentence

    def k_best(self, sentence: Sentence, k: int, given: Given | None = None) -> list[Tagging]:
        """Find the k most probable taggings, best first, each once; fewer if there are not that many.

        A partial tagging is at least as probable as all that it begins, so the search goes on from the most probable
        one each time, and a whole tagging is the next best when its turn comes.  From each partial tagging it goes on
        with the k best sequences of the next column, exactly; so the taggings found are the best of those that are made
        of them, and the best of all with one column, or where k is large enough.

        Examples
        --------
        >>> import treewright
        >>> tagger = treewright.load("en").tagger
        >>> best = tagger.k_best(treewright.Sentence.from_forms(["I", "saw", "her", "duck", "."]), 4)
        >>> best[0].sentence.upos, len(best)
        (['PRON', 'VERB', 'PRON', 'NOUN', 'PUNCT'], 4)
        """
        if not len(sentence):
            return [Tagging(sentence, 0.0)]
        found: list[Tagging] = []
        queue = [(0.0, 0, 0, sentence)]
        order = itertools.count(1)  # of equals, the first found comes first
        while queue and len(found) < k:
            cost, _, place, partial = heapq.heappop(queue)
            if place == len(self.columns):
                found.append(Tagging(partial, -cost))
                continue
            column = self.columns[place]
            for tags, log in column.k_best(partial, k, self._candidates(place, partial, given)):
                longer = partial.replace(**{column.name: tags})
                heapq.heappush(queue, (cost - log, next(order), place + 1, longer))
        return found

    def confidence(self, sentence: Sentence, given: Given | None = None) -> dict[str, Floats]:
        """Compute the probability of each tag of a tagged sentence, given the columns before its own."""
        return {
            column.name: column.confidence(sentence, self._candidates(place, sentence, given))
            for place, column in enumerate(self.columns if len(sentence) else ())
        }

    def _candidates(self, place: int, sentence: Sentence, given: Given | None) -> list[Heads] | None:
        return None if given is None else self._restriction.candidates(place, sentence, given)

    def describe(self) -> tuple[list[dict[str, Any]], dict[str, Array]]:
        """Describe the tagger: its columns in order, and an array for each; the clusters are those of the parser."""
        columns, arrays = [], dict[str, Array]()
        for column in self.columns:
            about, table = column.weights.describe(column.name)
            settings = asdict(column.features.settings)
            columns.append({"settings": settings, "temperature": column.temperature, **about})
            arrays |= table
        return columns, arrays

    @classmethod
    def restore(cls, columns: Sequence[Mapping[str, Any]], arrays: Arrays, lexicon: Lexicon) -> Tagger:
        """Build a tagger from its description and the lexicon of the parser."""
        restored = []
        for about in columns:
            settings = ColumnSettings(**about["settings"])
            features = ColumnFeatures(settings, lexicon.clusters)
            weights = Weights.restore(about, arrays, features.size, settings.column)
            restored.append(ColumnTagger(features, weights, float(about.get("temperature", 1.0))))
        return cls(restored)
