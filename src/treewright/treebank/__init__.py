"""Sentences and trees in memory, and the files they live in."""

from treewright.treebank.sentence import Sentence

__all__ = ["Sentence"]
