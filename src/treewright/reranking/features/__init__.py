"""Features of whole trees, each a short string (Collins and Koo 2005, section 5.2).

`constituents` and `dependencies` turn a tree into a `headed` tree; `extraction` lists its features: those of a rule and
the rule above it (`structure`), and those of a head and one modifier (`relations`).
"""

from treewright.reranking.features.constituents import ConstituentTreeFeatures
from treewright.reranking.features.dependencies import DependencyTreeFeatures
from treewright.reranking.features.extraction import KINDS, Extractor
from treewright.reranking.features.headed import CLOSED_TAGS, HeadedTree

__all__ = [
    "CLOSED_TAGS",
    "KINDS",
    "ConstituentTreeFeatures",
    "DependencyTreeFeatures",
    "Extractor",
    "HeadedTree",
]
