"""The features of dependency trees, set up for a treebank: sentences in, part scores and gradients of weights out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from treewright.arrays import Array, Arrays, Heads, Ints, Places, Real, Singles
from treewright.features import arcs, higher
from treewright.features.arc_places import FAMILY
from treewright.features.generative import GenerativeModels
from treewright.features.hashing import Hashed, Hasher
from treewright.features.hooks import Proposal
from treewright.features.lexicon import TOP_WORDS, Lexicon, WordClusters
from treewright.features.settings import HEADS_OF_NON_LOCAL, HIGHER, FeatureSettings
from treewright.features.weights import Weights
from treewright.inference import Factors, Parts, Scores
from treewright.inference.bounds.non_local import NON_LOCAL
from treewright.inference.kinds import PartKind
from treewright.inference.parts import all_parts

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["DependencyFeatures", "WeightedParts"]

#: Parts, one row of words for each, and the coefficient of each.
WeightedParts: TypeAlias = tuple[Ints, Singles]


class DependencyFeatures:
    """Scores the parts of trees, and lists their features for learning.

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
        self._hasher = Hasher(settings, lexicon)
        self._label_index = {label: index for index, label in enumerate(self.labels)}
        label_offset = 1 << settings.arc_bits
        label_mask = ((1 << settings.label_bits) - 1) & -arcs.ALIGNMENT if self.labels else 0
        self._first_order = label_offset + label_mask + len(self.labels) + 2 * arcs.ALIGNMENT  # the last row fits
        higher_offset = self._first_order + -self._first_order % FAMILY
        self._regions = arcs.Regions(
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
            The number of words, the most frequent ones, that have features of their form.  By default all have, except
            in features of a word and a cluster (`TOP_WORDS`).
        choices
            See `FeatureSettings.of`.
        """
        lexicon = Lexicon.of(sentences, clusters=clusters, top_words=top_words or TOP_WORDS)
        choices |= {"clusters": clusters is not None, "frequent_only": top_words is not None}
        return cls(FeatureSettings.of(sentences, **choices), lexicon)

    def with_models(self, generative: GenerativeModels | None) -> DependencyFeatures:
        """Return the same features, together with generative models of arcs."""
        return DependencyFeatures(self.settings, self.lexicon, generative)

    def __reduce__(self) -> tuple[type[DependencyFeatures], tuple[Any, ...]]:
        return type(self), (self.settings, self.lexicon, self.generative)  # so that workers can have them

    def describe(self, *, lexicon: bool = True) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what a model file holds of the features, less a lexicon that another part of the model describes."""
        manifest: dict[str, Any] = {"features": asdict(self.settings)}
        arrays: dict[str, Array] = {}
        if lexicon:
            words, arrays = self.lexicon.describe()
            manifest |= words
        if self.generative is not None:
            manifest["generative"], models = self.generative.describe()
            arrays |= models
        return manifest, arrays

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays, lexicon: Lexicon | None = None) -> DependencyFeatures:
        """Rebuild the features that `describe` described, with their own lexicon or a shared one."""
        lexicon = lexicon or Lexicon.restore(manifest, arrays)
        generative = GenerativeModels.restore(manifest["generative"], arrays) if "generative" in manifest else None
        return cls(FeatureSettings(**manifest["features"]), lexicon, generative)

    @property
    def size(self) -> int:
        """The number of weights."""
        return self._indicators + (len(self.generative) if self.generative else 0)

    @property
    def _indicators(self) -> int:
        """The number of weights of indicator features, which come before the real-valued ones."""
        if not self._hasher.higher and not self.has_factors:
            return self._first_order
        return self._regions.higher_offset + int(self._regions.higher_mask) + 1

    def hash(self, sentence: Sentence) -> Hashed:
        """Hash everything that the features of a sentence depend on."""
        return self._hasher.hash(sentence)

    def score(self, hashed: Hashed, weights: Weights, parts: Parts | None = None) -> Scores:
        """Score the parts of a sentence that survive pruning, and every label of every arc.

        Without ``parts``, all arcs are scored, and all parts if there are features of larger parts.
        """
        n = len(hashed.arcs.tags) - 1
        dtype = weights.values.dtype if weights.values.dtype == np.float64 else np.float32
        if parts is None and (self._hasher.higher or self.has_factors):
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

    def score_arcs(self, hashed: Hashed, weights: Weights, rows: Ints) -> Array:
        """Score some arcs, rows (h, m), without labels.

        Arcs of one head on one side must be adjacent, the nearest first.
        """
        dtype = weights.values.dtype if weights.values.dtype == np.float64 else np.float32
        heads, modifiers = rows.T.copy()
        listed = arcs.Arcs(heads, modifiers, np.arange(len(rows)))
        return self._score_arcs(hashed, weights, listed, len(rows), dtype)["arc"]

    def _score_arcs(
        self, hashed: Hashed, weights: Weights, listed: arcs.Arcs, rows: int, dtype: Any
    ) -> dict[str, Array]:
        """Score arcs and their labels; rows that are no arcs are forbidden."""
        arc, label = np.full(rows, -np.inf, dtype), np.zeros((rows, len(self.labels)), dtype)
        arcs.score(hashed.arcs, weights.table, self._regions, weights.scale, listed, arc, label)
        if self.generative is not None:
            v, added = Weights(weights.values[self._indicators :], weights.scale).decoded(), np.zeros(len(listed.rows))
            self.generative.add_scores(hashed.arcs, v, np.column_stack([listed.heads, listed.modifiers]), added)
            arc[listed.rows] += added
        return {"arc": arc, "label": label} if self.labels else {"arc": arc}

    def _score_higher(self, hashed: Hashed, weights: Weights, parts: Parts, dtype: Any) -> dict[str, Any]:
        scores: dict[str, Any] = {}
        for name in self._hasher.higher:
            kind = HIGHER[name]
            rows = _words(kind, parts.rows(kind), parts.n)
            if kind not in scores:
                scores[kind] = np.zeros(len(rows), dtype)
            chosen = hashed.chosen(name, rows)
            if chosen is None:
                self._add_higher(hashed, weights, name, rows, kind.head, parts.projective, scores[kind])
            else:
                added = np.zeros(len(chosen), dtype)
                self._add_higher(hashed, weights, name, rows[chosen], kind.head, parts.projective, added)
                scores[kind][chosen] += added
        return scores

    def _add_higher(
        self, hashed: Hashed, weights: Weights, name: str, rows: Ints, head: int, planar: bool, scores: Real
    ) -> None:
        """Add to the scores of parts the weights of their features under one list of templates."""
        table = weights.table, *self._higher_region, weights.scale
        higher.add_scores(hashed.higher[name], rows, head, planar, *table, scores)

    @property
    def _higher_region(self) -> tuple[int, np.uint32]:
        """Where the features of larger parts begin in the table of weights, and the mask of their hashes."""
        return self._regions.higher_offset, self._regions.higher_mask

    def factors(self, hashed: Hashed, weights: Weights, parts: Parts, proposed: Proposal | None = None) -> Factors:
        """Score the non-local factors that surviving arcs make up, and those that hooks propose."""
        scored = []
        if proposed is not None:
            scored.append(proposed.scored(weights, self._regions.higher_offset, int(self._regions.higher_mask)))
        for kind in self._hasher.non_local:
            listed, head = NON_LOCAL[kind](parts), HEADS_OF_NON_LOCAL[kind]
            scores = np.zeros(len(listed.words), np.float32)
            self._add_higher(hashed, weights, kind, listed.words, head, parts.projective, scores)
            scored.append(listed.factors.scored(scores))
        return Factors.together(scored)

    @property
    def non_local(self) -> list[str]:
        """The kinds of non-local factors that are scored."""
        return list(self._hasher.non_local)

    @property
    def has_factors(self) -> bool:
        """Whether there are factors that are no parts of a factorization: non-local ones, or those of hooks."""
        return bool(self._hasher.non_local or self.settings.hooks)

    def gradient(
        self, hashed: Hashed, parts: Mapping[str, WeightedParts], proposed: Proposal | None = None
    ) -> tuple[Places, Singles]:
        """Compute the gradient, with respect to the weights, of the sum of coefficient times score over some parts.

        That is a list of the features of the parts, each with the coefficient of its part.

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
            Where the gradient is not zero; a place may occur more than once.
        values : float32 array
            What to add at each place.
        """
        lists = []
        if "arc" in parts:
            lists.append(arcs.list_arc_features(hashed.arcs, self._regions, *parts["arc"]))
            if self.generative is not None:
                places = np.arange(self._indicators, self.size, dtype=np.int32)
                lists.append((places, self.generative.gradient(hashed.arcs, *parts["arc"])))
        if "label" in parts and self.labels:
            lists.append(arcs.list_label_features(hashed.arcs, self._regions, *parts["label"]))
        for name in (name for name in self._hasher.non_local if name in parts):
            rows, coefficients = parts[name]
            head = HEADS_OF_NON_LOCAL[name]
            lists.append(higher.list_features(hashed.higher[name], rows, head, *self._higher_region, coefficients))
        for name in (name for name in self._hasher.higher if HIGHER[name] in parts):
            kind = HIGHER[name]
            rows, coefficients = parts[kind]
            rows = _words(kind, rows, len(hashed.arcs.tags) - 1)
            chosen = hashed.chosen(name, rows)
            if chosen is not None:
                rows, coefficients = rows[chosen], coefficients[chosen]
            lists.append(higher.list_features(hashed.higher[name], rows, kind.head, *self._higher_region, coefficients))
        if proposed is not None:
            hashes, coefficients = proposed.features(*parts["hooks"])
            hooked = self._regions.higher_offset + (hashes & int(self._regions.higher_mask))
            lists.append((hooked.astype(np.int32), coefficients))
        listed, values = zip(*lists, strict=True)
        return np.concatenate(listed), np.concatenate(values)

    def label_indices(self, deprels: Sequence[str]) -> Heads:
        """Return the number of each relation of a sentence, -1 for the root and for unknown relations."""
        return np.array([-1, *(self._label_index.get(label, -1) for label in deprels)], np.int32)


def _words(kind: str, rows: Ints, n: int) -> Ints:
    """Return parts as rows of words: the side of a last modifier becomes the root, or the word after the last."""
    return np.column_stack([rows[:, :2], (n + 1) * rows[:, 2]]) if kind == PartKind.LAST else rows


@lru_cache(maxsize=64)
def _all_arcs(n: int) -> arcs.Arcs:
    """List all arcs in the order in which they are scored, with their rows in a dense array."""
    h, m = np.divmod(np.arange((n + 1) ** 2), n + 1)
    order = np.lexsort((abs(m - h), m > h, h))
    order = order[(m[order] > 0) & (m[order] != h[order])]
    return arcs.Arcs(h[order], m[order], order)
