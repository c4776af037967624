"""The lemmatizer: the lemma of each word, from the word and its tags."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from treewright.arrays import Array, Arrays, Mask
from treewright.features.lexicon import WordClusters
from treewright.features.weights import Weights
from treewright.model import nest, part
from treewright.tagging.lemmas.choice import best_candidates
from treewright.tagging.lemmas.dictionary import LemmaDictionary, Word
from treewright.tagging.lemmas.features import LemmaFeatures, LemmaSettings
from treewright.tagging.lemmas.scripts import apply_script
from treewright.treebank import Sentence

__all__ = ["Lemmatizer", "words_of"]

#: Addresses, whose endings mean nothing: they are their own lemmas.
_ADDRESS = re.compile(r"\w+://|www\.|[\w.+-]+@\w")

#: The most words that are remembered with their lemmas; beyond this all are forgotten.
CACHE_LIMIT = 1 << 18


@dataclass(frozen=True, eq=False)
class Lemmatizer:
    """Finds lemmas of tagged words: by the dictionary, or by the best edit script of words that it does not have.

    Examples
    --------
    >>> from treewright.tagging.lemmas.training import train_lemmatizer
    >>> treebank = [
    ...     Sentence.from_forms([f"{noun}s", "were"], lemmas=[noun, "be"], upos=["NOUN", "AUX"])
    ...     for noun in ("dog", "cat", "cow", "bird")
    ... ]
    >>> lemmatizer = train_lemmatizer(treebank, ["upos"])
    >>> lemmatizer.lemmatize(Sentence.from_forms(["Walls", "were"], upos=["NOUN", "AUX"])).lemmas
    ['wall', 'be']
    """

    features: LemmaFeatures
    weights: Weights
    dictionary: LemmaDictionary
    _found: dict[Word, str] = field(default_factory=dict, repr=False)

    def lemmatize(self, sentence: Sentence, given: Mask | None = None) -> Sentence:
        """Fill in the lemmas of a tagged sentence; those that are given stay."""
        found, words = self._found, words_of(sentence, self.features.settings.given)
        lemmas = list(map(found.get, words))
        if None in lemmas:
            new = list(dict.fromkeys(word for word, lemma in zip(words, lemmas, strict=True) if lemma is None))
            learned = dict(zip(new, self._find(new), strict=True))
            lemmas = [learned[word] if lemma is None else lemma for word, lemma in zip(words, lemmas, strict=True)]
            if len(found) > CACHE_LIMIT:
                found.clear()
            found.update(learned)
        if given is not None and given.any():
            own = zip(given.tolist(), sentence.lemmas, lemmas, strict=True)
            lemmas = [old if is_given else new for is_given, old, new in own]
        return sentence.replace(lemmas=lemmas)

    def _find(self, words: Sequence[Word]) -> list[str]:
        """Find the lemma of each word."""
        numbers = list(map(self.dictionary.find, words))
        candidates = {
            place: self.features.candidates(word)
            for place, (word, number) in enumerate(zip(words, numbers, strict=True))
            if number is None and not _ADDRESS.match(word[0])
        }
        places = [place for place, suitable in candidates.items() if suitable]
        if places:
            best = self._classify([words[place] for place in places], [candidates[place] for place in places])
            for place, number in zip(places, best, strict=True):
                numbers[place] = number
        scripts = self.features.settings.scripts
        return [
            form if number is None else apply_script(scripts[number], form)
            for number, (form, _) in zip(numbers, words, strict=True)
        ]

    def _classify(self, words: Sequence[Word], candidates: Sequence[Sequence[int]]) -> list[int]:
        """Choose among the candidates of each word."""
        known = list(map(self.dictionary.others, words))
        choices = self.features.hash(words, candidates, known, self.dictionary.has_lemma)
        best = best_candidates(choices, self.weights.table, self.features.mask, _NOTHING, 0.0)
        numbers: list[int] = choices.candidates[best].tolist()
        return numbers

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Describe the lemmatizer as a manifest and arrays; the clusters are those of the parser."""
        about, arrays = self.weights.describe()
        coarse, words = self.dictionary.describe()
        return {"settings": asdict(self.features.settings), "coarse": coarse, **about}, arrays | nest("words", words)

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays, clusters: WordClusters | None) -> Lemmatizer:
        """Build a lemmatizer from its description and the clusters of the parser."""
        settings = LemmaSettings(**manifest["settings"])
        settings.check()
        features = LemmaFeatures(settings, clusters)
        dictionary = LemmaDictionary.restore(manifest["coarse"], part("words", arrays), len(features.settings.scripts))
        return cls(features, Weights.restore(manifest, arrays, features.size), dictionary)


def words_of(sentence: Sentence, given: Sequence[str]) -> list[Word]:
    """List the words of a sentence with their tags in some columns."""
    tags = zip(*(getattr(sentence, column) for column in given), strict=True) if given else [()] * len(sentence)
    return list(zip(sentence.forms, tags, strict=True))


_NOTHING = np.empty(0, np.int32)
