"""Generative models of features, estimated from raw text: the q of SS-SCM (Suzuki et al. 2009, section 2.2).

The features of arcs are partitioned by template.  Each template j is a multinomial over its features a, whose
parameters come from expected counts on raw text (Equation 6).  Its logarithm, down-weighted by the number of times the
feature occurs at all (Equation 4), is one real-valued feature of an arc::

    θ_ja = (η − 1 + r̂_ja) / (d_j (η − 1) + Σ_a r̂_ja)          q_j(x, h, m) = Σ_a r_ja(x, h, m) log(θ_ja / c_ja)

Here r̂_ja is the expected number of tree arcs with the feature, and c_ja the number of all possible arcs with it.
Features are hashed to places as everywhere; those that share a place share its counts.  A feature that does not occur
in raw text counts as if it occurred once and in no tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arrays import Array, Arrays, Bytes, Floats, Ints, Places, Real, Singles
from treewright.features.arc_places import HashedArcs, arc_places, count_families
from treewright.kernels import inner_kernel, kernel, prefetch

__all__ = ["Counts", "GenerativeModels", "count_models"]

#: Codes, their scale and offset, and the constants: the arguments of kernels.
_Table = tuple[Bytes, np.float32, np.float32, Singles]

#: η of Equation 6: its value in all experiments of the paper.
ETA = 2.0

#: The binary logarithm of the size of the table of counts: enough for 10 million words of raw text.
TABLE_BITS = 24


def count_models(x: HashedArcs) -> int:
    """Count the templates of an arc: each family under direction, and under distance; and the tags in between."""
    return int(2 * count_families(x) + 1)


@dataclass(frozen=True)
class Counts:
    """Counts of features in raw text."""

    expected: Real  # the expected number of tree arcs that have a feature
    occurring: npt.NDArray[np.uint32]  # the number of possible arcs that have it
    # The sum of the expected counts, and the number of features, counted separately in each piece of text.
    totals: Floats
    distinct: Floats
    words: int = 0  # the number of words counted

    @classmethod
    def zero(cls, models: int, bits: int = TABLE_BITS, dtype: npt.DTypeLike = np.float64) -> Counts:
        """Start counting."""
        places = 1 << bits
        return cls(np.zeros(places, dtype), np.zeros(places, np.uint32), np.zeros(models), np.zeros(models))

    def add(self, x: HashedArcs, probabilities: Real) -> None:
        """Count the arcs of a sentence, each with its probability ``[h, m]``."""
        mask = np.uint32(len(self.expected) - 1)
        add_counts(x, mask, probabilities, self.expected, self.occurring, self.totals, self.distinct)

    def merge(self, other: Counts) -> Counts:
        """Add the counts of more text; the sum reuses the tables of this object."""
        self.expected[:] += other.expected
        self.occurring[:] += other.occurring
        sums = self.totals + other.totals, self.distinct + other.distinct
        return Counts(self.expected, self.occurring, *sums, self.words + other.words)


@dataclass(frozen=True)
class GenerativeModels:
    """The functions q_j: one real number for each template and arc.

    Attributes
    ----------
    codes : int8 array
        log((η − 1 + r̂) / c) of each place, rounded: ``offset + scale * code``.
    scale, offset : float
    constants : float32 array
        The logarithm of the denominator of Equation 6, for each template.
    factor : float
        The factor of every q_j: B of Equation 8.
    """

    codes: Bytes
    scale: float
    offset: float
    constants: Singles
    factor: float = 1.0

    @classmethod
    def of(cls, counts: Counts, eta: float = ETA) -> GenerativeModels:
        """Estimate the models from counts (Equations 4 and 6)."""
        logs = np.log((eta - 1 + counts.expected) / np.maximum(counts.occurring, 1))
        low, high = float(logs.min()), float(logs.max())
        scale = max(high - low, 1e-6) / 255
        offset = low + 128 * scale
        codes = np.rint((logs - offset) / scale).clip(-128, 127).astype(np.int8)
        # Pieces of text have features in common: together there are as many as places in use.
        distinct = counts.distinct * np.count_nonzero(counts.occurring) / max(counts.distinct.sum(), 1.0)
        constants = np.log(np.maximum(distinct, 1) * (eta - 1) + counts.totals)
        return cls(codes, scale, offset, constants.astype(np.float32))

    def __len__(self) -> int:
        return len(self.constants)

    def add_scores(self, x: HashedArcs, v: Real, arcs: Ints, scores: Real) -> None:
        """Add Σ_j v_j q_j to the score of each arc (h, m)."""
        add_generative(x, self._table(), v.astype(np.float64) * self.factor, arcs, scores)

    def gradient(self, x: HashedArcs, arcs: Ints, coefficients: Singles) -> Singles:
        """Return Σ coefficient × q_j over arcs, for each j."""
        return sum_generative(x, self._table(), arcs, coefficients) * np.float32(self.factor)

    def _table(self) -> _Table:
        return self.codes, np.float32(self.scale), np.float32(self.offset), self.constants

    def describe(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what a model file holds of the models."""
        numbers = {"scale": self.scale, "offset": self.offset, "factor": self.factor}
        return numbers, {"generative": self.codes, "generative.constants": self.constants}

    @classmethod
    def restore(cls, manifest: Mapping[str, Any], arrays: Arrays) -> GenerativeModels:
        """Rebuild the models that `describe` described."""
        codes, constants = arrays["generative"], arrays["generative.constants"]
        if codes.dtype != np.int8 or len(codes) & (len(codes) - 1) or constants.ndim != 1:
            raise ValueError("its generative models are malformed")
        scale, offset, factor = (float(manifest[name]) for name in ("scale", "offset", "factor"))
        return cls(codes, scale, offset, constants, factor)


