"""Hidden-variable models for reranking (Koo and Collins 2005)."""

from treewright.reranking.hidden.features import HiddenSettings
from treewright.reranking.hidden.inspection import (
    Annotation,
    annotate,
    best_assignment,
    describe_values,
    describe_words,
)
from treewright.reranking.hidden.learning import ConjugateGradient, StochasticDescent
from treewright.reranking.hidden.lists import TreeLists
from treewright.reranking.hidden.model import HiddenReranker
from treewright.reranking.hidden.sequences import TaggedSequence
from treewright.reranking.hidden.supersenses import Supersenses
from treewright.reranking.hidden.training import train_hidden

__all__ = [
    "Annotation",
    "ConjugateGradient",
    "HiddenReranker",
    "HiddenSettings",
    "StochasticDescent",
    "Supersenses",
    "TaggedSequence",
    "TreeLists",
    "annotate",
    "best_assignment",
    "describe_values",
    "describe_words",
    "train_hidden",
]
