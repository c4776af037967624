"""What the classifier of edit scripts sees of a word: its letters, its tags, its cluster, and what could become of it.

It sees nothing of the neighbours: their influence is in the tags.  So the lemma of a word with its tags is always the
same, and is found once.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from treewright.features.attributes import AttributeReader
from treewright.features.lexicon import WordClusters, cluster_views
from treewright.features.templates import attributes_of, hash_side, parse_templates, read_templates
from treewright.tagging.lemmas.choice import Choices
from treewright.tagging.lemmas.dictionary import Word, coarse_of
from treewright.tagging.lemmas.scripts import apply_script
from treewright.treebank import Sentence

__all__ = ["LemmaFeatures", "LemmaSettings"]

#: Templates of the word, and those that there are for each column of tags, in place of ``{}``.
WORD = read_templates(
    """
    shape, suffix1 shape, suffix2, suffix3, suffix4, suffix5, prefix1, prefix2, prefix3, prefix4, lower, known
    """
)
TAGS = read_templates(
    """
    {}, {} shape, {} known, {} prefix1, {} prefix2, {} prefix3
    {} suffix1, {} suffix2, {} suffix3, {} suffix4, {} suffix5
    """
)

#: Additional templates if there are clusters.
CLUSTER = read_templates("cluster, cluster4 suffix2, cluster6 suffix2")
CLUSTER_TAGS = read_templates("{} cluster, {} cluster4, {} cluster6")

#: The column that holds what the dictionary knows of the words.
KNOWN = "misc"

#: Says whether another form of a lemma is known, with the coarse tag of a word.
Attested = Callable[[str, Word], bool]


@dataclass(frozen=True)
class LemmaSettings:
    """The settings of a lemmatizer: plain data, stored in the model file."""

    given: Sequence[str]  # the columns tagged before, the coarsest first
    scripts: Sequence[str]
    endings: dict[str, dict[str, list[int]]]  # each coarse tag → the ending that is edited → the numbers of scripts
    bits: int  # the logarithm (base 2) of the size of the table of weights
    clusters: bool = False  # whether there are features of word clusters

    def check(self) -> None:
        """Refuse settings that are damaged: scripts that are none, and numbers that are not those of scripts."""
        for script in self.scripts:
            apply_script(script, "form")
        for endings in self.endings.values():
            for numbers in endings.values():
                if not all(0 <= number < len(self.scripts) for number in numbers):
                    raise ValueError("an ending has edit scripts that there are not")


class LemmaFeatures:
    """Converts words to the input of the kernels of `treewright.tagging.lemmas.choice`.

    Clusters are required if the settings say so.
    """

    def __init__(self, settings: LemmaSettings, clusters: WordClusters | None = None) -> None:
        self.settings, self.clusters = settings, clusters
        templates = [*WORD, *(CLUSTER if settings.clusters else ())]
        of_tags = [*TAGS, *(CLUSTER_TAGS if settings.clusters else ())]
        templates += [text.replace("{}", name) for name in settings.given for text in of_tags]
        names = sorted(attributes_of(templates))
        self._reader = AttributeReader(names, {"known": (KNOWN, str)} | cluster_views(clusters))
        [self._side] = parse_templates(templates, names, "lemma")
        self._longest = max((len(ending) for found in settings.endings.values() for ending in found), default=0)
        self._any = defaultdict[str, list[int]](list)  # the scripts of words whose coarse tag is unknown
        for endings in settings.endings.values():
            for ending, numbers in endings.items():
                self._any[ending] = sorted({*self._any[ending], *numbers})
        self.mask = np.uint32((1 << settings.bits) - 1)

    def __reduce__(self) -> tuple[type[LemmaFeatures], tuple[Any, ...]]:
        return type(self), (self.settings, self.clusters)  # so that it can be sent to workers

    @property
    def size(self) -> int:
        """The number of weights."""
        return (1 << self.settings.bits) + len(self.settings.scripts)

    def candidates(self, word: Word) -> list[int]:
        """List the scripts that suit the ending of a word, as seen with its coarse tag."""
        form, tags = word
        endings, lower = self.settings.endings.get(coarse_of(tags), self._any), form.lower()
        found = list[int]()
        for size in range(min(self._longest, len(lower)) + 1):
            found += endings.get(lower[len(lower) - size :], ())
        return found

    def hash(
        self, words: Sequence[Word], candidates: Sequence[Sequence[int]], known: Sequence[str], attested: Attested
    ) -> Choices:
        """Hash words, each with at least one candidate, and with what the dictionary knows of it."""
        forms, tags = zip(*words, strict=True)
        columns = dict(zip(self.settings.given, zip(*tags, strict=True), strict=True))
        sentence = Sentence.from_forms(forms, **columns, **{KNOWN: known})
        outcome = [
            self._outcome(word, apply_script(self.settings.scripts[number], word[0]), attested)
            for word, numbers in zip(words, candidates, strict=True)
            for number in numbers
        ]
        starts = np.zeros(len(words) + 1, np.int32)
        np.cumsum([len(numbers) for numbers in candidates], out=starts[1:])
        return Choices(
            hash_side(self._reader.read(sentence), self._side),
            np.array(outcome, np.uint32),
            np.array([number for numbers in candidates for number in numbers], np.int32),
            starts,
        )

    def _outcome(self, word: Word, lemma: str, attested: Attested) -> list[int]:
        """Hash what would become of a word."""
        tag = coarse_of(word[1])
        return [_hash(f"{attested(lemma, word)} {tag}"), _hash(f"{tag} {lemma[-2:]}"), _hash(f"{tag} {lemma[-3:]}")]


@lru_cache(maxsize=1 << 16)
def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
