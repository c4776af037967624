"""The features of dependency trees: set up for a treebank, then sentences in, part scores out.

And, for learning, the other way: parts with coefficients in, the gradient of the sum of coefficient times score out.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.features import arcs, higher
from treewright.features.arc_places import FAMILY, HashedArcs
from treewright.features.attributes import PAD, AttributeReader
from treewright.features.generative import GenerativeModels
from treewright.features.hooks import Proposal
from treewright.features.lexicon import TOP_WORDS, Lexicon, WordClusters
from treewright.features.settings import BETWEEN_TAGS, HEADS_OF_NON_LOCAL, HIGHER, FeatureSettings
from treewright.features.templates import HASH, Side, hash_side, hash_side_into, parse_templates
from treewright.features.weights import Weights
from treewright.inference import Factors, Parts, Scores
from treewright.inference.non_local import NON_LOCAL
from treewright.inference.parts import all_parts
from treewright.inference.scores import RANKS

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["DependencyFeatures", "Hashed", "WeightedParts"]

#: Parts, one row of words for each, and the coefficient of each.
WeightedParts = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]

#: Kinds of words that are counted between the ends of an arc.
COUNTED = (("VERB", "AUX"), ("PUNCT",), ("CCONJ", "SCONJ"))


@dataclass(frozen=True, slots=True)
class Hashed:
    """A sentence as features see it: hashes of first-order and of higher-order sides, and where conjunctions are."""

    arcs: HashedArcs
    higher: dict[str, npt.NDArray[np.uint32]]
    conjunctions: npt.NDArray[np.bool_]

    def chosen(self, name: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64] | None:
        """Choose the parts that a list of templates is about: all (None), or those with a conjunction as s or m."""
        if name != "coordination":
            return None
        h, s, m = rows[:, 1], rows[:, 2], rows[:, 3]
        return np.flatnonzero(self.conjunctions[m] | (self.conjunctions[s] & (s != h)))  # s = h: there is no s


class DependencyFeatures:
    """Scores parts of trees, and lists their features for learning.

    Parameters
    ----------
    settings : FeatureSettings
    lexicon : Lexicon
    generative : GenerativeModels, optional
        Real-valued features of arcs, one weight v_j for each.
    """

    def __init__(self, settings: FeatureSettings, lexicon: Lexicon, generative: GenerativeModels | None = None) -> None:
        self.settings = settings
        self.lexicon = lexicon
        self.generative = generative
        self.labels = list(settings.labels)
        first_order = (
            (settings.arc_pair, ["arc"], 2),
            (settings.arc_alone, ["head", "modifier"], 1),
            (settings.between, ["between"], 2),
            (settings.label_pair, ["label"], 2),
            (settings.label_alone, ["label of head", "label of modifier"], 1),
        )
        names = sorted(settings.attributes)
        self._reader = AttributeReader(names, lexicon.attributes)
        self._sides = [
            side
            for templates, salts, count in first_order
            for salt in salts
            for side in parse_templates(templates, names, salt, count)
        ]
        self._higher: dict[str, list[Side]] = {
            name: parse_templates(getattr(settings, name), names, name, RANKS[kind])
            for name, (kind, _) in HIGHER.items()
            if getattr(settings, name)
        }
        self._non_local = {
            kind: parse_templates(templates, names, f"all {kind}") for kind, templates in settings.non_local.items()
        }
        self._label_index = {label: index for index, label in enumerate(self.labels)}
        self._tag_index = {tag: index + 1 for index, tag in enumerate(settings.tags)}
        self._tag_seeds = np.array([zlib.crc32(b"between %d" % i) for i in range(BETWEEN_TAGS + 1)], np.uint32)
        label_offset = 1 << settings.arc_bits
        label_mask = ((1 << settings.label_bits) - 1) & -arcs.ALIGNMENT if self.labels else 0
        self._first_order = label_offset + label_mask + len(self.labels) + 2 * arcs.ALIGNMENT  # room for the last row
        higher_offset = self._first_order + -self._first_order % FAMILY
        self._layout = arcs.Layout(
            np.uint32(label_offset - 1),
            np.uint32(label_mask),
            label_offset,
            np.uint32((1 << settings.higher_bits) - 1),
            higher_offset,
        )

    @classmethod
    def of(
        cls,
        sentences: Sequence[Sentence],
        *,
        clusters: WordClusters | None = None,
        top_words: int | None = None,
        **choices: Any,
    ) -> DependencyFeatures:
        """Set up features for a treebank.

        Parameters
        ----------
        sentences : sequence of Sentence
        clusters : WordClusters, optional
            The bit string of each word; adds features of them.
        top_words : int, optional
            How many words, the most frequent, have features of their form; all unless given, but for features that
            look at a word and a cluster (`TOP_WORDS`).
        choices
            Those of `FeatureSettings.of`.
        """
        lexicon = Lexicon.of(sentences, clusters=clusters, top_words=top_words or TOP_WORDS)
        choices |= {"clusters": clusters is not None, "frequent_only": top_words is not None}
        return cls(FeatureSettings.of(sentences, **choices), lexicon)

    def with_models(self, generative: GenerativeModels | None) -> DependencyFeatures:
        """Give the same features, with generative models of arcs beside them."""
        return DependencyFeatures(self.settings, self.lexicon, generative)

    def __reduce__(self) -> tuple[type[DependencyFeatures], tuple[Any, ...]]:
        return type(self), (self.settings, self.lexicon, self.generative)  # so that workers can have them

    def to_dict(self) -> dict[str, Any]:
        """Describe the features as plain data (the lexicon is apart)."""
        return asdict(self.settings)

    @property
    def size(self) -> int:
        """The number of weights."""
        return self._indicators + (len(self.generative) if self.generative else 0)

    @property
    def _indicators(self) -> int:
        """The number of weights of features that are there or not: the others come after them."""
        if not self._higher and not self.has_factors:
            return self._first_order
        return self._layout.higher_offset + int(self._layout.higher_mask) + 1

    def hash(self, sentence: Sentence) -> Hashed:
        """Hash everything that the features of a sentence are made of."""
        hashes = self._reader.read(sentence)
        sides = (hash_side(hashes, side) for side in self._sides)
        upos = self._tags(sentence)
        tags = np.zeros(len(sentence) + 1, np.uint8)
        tags[1:] = [self._tag_index.get(tag, 0) for tag in upos]
        counts = np.zeros((len(sentence) + 1, len(COUNTED)), np.int32)
        for kind, counted in enumerate(COUNTED):
            counts[1:, kind] = np.cumsum([tag in counted for tag in upos])
        hashed = HashedArcs._make((*sides, tags, self._tag_seeds, counts))
        conjunctions = np.array([False, *(tag == "CCONJ" for tag in upos)])
        larger = {
            name: _hash_higher(hashes, sides)
            for name, sides in itertools.chain(self._higher.items(), self._non_local.items())
        }
        return Hashed(hashed, larger, conjunctions)

    def _tags(self, sentence: Sentence) -> Sequence[str]:
        """Give the tags of words between the ends of an arc, or what stands for them."""
        clusters = self.lexicon.clusters
        if not self.settings.bits_as_tags or clusters is None:
            return sentence.upos if self.settings.tags else [""] * len(sentence)
        return [clusters[form][:4] for form in sentence.forms]

    def score(self, hashed: Hashed, weights: Weights, parts: Parts | None = None) -> Scores:
        """Score the parts of a sentence, and every label of every arc.

        Parameters
        ----------
        hashed : Hashed
        weights : Weights
        parts : Parts, optional
            The parts that survive pruning.  All arcs where not given, and all parts if there are features of more
            than arcs.
        """
        n = len(hashed.arcs.tags) - 1
        dtype = weights.values.dtype if weights.values.dtype == np.float64 else np.float32
        if parts is None and (self._higher or self.has_factors):
            parts = all_parts(n)
        if parts is None:
            scores = self._score_arcs(hashed, weights, _all_arcs(n), (n + 1) ** 2, dtype)
            return Scores(
                **{name: array.reshape(n + 1, n + 1, *array.shape[1:]) for name, array in scores.items()}, parts=None
            )
        count = len(parts.arc)
        listed = arcs.Arcs(parts.arcs.heads[:-1], parts.arcs.modifiers[:-1], np.arange(count))
        scores = self._score_arcs(hashed, weights, listed, count, dtype)
        return Scores(parts=parts, **scores, **self._score_higher(hashed, weights, parts, dtype))

    def _score_arcs(
        self, hashed: Hashed, weights: Weights, listed: arcs.Arcs, rows: int, dtype: Any
    ) -> dict[str, npt.NDArray[Any]]:
        """Score arcs and their labels; a row that is no arc is forbidden."""
        arc, label = np.full(rows, -np.inf, dtype), np.zeros((rows, len(self.labels)), dtype)
        arcs.score(hashed.arcs, weights.values, self._layout, weights.scale, listed, arc, label)
        if self.generative is not None:
            v, added = Weights(weights.values[self._indicators :], weights.scale).decoded(), np.zeros(len(listed.rows))
            self.generative.add_scores(hashed.arcs, v, np.column_stack([listed.heads, listed.modifiers]), added)
            arc[listed.rows] += added
        return {"arc": arc, "label": label} if self.labels else {"arc": arc}

    def _score_higher(self, hashed: Hashed, weights: Weights, parts: Parts, dtype: Any) -> dict[str, Any]:
        scores: dict[str, Any] = {}
        for name in self._higher:
            (kind, head), sides = HIGHER[name], hashed.higher[name]
            rows = _words(kind, getattr(parts, kind), parts.n)
            if kind not in scores:
                scores[kind] = np.zeros(len(rows), dtype)
            chosen = hashed.chosen(name, rows)
            added = scores[kind] if chosen is None else np.zeros(len(chosen), dtype)
            layout = self._layout.higher_offset, self._layout.higher_mask
            chosen_rows = rows if chosen is None else rows[chosen]
            planar = parts.projective
            higher.add_scores(sides, chosen_rows, head, planar, weights.values, *layout, weights.scale, added)
            if chosen is not None:
                scores[kind][chosen] += added
        return scores

    def factors(self, hashed: Hashed, weights: Weights, parts: Parts, proposed: Proposal | None = None) -> Factors:
        """Score the non-local factors that surviving arcs make up, and those that hooks propose."""
        scored = []
        if proposed is not None:
            scored.append(proposed.scored(weights, self._layout.higher_offset, int(self._layout.higher_mask)))
        for kind in self._non_local:
            listed, head = NON_LOCAL[kind](parts), HEADS_OF_NON_LOCAL[kind]
            scores = np.zeros(len(listed.words), np.float32)
            layout = self._layout.higher_offset, self._layout.higher_mask
            table = weights.values, *layout, weights.scale
            higher.add_scores(hashed.higher[kind], listed.words, head, parts.projective, *table, scores)
            scored.append(listed.factors.scored(scores))
        return Factors.together(scored)

    @property
    def non_local(self) -> list[str]:
        """The kinds of non-local factors that are scored."""
        return list(self._non_local)

    @property
    def has_factors(self) -> bool:
        """Whether factors are scored that are no parts of a factorization: non-local ones, or those of hooks."""
        return bool(self._non_local or self.settings.hooks)

    def gradient(
        self, hashed: Hashed, parts: Mapping[str, WeightedParts], proposed: Proposal | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """List the features of parts, each with the coefficient of its part.

        Parameters
        ----------
        hashed : Hashed
        parts : mapping
            For each kind of part, rows of words and a coefficient for each; rows of ``label`` are (h, m, label),
            those of ``hooks`` the number of a factor.
        proposed : Proposal, optional
            What hooks have proposed.

        Returns
        -------
        places : int32 array
        values : float32 array
            The gradient of the sum of coefficient times score; a place may occur more than once.
        """
        lists = []
        if "arc" in parts:
            lists.append(arcs.list_arc_features(hashed.arcs, self._layout, *parts["arc"]))
            if self.generative is not None:
                places = np.arange(self._indicators, self.size, dtype=np.int32)
                lists.append((places, self.generative.gradient(hashed.arcs, *parts["arc"])))
        if "label" in parts and self.labels:
            lists.append(arcs.list_label_features(hashed.arcs, self._layout, *parts["label"]))
        for kind, sides in ((kind, hashed.higher[kind]) for kind in self._non_local if kind in parts):
            layout = self._layout.higher_offset, self._layout.higher_mask
            rows, coefficients = parts[kind]
            lists.append(higher.list_features(sides, rows, HEADS_OF_NON_LOCAL[kind], *layout, coefficients))
        for name in self._higher:
            (kind, head), sides = HIGHER[name], hashed.higher[name]
            if kind in parts:
                rows, coefficients = parts[kind]
                rows = _words(kind, rows, len(hashed.arcs.tags) - 1)
                chosen = hashed.chosen(name, rows)
                if chosen is not None:
                    rows, coefficients = rows[chosen], coefficients[chosen]
                layout = self._layout.higher_offset, self._layout.higher_mask
                lists.append(higher.list_features(sides, rows, head, *layout, coefficients))
        if proposed is not None:
            hashes, coefficients = proposed.features(*parts["hooks"])
            hooked = self._layout.higher_offset + (hashes & int(self._layout.higher_mask))
            lists.append((hooked.astype(np.int32), coefficients))
        listed, values = zip(*lists, strict=True)
        return np.concatenate(listed), np.concatenate(values)

    def label_indices(self, deprels: Sequence[str]) -> npt.NDArray[np.int32]:
        """Give the number of each relation of a sentence, -1 for the root and for one never seen."""
        return np.array([-1, *(self._label_index.get(label, -1) for label in deprels)], np.int32)


def _words(kind: str, rows: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
    """Give parts as rows of words: the side of a last modifier becomes the word before the first, or after the last."""
    return np.column_stack([rows[:, :2], (n + 1) * rows[:, 2]]) if kind == "last" else rows


@lru_cache(maxsize=64)
def _all_arcs(n: int) -> arcs.Arcs:
    """List all arcs in the order that is best scored, with their rows in a dense array."""
    h, m = np.divmod(np.arange((n + 1) ** 2), n + 1)
    order = np.lexsort((abs(m - h), m > h, h))
    order = order[(m[order] > 0) & (m[order] != h[order])]
    return arcs.Arcs(h[order], m[order], order)


def _hash_higher(hashes: npt.NDArray[np.uint32], sides: Sequence[Side]) -> npt.NDArray[np.uint32]:
    """Hash all sides of templates at the root, at every word, and last at "none"."""
    hashed = np.empty((len(sides), hashes.shape[0] - 2 * PAD + 1, len(sides[0].seeds)), np.uint32)
    for k, side in enumerate(sides):
        hash_side_into(hashes, side, hashed[k])
        hashed[k, -1] = ~side.seeds & HASH
    return hashed
