"""Hidden-variable models for reranking (Koo and Collins 2005).

What is observed: `observation` and `tree_features` read trees, `sequences` tagged words, and `graphs` graphs of units
(section 4, Figure 2 and section 6.1), with the 64-bit hashes of `hashing`; `domains` says which hidden values a word
has (section 4.1), for which `supersenses` looks up WordNet.  What is computed on: `elimination` orders the words of a
graph and `junctions` finds the tables of its junction tree, `sharing` finds what the candidates of a sentence share,
`assembly` puts sentences together into the flat arrays of `trees`, and `features` does all of it.  What is computed:
`propagation` sums over hidden values, `likelihood` has the loss and its gradient (section 3.2), and `learning`
minimizes it.  `training` makes a `model` of it all, `inspection` shows what its values mean (section 6.3), and `lists`
reads the trees of candidates from their texts.
"""

from treewright.reranking.hidden.graphs import UnitGraph
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
from treewright.reranking.options import HiddenSettings

__all__ = [
    "Annotation",
    "ConjugateGradient",
    "HiddenReranker",
    "HiddenSettings",
    "StochasticDescent",
    "Supersenses",
    "TaggedSequence",
    "TreeLists",
    "UnitGraph",
    "annotate",
    "best_assignment",
    "describe_values",
    "describe_words",
    "train_hidden",
]
