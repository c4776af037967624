"""Tagging: the UPOS, XPOS and FEATS of words."""

from treewright.tagging.column import ColumnFeatures, ColumnSettings
from treewright.tagging.jackknife import jackknife
from treewright.tagging.tagger import Tagger, train_tagger

__all__ = ["ColumnFeatures", "ColumnSettings", "Tagger", "jackknife", "train_tagger"]
