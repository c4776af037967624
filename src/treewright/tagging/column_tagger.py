"""The tagger of one column: the best tags of a sentence, the k best, and their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats, Heads, Mask, Singles
from treewright.features.weights import Weights
from treewright.tagging.column import ColumnFeatures
from treewright.tagging.lattice import k_best_tags, tag_marginals
from treewright.tagging.sequence import HashedWords, best_tags, emission_scores, promising
from treewright.treebank import Sentence

__all__ = ["MOST", "NOTHING", "ColumnTagger", "OwnTags"]

#: A sentence as the tagger sees it, the emission scores of the candidates, and which of them its words have.
OwnTags = tuple[HashedWords, Singles, Mask]

#: The most candidates of a word between which its neighbours decide.
MOST = 32

#: No tags.
NOTHING = np.empty(0, np.int32)


@dataclass(frozen=True)
class ColumnTagger:
    """Tags one column of sentences, given the columns before it.

    Where a method takes ``candidates``, they are the numbers of the tags that each word may have; unless given, those
    seen with its tags in the columns before.  A candidate of -1 stands for the tag that the word has, which is unknown.

    Attributes
    ----------
    temperature : float
        What scores are divided by to be log-probabilities.
    """

    features: ColumnFeatures
    weights: Weights
    temperature: float = 1.0

    @property
    def name(self) -> str:
        """The column of a sentence that is tagged."""
        return self.features.settings.column

    def tag(self, sentence: Sentence, candidates: Sequence[Heads] | None = None) -> list[str]:
        """Find the best tags."""
        hashed = self.features.hash(sentence, candidates)
        best = best_tags(hashed, self.weights.table, self.features.mask, MOST, NOTHING, 0.0)
        return self._texts(sentence, best)

    def k_best(
        self, sentence: Sentence, k: int, candidates: Sequence[Heads] | None = None
    ) -> list[tuple[list[str], float]]:
        """Find the k best sequences of tags, best first, each with its log-probability; all if they are fewer."""
        hashed, emission = self._states(sentence, candidates)
        rows, scores = k_best_tags(hashed, emission, self.weights.table, self.features.mask, self._factor, k)
        log_total, _ = self._marginals(hashed, emission, self._factor)
        logs = np.minimum(scores - log_total, 0.0).tolist()
        return [(self._texts(sentence, row), log) for row, log in zip(rows, logs, strict=True)]

    def probabilities(self, sentence: Sentence, candidates: Sequence[Heads] | None = None) -> list[dict[str, float]]:
        """Compute the probability of each promising tag of each word, whatever the tags of the others."""
        hashed, emission = self._states(sentence, candidates)
        _, shares = self._marginals(hashed, emission, self._factor)
        tags = self.features.tags
        return [
            {
                tags[number] if number >= 0 else getattr(sentence, self.name)[word]: share
                for number, share in zip(hashed.candidates[a:b].tolist(), shares[a:b].tolist(), strict=True)
            }
            for word, (a, b) in enumerate(zip(hashed.starts[:-1], hashed.starts[1:], strict=True))
        ]

    def confidence(self, sentence: Sentence, candidates: Sequence[Heads] | None = None) -> Floats:
        """Compute the probability of the tag that each word has; 0 if that is no candidate."""
        return self.confidence_at(self.temperature, self.own_tags(sentence, candidates))

    def own_tags(self, sentence: Sentence, candidates: Sequence[Heads] | None = None) -> OwnTags:
        """Hash a sentence, and mark which of the candidates its words have, so as to ask about them repeatedly."""
        own = self.features.tag_indices(sentence)
        hashed, emission = self._states(sentence, candidates, own)
        return hashed, emission, hashed.candidates == np.repeat(own, np.diff(hashed.starts))

    def confidence_at(self, temperature: float, words: OwnTags) -> Floats:
        """Compute what `confidence` does, at any temperature."""
        hashed, emission, is_own = words
        _, shares = self._marginals(hashed, emission, self.weights.scale / temperature)
        return np.add.reduceat(np.where(is_own, shares, 0.0), hashed.starts[:-1])

    @property
    def _factor(self) -> float:
        return self.weights.scale / self.temperature

    def _states(
        self, sentence: Sentence, candidates: Sequence[Heads] | None, own: Heads | None = None
    ) -> tuple[HashedWords, Singles]:
        """Hash a sentence, score what each word may have, and leave what is promising; and its own tag, if given."""
        hashed = self.features.hash(sentence, candidates)
        emission = emission_scores(hashed, self.weights.table, self.features.mask)
        return promising(hashed, emission, MOST, NOTHING if own is None else own)

    def _marginals(self, hashed: HashedWords, emission: Singles, factor: float) -> tuple[float, Floats]:
        return tag_marginals(hashed, emission, self.weights.table, self.features.mask, factor)

    def _texts(self, sentence: Sentence, numbers: Heads) -> list[str]:
        tags, own = self.features.tags, getattr(sentence, self.name)
        return [tags[number] if number >= 0 else own[word] for word, number in enumerate(numbers.tolist())]
