"""What the tagger of a column (UPOS, XPOS or FEATS) sees of a sentence."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.arrays import Array, Heads
from treewright.features.attributes import ATTRIBUTES, AttributeReader, View
from treewright.features.lexicon import WordClusters, cluster_views
from treewright.features.templates import Side, attributes_of, hash_side, parse_templates
from treewright.tagging.sequence import HashedWords
from treewright.tagging.templates import CLUSTER, DEEP_CLUSTER, EMISSION, ENDINGS, GIVEN, TRANSITION, TRANSITION_PLAIN

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["ColumnFeatures", "ColumnSettings"]

#: The usual tags of a word are those of at least this share of its occurrences, if it occurred often enough.
USUAL_SHARE, USUAL_MINIMUM = 0.05, 2

#: Tags of unknown signs are those of so many known ones at least, and of this share of them.
SIGNS, SOME = 4, 0.15

#: The attribute that is the usual tags of a word, of which each column has its own.
USUAL = "usual"

#: With more tags than this, the only transitions are tag bigrams.
FEW_TAGS = 64


@dataclass(frozen=True)
class ColumnSettings:
    """The settings of the tagger of a column: plain data, stored in the model file."""

    column: str  # of a sentence, which is tagged
    given: Sequence[str]  # the columns tagged before, which are features
    tags: Sequence[str]
    candidates: dict[str, list[int]]  # each combination of given tags → the numbers of the tags seen with it
    usual: dict[str, list[str]]  # each set of usual tags → the words, in lower case, that have it
    bits: int  # the logarithm (base 2) of the size of the table of weights
    clusters: bool = False  # whether there are features of word clusters
    more: Sequence[str] = ()  # templates beside the usual ones
    separator: str | None = None  # what is between the values of a tag; "" where each of its characters is one

    @classmethod
    def of(
        cls, sentences: Sequence[Sentence], column: str, given: Sequence[str], bits: int, clusters: bool = False
    ) -> ColumnSettings:
        """Collect tags, candidates and usual tags from a treebank."""
        tags = sorted({tag for sentence in sentences for tag in getattr(sentence, column)})
        index = {tag: number for number, tag in enumerate(tags)}
        candidates: defaultdict[str, set[int]] = defaultdict(set)
        for sentence in sentences:
            for key, tag in zip(_keys(sentence, given), getattr(sentence, column), strict=True):
                candidates[key].add(index[tag])
        listed = {key: sorted(numbers) for key, numbers in candidates.items()}
        more = [*(DEEP_CLUSTER if clusters else []), *(ENDINGS if len(tags) > FEW_TAGS else [])]
        separator = separator_of(tags) if len(tags) > FEW_TAGS else None
        return cls(column, list(given), tags, listed, _usual_tags(sentences, column), bits, clusters, more, separator)


def separator_of(tags: Sequence[str]) -> str:
    """Find what is between the values of tags: the separator that most of them have, or nothing.

    Examples
    --------
    >>> separator_of(["Case=Gen|Number=Plur", "Case=Nom|Number=Sing", "_"]), separator_of(["NNG+JKO", "NNG", "VV+EP"])
    ('|', '+')
    >>> separator_of(["NNFS1-----A----", "Z:-------------"])
    ''
    """
    counts = {separator: sum(separator in tag.strip(separator) for tag in tags) for separator in "|+."}
    if len({*map(len, tags)}) > 1:  # otherwise a hyphen is a place without a value
        counts["-"] = sum("-" in tag.strip("-") for tag in tags)
    most = max(counts, key=lambda separator: counts[separator])
    return most if 2 * counts[most] > len(tags) else ""


def values_of(tag: str, separator: str) -> list[str]:
    """Split a tag into values, each once; of characters, each with its place.

    Examples
    --------
    >>> values_of("Case=Gen|Number=Plur", "|"), values_of("Ncs-", "")
    (['Case=Gen', 'Number=Plur'], ['0N', '1c', '2s', '3-'])
    """
    if separator:
        return [*dict.fromkeys(tag.split(separator))]
    return [f"{place}{character}" for place, character in enumerate(tag)]


def _keys(sentence: Sentence, given: Sequence[str]) -> Iterable[str]:
    """Join the given tags of each word into one key."""
    if not given:
        return [""] * len(sentence)
    return map(" ".join, zip(*(getattr(sentence, column) for column in given), strict=True))


def _usual_tags(sentences: Iterable[Sentence], column: str) -> dict[str, list[str]]:
    lower = ATTRIBUTES["lower"][1]
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for form, tag in zip(sentence.forms, getattr(sentence, column), strict=True):
            counts[lower(form)][tag] += 1
    usual: defaultdict[str, list[str]] = defaultdict(list)
    for word, tags in sorted(counts.items()):
        total = tags.total()
        if total >= USUAL_MINIMUM:
            ordered = sorted(tags.items(), key=lambda item: (-item[1], item[0]))
            usual[" ".join(tag for tag, count in ordered if count >= USUAL_SHARE * total)].append(word)
    return dict(usual)


def _is_sign(form: str) -> bool:
    """Return whether a word has no letters and no digits."""
    return not any(map(str.isalnum, form))


class ColumnFeatures:
    """Converts sentences to the input of the kernels of `treewright.tagging.sequence`.

    Clusters are required if the settings say so.
    """

    def __init__(self, settings: ColumnSettings, clusters: WordClusters | None = None) -> None:
        self.settings = settings
        self.clusters = clusters
        self.tags = list(settings.tags)
        emission = [*EMISSION, *(text.replace("{}", name) for name in settings.given for text in GIVEN)]
        if settings.clusters:
            emission += CLUSTER
        emission += settings.more
        transition = TRANSITION if len(self.tags) <= FEW_TAGS else TRANSITION_PLAIN
        self._templates = {"emission": emission, "transition": list(transition)}
        self.attributes = sorted(attributes_of([*emission, *transition]))
        self._usual = {word: tags for tags, words in settings.usual.items() for word in words}
        self._reader = AttributeReader(self.attributes, self.views)
        self._emission, self._transition = self.sides(self.attributes)
        self._seeds = np.random.default_rng(0).integers(0, 1 << 32, len(self.tags) + 1, np.uint32)
        self._candidates = {key: np.array(tags, np.int32) for key, tags in settings.candidates.items()}
        self._all = np.arange(len(self.tags), dtype=np.int32)
        self._index = {tag: number for number, tag in enumerate(self.tags)}
        self.of_signs = self._all if settings.given else self._tags_of_signs()
        split = [[] if settings.separator is None else values_of(tag, settings.separator) for tag in self.tags]
        numbers = {value: number for number, value in enumerate(sorted({*itertools.chain(*split)}))}
        self._values = np.array([numbers[value] for values in split for value in values], np.int32)
        self._value_starts = np.cumsum([0, *map(len, split)], dtype=np.int32)
        self._value_seeds = np.random.default_rng(1).integers(0, 1 << 32, len(numbers), np.uint32)
        self.mask = np.uint32((1 << settings.bits) - 1)

    def __reduce__(self) -> tuple[type[ColumnFeatures], tuple[Any, ...]]:
        return type(self), (self.settings, self.clusters)  # so that it can be sent to workers

    @property
    def views(self) -> dict[str, View]:
        """The attributes that depend on what was learned: usual tags and clusters."""
        return {USUAL: ("forms", self._usual_tags)} | cluster_views(self.clusters)

    def sides(self, attributes: Sequence[str]) -> list[Side]:
        """Compile the templates of emission and those of transition for an array of attributes with these columns."""
        return [side for salt, texts in self._templates.items() for side in parse_templates(texts, attributes, salt)]

    def _usual_tags(self, form: str) -> str:
        return self._usual.get(ATTRIBUTES["lower"][1](form), "?")

    @property
    def size(self) -> int:
        """The number of weights."""
        return (1 << self.settings.bits) + len(self.tags) + len(self._value_seeds)

    def candidates(self, sentence: Sentence) -> list[Heads]:
        """List the candidates of each word: the tags seen with those of the columns before.

        In the first column, signs that the treebank does not have get the tags of those that it has: otherwise
        quotation marks of a kind that it lacks would be nouns, as unknown words are.
        """
        found = self.seen(sentence)
        for word in self.unknown_signs(sentence):
            found[word] = self.of_signs
        return found

    def unknown_signs(self, sentence: Sentence) -> list[int]:
        """List the words, from 0, that get the tags of known signs."""
        if len(self.of_signs) == len(self._all):
            return []
        forms = enumerate(sentence.forms)
        return [word for word, form in forms if not form[:1].isalnum() and _is_sign(form) and self._is_unknown(form)]

    def _is_unknown(self, form: str) -> bool:
        return self._usual_tags(form) == "?"

    def seen(self, sentence: Sentence) -> list[Heads]:
        """List the candidates of each word in training: those of `candidates`, and all of signs."""
        return [self._candidates.get(key, self._all) for key in _keys(sentence, self.settings.given)]

    def _tags_of_signs(self) -> Heads:
        """List the tags that known signs, or some of them, have most often; all tags if few signs are known."""
        most = Counter(tags.split(" ")[0] for word, tags in self._usual.items() if _is_sign(word))
        if most.total() < SIGNS:
            return self._all
        usual = [tag for tag, count in most.items() if count >= SOME * most.total() and tag in self._index]
        return np.array(sorted(map(self._index.__getitem__, usual)), np.int32) if usual else self._all

    def hash(self, sentence: Sentence, candidates: Sequence[Heads] | None = None) -> HashedWords:
        """Hash the words of a sentence; unless given, their candidates are those of `candidates`."""
        hashes = self._reader.read(sentence)
        if candidates is None:
            candidates = self.candidates(sentence)
        starts = np.zeros(len(candidates) + 1, np.int32)
        np.cumsum([len(tags) for tags in candidates], out=starts[1:])
        return HashedWords(
            emission=hash_side(hashes, self._emission),
            transition=hash_side(hashes, self._transition),
            candidates=np.concatenate(candidates),
            starts=starts,
            **self.tables,
        )

    @property
    def tables(self) -> dict[str, Array]:
        """What hashed words of every sentence have: the seeds of tags, and the values of tags."""
        return {
            "seeds": self._seeds,
            "values": self._values,
            "value_starts": self._value_starts,
            "value_seeds": self._value_seeds,
        }

    def tag_indices(self, sentence: Sentence) -> Heads:
        """Return the number of the tag of each word in this column; -1 if it is unknown."""
        return np.array([self._index.get(tag, -1) for tag in getattr(sentence, self.settings.column)], np.int32)
