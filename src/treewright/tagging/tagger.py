"""The tagger: UPOS, then XPOS given UPOS, then FEATS given both, each by exact search; and lemmas given all three.

The probability of a tagging is the product of the probabilities of its columns, each given those before it.  Lemmas are
no tags: those of a tagging are its best, and doubt about them is no doubt about tags.
"""

from __future__ import annotations

import heapq
import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any, NamedTuple

from treewright.arrays import Array, Arrays, Floats, Heads
from treewright.features.lexicon import Lexicon, WordClusters
from treewright.features.weights import Weights
from treewright.model import nest, part
from treewright.tagging.column import ColumnFeatures, ColumnSettings
from treewright.tagging.column_tagger import ColumnTagger
from treewright.tagging.given import Given, Restriction
from treewright.tagging.lemmas import Lemmatizer
from treewright.tagging.one_pass import OnePass
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
        """The columns of a sentence that are filled in: tags, and ``lemmas``."""

    @abstractmethod
    def values(self, name: str) -> Sequence[str]:
        """List what the tagger may fill in a column of tags; nothing where it does not fill it."""

    @abstractmethod
    def tag(self, sentence: Sentence, given: Given | None = None) -> Sentence:
        """Fill in the columns that the tagger was trained for; what is given and the other columns stay as they are."""

    @abstractmethod
    def k_best(self, sentence: Sentence, k: int, given: Given | None = None) -> list[Tagging]:
        """Find the k most probable taggings, best first, each once; fewer if there are not that many.

        They differ in tags; each has its best lemmas, which do not count in its probability.
        """

    @abstractmethod
    def confidence(self, sentence: Sentence, given: Given | None = None) -> dict[str, Floats]:
        """Compute the probability of each tag of a tagged sentence; not of lemmas."""

    @abstractmethod
    def describe(self) -> tuple[Any, dict[str, Array]]:
        """Describe the tagger as a manifest and arrays."""


class Tagger(SentenceTagger):
    """Tags sentences, column by column.

    Parameters
    ----------
    columns : sequence of ColumnTagger
        In the order in which they are tagged.
    lemmatizer : Lemmatizer, optional
        Sees the tags of all columns that it was trained with.
    """

    def __init__(self, columns: Sequence[ColumnTagger], lemmatizer: Lemmatizer | None = None) -> None:
        self.columns, self.lemmatizer = list(columns), lemmatizer
        self._restriction = Restriction([column.features for column in self.columns])

    def __reduce__(self) -> tuple[type[Tagger], tuple[Any, ...]]:
        return type(self), (self.columns, self.lemmatizer)  # so that it can be sent to workers

    @cached_property
    def _pass(self) -> OnePass:
        """What finds all tags where none are given."""
        return OnePass(self.columns)

    def calibrated(self, temperatures: Mapping[str, float]) -> Tagger:
        """Return the same tagger with other temperatures, by the names of the columns."""
        columns = [replace(one, temperature=temperatures.get(one.name, one.temperature)) for one in self.columns]
        return Tagger(columns, self.lemmatizer)

    @property
    def names(self) -> Sequence[str]:
        """The columns of a sentence that are filled in, in order."""
        return [*(column.name for column in self.columns), *(["lemmas"] if self.lemmatizer else [])]

    def values(self, name: str) -> Sequence[str]:
        """List the tags of a column; nothing if there is no such column."""
        return next((column.features.tags for column in self.columns if column.name == name), ())

    @property
    def clusters(self) -> WordClusters | None:
        """The word clusters that the tagger looks at, if any."""
        return next((column.features.clusters for column in self.columns if column.features.settings.clusters), None)

    def of_columns(self, *names: str) -> Tagger:
        """Return a tagger of some of the columns, none of which may look at one that is left out; without lemmas."""
        return Tagger([column for column in self.columns if column.name in names])

    def tag(self, sentence: Sentence, given: Given | None = None) -> Sentence:
        """Fill in the columns that the tagger was trained for; the others stay as they are.

        Given tags (`treewright.tagging.given.given_tags`) stay too, and guide those of their neighbours.
        """
        if not len(sentence):
            return sentence
        if given is None and self.columns:
            return self._with_lemmas(sentence.replace(**self._pass.tags(sentence)), None)
        for place, column in enumerate(self.columns):
            tags = column.tag(sentence, self._candidates(place, sentence, given))
            sentence = sentence.replace(**{column.name: tags})
        return self._with_lemmas(sentence, given)

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
                found.append(Tagging(self._with_lemmas(partial, given), -cost))
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

    def _with_lemmas(self, sentence: Sentence, given: Given | None) -> Sentence:
        if self.lemmatizer is None:
            return sentence
        return self.lemmatizer.lemmatize(sentence, None if given is None else given.get("lemmas"))

    def _candidates(self, place: int, sentence: Sentence, given: Given | None) -> list[Heads] | None:
        return None if given is None else self._restriction.candidates(place, sentence, given)

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the tagger: its columns in order, and an array for each; the clusters are those of the parser."""
        columns, arrays = [], dict[str, Array]()
        for column in self.columns:
            about, table = column.weights.describe(column.name)
            settings = asdict(column.features.settings)
            columns.append({"settings": settings, "temperature": column.temperature, **about})
            arrays |= table
        if self.lemmatizer is None:
            return {"columns": columns}, arrays
        lemmas, of_lemmas = self.lemmatizer.describe()
        return {"columns": columns, "lemmas": lemmas}, arrays | nest("lemmas", of_lemmas)

    @classmethod
    def restore(cls, manifest: Mapping[str, Any] | Sequence[Any], arrays: Arrays, lexicon: Lexicon) -> Tagger:
        """Build a tagger from its description, in older models a list of columns, and the lexicon of the parser."""
        about: Mapping[str, Any] = manifest if isinstance(manifest, Mapping) else {"columns": manifest}
        columns = [_restore_column(column, arrays, lexicon) for column in about["columns"]]
        lemmas = about.get("lemmas")
        if lemmas is None:
            return cls(columns)
        return cls(columns, Lemmatizer.restore(lemmas, part("lemmas", arrays), lexicon.clusters))


def _restore_column(about: Mapping[str, Any], arrays: Arrays, lexicon: Lexicon) -> ColumnTagger:
    settings = ColumnSettings(**about["settings"])
    features = ColumnFeatures(settings, lexicon.clusters)
    weights = Weights.restore(about, arrays, features.size, settings.column)
    return ColumnTagger(features, weights, float(about.get("temperature", 1.0)))
