"""Which features are seen often enough to be learned (Koo et al. 2008, section 4: more than once).

The table of weights is too small to tell features apart, so counting needs a larger one: the same features, listed in
the same order, with places of more bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints, Mask, Places
from treewright.features import DependencyFeatures, Hashed, WeightedParts
from treewright.kernels import kernel
from treewright.treebank import Sentence

__all__ = ["FeatureCounts"]

#: Two to this power is the size of the table of counts, in bytes, for arcs, for labels, and for larger parts.
BITS = 26


class FeatureCounts:
    """Counts the features of a treebank, of which those seen at least ``minimum`` times (at most 255) are learned."""

    def __init__(self, features: DependencyFeatures, minimum: int) -> None:
        larger = replace(features.settings, arc_bits=BITS, label_bits=BITS, higher_bits=BITS)
        self._features = DependencyFeatures(larger, features.lexicon, features.generative)
        self._counts = np.zeros(self._features.size, np.uint8)
        self._minimum = minimum

    def add(self, sentence: Sentence, parts: Mapping[str, Ints]) -> None:
        """Count the features of parts; each arc counts for every label."""
        hashed = self._features.hash(sentence)
        if self._features.labels:
            parts = {**parts, "label": _first_label(parts["arc"])}
        ones = {kind: (rows, np.ones(len(rows), np.float32)) for kind, rows in parts.items()}
        count(self._counts, self._features.gradient(hashed, ones)[0])

    def often(self, hashed: Hashed, parts: Mapping[str, WeightedParts]) -> Mask:
        """Return which of the features of parts, in the order of `DependencyFeatures.gradient`, are frequent enough."""
        if "label" in parts:
            rows, coefficients = parts["label"]
            parts = {**parts, "label": (_first_label(rows[:, :2]), coefficients)}
        often: Mask = self._counts[self._features.gradient(hashed, parts)[0]] >= self._minimum
        return often


def _first_label(arcs: Ints) -> Ints:
    """Label all arcs with the first label, at which the features of every label are counted."""
    return np.column_stack([arcs, np.zeros(len(arcs), np.int64)])


@kernel
def count(counts: npt.NDArray[np.uint8], places: Places) -> None:
    """Count places, up to what a byte holds."""
    for place in places:
        if counts[place] < 255:
            counts[place] += 1