@kernel
def add_counts(
    x: HashedArcs,
    mask: np.uint32,
    probabilities: Real,
    expected: Real,
    occurring: npt.NDArray[np.uint32],
    totals: Floats,
    distinct: Floats,
) -> None:
    """Count the features of all arcs of a sentence: their occurrences, and the expected ones in trees."""
    n = len(x.tags) - 1
    last = len(totals) - 1
    places = np.empty((2, last + 64), np.int32)
    ends = np.zeros(2, np.int64)
    weights = np.zeros(2)
    turn = 0
    # The features of one arc are listed, and their counts prefetched, before those of the previous arc are counted.
    for arc in range(n * (n + 1) + 1):
        h, m = arc // n, arc % n + 1
        ends[turn] = 0
        if arc < n * (n + 1) and h != m:
            ends[turn] = arc_places(x, h, m, mask, places[turn])
            weights[turn] = probabilities[h, m]
            for i in range(ends[turn]):
                prefetch(occurring, np.uintp(max(places[turn, i], 0)))
                if weights[turn] > 0:
                    prefetch(expected, np.uintp(max(places[turn, i], 0)))
        turn = 1 - turn
        for i in range(ends[turn]):
            place, j = places[turn, i], min(i, last)
            if place >= 0:
                if occurring[place] == 0:
                    distinct[j] += 1
                occurring[place] += np.uint32(1)
                if weights[turn] > 0:
                    expected[place] += weights[turn]
                    totals[j] += weights[turn]


@inner_kernel
def models_of_arc(x: HashedArcs, table: _Table, h: int, m: int, places: Places, values: Singles) -> None:
    """Compute q_j of one arc for all j (Equation 4)."""
    codes, scale, offset, constants = table
    mask = np.uint32(len(codes) - 1)
    last = len(values) - 1
    end = arc_places(x, h, m, mask, places)
    for j in range(last):
        place = places[j]
        values[j] = offset + scale * codes[place] - constants[j] if place >= 0 else 0.0
    values[last] = 0
    for i in range(last, end):
        values[last] += offset + scale * codes[places[i]] - constants[last]


@kernel
def add_generative(x: HashedArcs, table: _Table, v: Floats, arcs: Ints, scores: Real) -> None:
    """Add v · q to the score of each arc."""
    places = np.empty(len(v) + 64, np.int32)
    values = np.empty(len(v), np.float32)
    for a in range(len(arcs)):
        models_of_arc(x, table, arcs[a, 0], arcs[a, 1], places, values)
        total = 0.0
        for j in range(len(v)):
            total += v[j] * values[j]
        scores[a] += total


@kernel
def sum_generative(x: HashedArcs, table: _Table, arcs: Ints, coefficients: Singles) -> Singles:
    """Sum q over arcs, each times its coefficient."""
    models = len(table[3])
    places = np.empty(models + 64, np.int32)
    values = np.empty(models, np.float32)
    sums = np.zeros(models)
    for a in range(len(arcs)):
        models_of_arc(x, table, arcs[a, 0], arcs[a, 1], places, values)
        for j in range(models):
            sums[j] += coefficients[a] * values[j]
    return sums.astype(np.float32)
