"""The features of labelled dependency arcs: set up for a treebank, then sentences in, scores out."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.features import arc_templates, arcs
from treewright.features.attributes import AttributeReader, informative_attributes
from treewright.features.templates import attributes_of, hash_side, parse_templates, usable_templates
from treewright.features.vocabulary import Vocabulary
from treewright.features.weights import Weights
from treewright.inference import Scores

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["DependencyFeatures", "FeatureSettings"]

#: Tags that are told apart between the ends of an arc; the rest count as one.
BETWEEN_TAGS = 63

#: Kinds of words that are counted between the ends of an arc.
COUNTED = (("VERB", "AUX"), ("PUNCT",), ("CCONJ", "SCONJ"))


@dataclass(frozen=True)
class FeatureSettings:
    """What a set of features is made of; plain data, stored in the model file.

    Attributes
    ----------
    labels, tags : sequence of str
        The relations, and the coarse tags told apart between the ends of an arc.
    arc_alone, arc_pair, between, label_alone, label_pair : sequence of str
        The templates.
    arc_bits, label_bits : int
        Two to this power is the size of each table of weights.
    """

    labels: Sequence[str]
    tags: Sequence[str]
    arc_alone: Sequence[str]
    arc_pair: Sequence[str]
    between: Sequence[str]
    label_alone: Sequence[str]
    label_pair: Sequence[str]
    arc_bits: int = 22
    label_bits: int = 22

    @classmethod
    def of(
        cls, sentences: Sequence[Sentence], ignored: Collection[str] = (), bits: int | None = None
    ) -> FeatureSettings:
        """Choose what suits a treebank.

        Parameters
        ----------
        sentences : sequence of Sentence
        ignored : collection of str
            Attributes not to be used though the treebank has them, such as ``lemma`` where the
            text to be parsed will have none.
        bits : int, optional
            The size of both tables; chosen by the size of the treebank when not given.
        """
        available = informative_attributes(sentences) - set(ignored)
        bits = bits or table_bits(sum(map(len, sentences)))
        tags = Counter(tag for sentence in sentences for tag in sentence.upos)
        labels = sorted({label for sentence in sentences for label in sentence.deprels})

        def usable(templates: Iterable[str], otherwise: str) -> list[str]:
            return usable_templates(templates, available, arc_templates.INSTEAD) or [otherwise]

        return cls(
            labels=labels,
            tags=[tag for tag, _ in tags.most_common(BETWEEN_TAGS)],
            arc_alone=usable(arc_templates.ARC_ALONE, "word"),
            arc_pair=usable(arc_templates.ARC_PAIR, "word | word"),
            between=usable(arc_templates.BETWEEN, "shape | shape"),
            label_alone=usable(arc_templates.LABEL_ALONE, "word"),
            label_pair=usable(arc_templates.LABEL_PAIR, "word | word"),
            arc_bits=bits,
            label_bits=bits,
        )


def table_bits(words: int) -> int:
    """Choose the size of a weight table: about sixteen places for each training word, at most 2²².

    Examples
    --------
    >>> table_bits(204_577), table_bits(10_000)
    (22, 18)
    """
    return min(22, max(16, (16 * words).bit_length()))


class DependencyFeatures:
    """Scores labelled arcs, and lists their features for learning.

    Parameters
    ----------
    settings : FeatureSettings
    vocabulary : Vocabulary
    """

    def __init__(self, settings: FeatureSettings, vocabulary: Vocabulary) -> None:
        self.settings = settings
        self.vocabulary = vocabulary
        self.labels = list(settings.labels)
        lists = (settings.arc_pair, settings.arc_alone, settings.between, settings.label_pair, settings.label_alone)
        names = sorted(attributes_of(template for templates in lists for template in templates))
        self._reader = AttributeReader(names, vocabulary.attributes)
        self._sides = [
            side
            for templates, salts in (
                (settings.arc_pair, ["arc"]),
                (settings.arc_alone, ["head", "modifier"]),
                (settings.between, ["between"]),
                (settings.label_pair, ["label"]),
                (settings.label_alone, ["label of head", "label of modifier"]),
            )
            for salt in salts
            for side in parse_templates(templates, names, salt)
        ]
        self._label_index = {label: index for index, label in enumerate(self.labels)}
        self._tag_index = {tag: index + 1 for index, tag in enumerate(settings.tags)}
        self._tag_seeds = np.array([zlib.crc32(b"between %d" % i) for i in range(BETWEEN_TAGS + 1)], np.uint32)
        self._layout = (
            np.uint32((1 << settings.arc_bits) - 1),
            1 << settings.arc_bits,
            np.uint32(((1 << settings.label_bits) - 1) & -arcs.ALIGNMENT),
        )

    @classmethod
    def of(cls, sentences: Sequence[Sentence], **choices: Any) -> DependencyFeatures:
        """Set up features for a treebank (see `FeatureSettings.of`)."""
        return cls(FeatureSettings.of(sentences, **choices), Vocabulary.of(sentences))

    def to_dict(self) -> dict[str, Any]:
        """Describe the features as plain data (the vocabulary is an array of its own)."""
        return asdict(self.settings)

    @property
    def size(self) -> int:
        """The number of weights: both tables, and room for the last row of labels."""
        _, label_offset, label_mask = self._layout
        return label_offset + int(label_mask) + len(self.labels) + 2 * arcs.ALIGNMENT

    def hash(self, sentence: Sentence) -> arcs.HashedSentence:
        """Hash everything that the features of a sentence are made of."""
        hashes = self._reader.read(sentence)
        sides = (hash_side(hashes, side) for side in self._sides)
        tags = np.zeros(len(sentence) + 1, np.uint8)
        tags[1:] = [self._tag_index.get(tag, 0) for tag in sentence.upos]
        counts = np.zeros((len(sentence) + 1, len(COUNTED)), np.int32)
        for kind, counted in enumerate(COUNTED):
            counts[1:, kind] = np.cumsum([tag in counted for tag in sentence.upos])
        return arcs.HashedSentence._make((*sides, tags, self._tag_seeds, counts))

    def score(self, hashed: arcs.HashedSentence, weights: Weights) -> Scores:
        """Score every arc of a sentence, and every label of every arc."""
        size = len(hashed.tags)
        arc = np.empty((size, size), np.float32)
        label = np.empty((size, size, len(self.labels)), np.float32)
        arcs.score(hashed, weights.values, *self._layout, weights.scale, arc, label)
        return Scores(arc=arc, label=label)

    def gradient(
        self, hashed: arcs.HashedSentence, labelled_arcs: npt.NDArray[np.int32], coefficients: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """List the features of labelled arcs with their coefficients (see `arcs.gradient`)."""
        return arcs.gradient(hashed, labelled_arcs, coefficients, *self._layout)

    def label_indices(self, deprels: Sequence[str]) -> npt.NDArray[np.int32]:
        """Give the number of each relation of a sentence, -1 for the root and for one never seen."""
        return np.array([-1, *(self._label_index.get(label, -1) for label in deprels)], np.int32)
