"""Scores in, answers out: exact inference over dependency trees.

Scores may come from anywhere; nothing here knows of words, features or files.
"""

from treewright.inference.bounds.branch_and_bound import BoundedParse, BranchAndBound
from treewright.inference.dual.automata import HeadAutomata
from treewright.inference.dual.dual_decomposition import DualDecomposition, Trace
from treewright.inference.factors import Factors
from treewright.inference.parse import Parse
from treewright.inference.parts import Parts
from treewright.inference.scores import Scores
from treewright.inference.search_space import SearchSpace
from treewright.inference.trees import Batch, Trees

__all__ = [
    "Batch",
    "BoundedParse",
    "BranchAndBound",
    "DualDecomposition",
    "Factors",
    "HeadAutomata",
    "Parse",
    "Parts",
    "Scores",
    "SearchSpace",
    "Trace",
    "Trees",
]
