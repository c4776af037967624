"""Tagging: the UPOS, XPOS and FEATS of words.

`treewright.tagging.training` trains taggers, and `treewright.tagging.jackknife` tags a treebank without having seen it.
"""

from treewright.tagging.column import ColumnFeatures, ColumnSettings
from treewright.tagging.tagger import SentenceTagger, Tagger

__all__ = ["ColumnFeatures", "ColumnSettings", "SentenceTagger", "Tagger"]
