"""Scores in, answers out: exact inference over dependency trees.

Scores may come from anywhere; nothing here knows of words, features or files.
"""

from typing import TYPE_CHECKING, Any

from treewright.inference.constrained import ConstrainedTrees
from treewright.inference.constraints import Constraints
from treewright.inference.dual.automata import HeadAutomata
from treewright.inference.dual.dual_decomposition import DualDecomposition, Trace
from treewright.inference.factors import Factors
from treewright.inference.parse import Parse
from treewright.inference.parts import Parts
from treewright.inference.scores import Scores
from treewright.inference.search_space import SearchSpace
from treewright.inference.trees import Batch, Trees

if TYPE_CHECKING:
    from treewright.inference.bounds.branch_and_bound import BoundedParse, BranchAndBound

__all__ = [
    "Batch",
    "BoundedParse",
    "BranchAndBound",
    "ConstrainedTrees",
    "Constraints",
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


def __getattr__(name: str) -> Any:
    """Import branch and bound when it is first used: few models need it, and it has many kernels."""
    if name in ("BoundedParse", "BranchAndBound"):
        from treewright.inference.bounds import branch_and_bound

        return getattr(branch_and_bound, name)
    raise AttributeError(f"module 'treewright.inference' has no attribute {name!r}")
