"""The features in which the best candidates of each sentence differ from the others: all that margins depend on.

A *pair* (i, j) is a best candidate of sentence i with another one, j.  Its margin is F(x_{i,1}) − F(x_{i,j}), so only
the features k with h_k(x_{i,1}) − h_k(x_{i,j}) = ±1 count.  They are stored twice (Collins and Koo 2005, section 4.5):
by pair, B⁺ and B⁻ of equation 18, and by feature, A⁺ and A⁻.  An *entry* fits in four bytes: twice the number of the
feature (by feature: of the pair), plus one if the difference is −1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from treewright.arrays import Floats, Ints, Mask, Places
from treewright.errors import UsageError
from treewright.kernels import kernel
from treewright.reranking.candidates.candidates import Candidates

__all__ = ["Differences", "Importance", "Pairing", "find_differences"]

#: The importance of a pair: the difference in score (equation 11), or the same for all.
Importance = Literal["score", "uniform"]

#: Which pairs there are: one of the best candidates (`Candidates.oracle`), or each, with all worse ones or all others.
Pairing = Literal["one-worse", "one-other", "each-worse"]


@dataclass(frozen=True, eq=False)
class Differences:
    """The pairs of all sentences and the features in which they differ."""

    offsets: Ints  # where the pairs of each sentence begin: all pairs of its first best candidate, then of the next
    best_count: Ints  # of each sentence, the number of best candidates that have pairs
    others: Ints  # the second candidate of each pair
    importance: Floats  # S_{i,j} of each pair, above zero
    log_probability: Floats  # L(x_{i,1}) − L(x_{i,j}) of each pair
    pair_offsets: Ints  # where the entries of each pair begin
    entries: Places  # 2k if only the best candidate has feature k, 2k + 1 if only the other has
    feature_offsets: Ints  # where the places of each feature begin
    places: Places  # 2p if pair p is in A⁺ of the feature, 2p + 1 if it is in A⁻; increasing

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.importance)

    @property
    def feature_count(self) -> int:
        """The number of features."""
        return len(self.feature_offsets) - 1

    def margins(self, alpha: float, weights: Floats) -> Floats:
        """Compute the margin of each pair from scratch."""
        margins = alpha * self.log_probability
        _add_weights(self.pair_offsets, self.entries, np.ascontiguousarray(weights, np.float64), margins)
        return margins


def find_differences(
    candidates: Candidates, importance: Importance = "score", pairing: Pairing = "one-worse"
) -> Differences:
    """Compare the best candidates of each sentence with the others.

    Parameters
    ----------
    candidates : Candidates
        With binary features.
    importance : {"score", "uniform"}
        S_{i,j}: the difference in score, or 1.
    pairing : {"one-worse", "one-other", "each-worse"}
        Which pairs to make.  They are the same where one candidate is better than all others, as the article assumes
        (section 4.1).

    Raises
    ------
    UsageError
        If features have values other than 1, or there are no pairs.
    """
    if candidates.values is not None and (candidates.values != 1).any():
        raise UsageError(
            "this learner needs binary features: write a count as several features ('x >= 1', 'x >= 2', ...), "
            "or use the learner log-linear"
        )
    candidates.require_choices("one" if pairing == "one-other" else "all")
    is_best = candidates.is_best("all" if pairing == "each-worse" else "one")
    is_other = ~(is_best if pairing == "one-other" else candidates.is_best())
    offsets, firsts, others = _pair(candidates.offsets, is_best, is_other)
    pair_offsets = _count(candidates.feature_offsets, candidates.features, firsts, others)
    entries = _compare(candidates.feature_offsets, candidates.features, firsts, others, pair_offsets)
    feature_offsets, places = _transpose(pair_offsets, entries, candidates.feature_count)
    return Differences(
        offsets,
        np.add.reduceat(is_best, candidates.offsets[:-1], dtype=np.int64),
        others,
        candidates.score[firsts] - candidates.score[others] if importance == "score" else np.ones(len(others)),
        candidates.log_probability[firsts] - candidates.log_probability[others],
        pair_offsets,
        entries,
        feature_offsets,
        places,
    )


@kernel
def _pair(offsets: Ints, is_best: Mask, is_other: Mask) -> tuple[Ints, Ints, Ints]:
    """Pair each best candidate with the others of its sentence; return the offsets of sentences, and both of each."""
    begins = np.zeros(len(offsets), np.int64)
    for i in range(len(offsets) - 1):
        first, end = offsets[i], offsets[i + 1]
        begins[i + 1] = begins[i] + is_best[first:end].sum() * is_other[first:end].sum()
    firsts, others, place = np.empty(begins[-1], np.int64), np.empty(begins[-1], np.int64), 0
    for i in range(len(offsets) - 1):
        for b in range(offsets[i], offsets[i + 1]):
            for c in range(offsets[i], offsets[i + 1]):
                if is_best[b] and is_other[c]:
                    firsts[place], others[place] = b, c
                    place += 1
    return begins, firsts, others


@kernel
def _count(feature_offsets: Ints, features: Places, firsts: Ints, others: Ints) -> Ints:
    """Return the offsets of pairs, by the number of features in which each differs."""
    offsets = np.zeros(len(firsts) + 1, np.int64)
    for p in range(len(firsts)):
        a, a_end = feature_offsets[firsts[p]], feature_offsets[firsts[p] + 1]
        b, b_end = feature_offsets[others[p]], feature_offsets[others[p] + 1]
        number = (a_end - a) + (b_end - b)
        while a < a_end and b < b_end:
            x, y = features[a], features[b]
            number -= 2 if x == y else 0
            a += 1 if x <= y else 0
            b += 1 if y <= x else 0
        offsets[p + 1] = offsets[p] + number
    return offsets


@kernel
def _compare(feature_offsets: Ints, features: Places, firsts: Ints, others: Ints, offsets: Ints) -> Places:
    """Return the entries of each pair, in the order of their features."""
    entries = np.empty(offsets[-1], np.int32)
    for p in range(len(firsts)):
        a, a_end = feature_offsets[firsts[p]], feature_offsets[firsts[p] + 1]
        b, b_end = feature_offsets[others[p]], feature_offsets[others[p] + 1]
        place = offsets[p]
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and features[a] < features[b]):
                entries[place] = 2 * features[a]
                place += 1
                a += 1
            elif a == a_end or features[b] < features[a]:
                entries[place] = 2 * features[b] + 1
                place += 1
                b += 1
            else:
                a += 1
                b += 1
    return entries


@kernel
def _add_weights(offsets: Ints, entries: Places, weights: Floats, margins: Floats) -> None:
    """Add to the margin of each pair the weights of the features in which it differs."""
    for p in range(len(margins)):
        total = 0.0
        for place in range(offsets[p], offsets[p + 1]):
            weight = weights[entries[place] >> 1]
            total += -weight if entries[place] & 1 else weight
        margins[p] += total


@kernel
def _transpose(offsets: Ints, entries: Places, feature_count: int) -> tuple[Ints, Places]:
    """Sort the entries of pairs by feature."""
    begins = np.zeros(feature_count + 1, np.int64)
    for e in entries:
        begins[(e >> 1) + 1] += 1
    for k in range(feature_count):
        begins[k + 1] += begins[k]
    places = np.empty(len(entries), np.int32)
    filled = begins.copy()
    for p in range(len(offsets) - 1):
        for place in range(offsets[p], offsets[p + 1]):
            k = entries[place] >> 1
            places[filled[k]] = 2 * p + (entries[place] & 1)
            filled[k] += 1
    return begins, places
