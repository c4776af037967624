"""Features of parses, each a short string, as a reranker weighs them (Collins and Koo 2005, section 5.2)."""

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
