"""Lemmas: edit scripts, looked up in a dictionary of the treebank or chosen by a classifier."""

from treewright.tagging.lemmas.lemmatizer import Lemmatizer

__all__ = ["Lemmatizer"]
