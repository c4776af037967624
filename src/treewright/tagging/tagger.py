"""The tagger: UPOS, then XPOS given UPOS, then FEATS given both; each column by exact search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from treewright.arrays import Array, Arrays
from treewright.features.lexicon import Lexicon
from treewright.features.weights import Weights
from treewright.tagging.column import ColumnFeatures, ColumnSettings
from treewright.treebank import Sentence

__all__ = ["Tagger"]


class Tagger:
    """Tags sentences, column by column.

    Parameters
    ----------
    columns : sequence of (ColumnFeatures, Weights)
        The columns in the order in which they are tagged.
    """

    def __init__(self, columns: Sequence[tuple[ColumnFeatures, Weights]]) -> None:
        self.columns = list(columns)

    def tag(self, sentence: Sentence) -> Sentence:
        """Fill in the columns that the tagger was trained for; the others stay as they are."""
        if not len(sentence):
            return sentence
        for features, weights in self.columns:
            sentence = sentence.replace(**{features.settings.column: features.tag(sentence, weights)})
        return sentence

    def describe(self) -> tuple[list[dict[str, Any]], dict[str, Array]]:
        """Describe the tagger: its columns in order, and an array for each; the clusters are those of the parser."""
        columns, arrays = [], dict[str, Array]()
        for features, weights in self.columns:
            about, table = weights.describe(features.settings.column)
            columns.append({"settings": asdict(features.settings), **about})
            arrays |= table
        return columns, arrays

    @classmethod
    def restore(cls, columns: Sequence[Mapping[str, Any]], arrays: Arrays, lexicon: Lexicon) -> Tagger:
        """Build a tagger from its description and the lexicon of the parser."""
        restored = []
        for about in columns:
            settings = ColumnSettings(**about["settings"])
            features = ColumnFeatures(settings, lexicon.clusters)
            restored.append((features, Weights.restore(about, arrays, features.size, settings.column)))
        return cls(restored)
