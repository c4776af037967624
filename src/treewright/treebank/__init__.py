"""Sentences and trees in memory, and the files they live in."""

from treewright.treebank.drawing import draw
from treewright.treebank.projectivity import is_projective, projectivize
from treewright.treebank.reader import Reader, read, read_string
from treewright.treebank.sentence import Sentence
from treewright.treebank.writer import format_sentence, write

__all__ = [
    "Reader",
    "Sentence",
    "draw",
    "format_sentence",
    "is_projective",
    "projectivize",
    "read",
    "read_string",
    "write",
]
