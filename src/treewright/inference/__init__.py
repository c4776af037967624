"""Scores in, answers out: exact inference over dependency trees.

Scores may come from anywhere; nothing here knows of words, features or files.
"""

from typing import TYPE_CHECKING

from treewright.inference.constrained import ConstrainedTrees
from treewright.inference.constraints import Constraints
from treewright.inference.factors import Factors
from treewright.inference.parse import Parse
from treewright.inference.parts import Parts
from treewright.inference.scores import Scores
from treewright.inference.search_space import SearchSpace
from treewright.inference.trees import Batch, Trees
from treewright.lazy import lazily

if TYPE_CHECKING:
    from treewright.inference.bounds.branch_and_bound import BoundedParse, BranchAndBound
    from treewright.inference.dual.automata import HeadAutomata
    from treewright.inference.dual.dual_decomposition import DualDecomposition, Trace

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


#: What few models need, and has many kernels, is imported when it is first used: where each name is.
_HOMES = {
    "BoundedParse": "bounds.branch_and_bound",
    "BranchAndBound": "bounds.branch_and_bound",
    "DualDecomposition": "dual.dual_decomposition",
    "HeadAutomata": "dual.automata",
    "Trace": "dual.dual_decomposition",
}

__getattr__ = lazily(__name__, _HOMES)
