"""Scores in, answers out: exact inference over dependency trees.

Scores may come from anywhere; nothing here knows of words, features or files.
"""

from treewright.inference.parts import Parts
from treewright.inference.scores import Scores
from treewright.inference.trees import Parse, Trees

__all__ = ["Parse", "Parts", "Scores", "Trees"]
