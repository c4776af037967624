"""Reranking: choosing among the candidates of a parser with features of whole trees.

After Collins and Koo (2005): `candidates` lists the k best trees of each sentence and holds them in columns (section
5.1); `features` extracts features of whole trees (5.2); `learners` finds their weights (section 4); `training` runs a
learner, and `linear` is the model that comes out.  `evaluation` compares choices with the base model.

After Koo and Collins (2005): `hidden` has models whose features see hidden values of words, and `mixture` puts several
rerankers together (section 4.3).

`reranker` is the contract that all rerankers keep, and `parser` joins a parser with a reranker.

Importing the package is quick: names are imported from their modules when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treewright.lazy import lazily

if TYPE_CHECKING:
    from treewright.reranking.candidates.builder import CandidatesBuilder
    from treewright.reranking.candidates.candidates import Candidates
    from treewright.reranking.candidates.files import read_candidates, write_candidates
    from treewright.reranking.candidates.origin import Origin
    from treewright.reranking.candidates.strings import Strings
    from treewright.reranking.evaluation import RerankingReport, evaluate_choices
    from treewright.reranking.learners.boosting import boost
    from treewright.reranking.learners.log_linear import log_linear
    from treewright.reranking.learners.perceptron import perceptron
    from treewright.reranking.learners.selection import select_features
    from treewright.reranking.learners.stagewise import Boosted
    from treewright.reranking.linear import LinearReranker
    from treewright.reranking.mixture import MixedReranker, Mixture, mix_rerankers, tune_mixture
    from treewright.reranking.options import RerankingOptions
    from treewright.reranking.reranker import Reason, Reranker
    from treewright.reranking.training import train_reranker

__all__ = [
    "Boosted",
    "Candidates",
    "CandidatesBuilder",
    "LinearReranker",
    "MixedReranker",
    "Mixture",
    "Origin",
    "Reason",
    "Reranker",
    "RerankingOptions",
    "RerankingReport",
    "Strings",
    "boost",
    "evaluate_choices",
    "log_linear",
    "mix_rerankers",
    "perceptron",
    "read_candidates",
    "select_features",
    "train_reranker",
    "tune_mixture",
    "write_candidates",
]

_HOMES = {
    "Boosted": "learners.stagewise",
    "Candidates": "candidates.candidates",
    "CandidatesBuilder": "candidates.builder",
    "LinearReranker": "linear",
    "MixedReranker": "mixture",
    "Mixture": "mixture",
    "Origin": "candidates.origin",
    "Reason": "reranker",
    "Reranker": "reranker",
    "RerankingOptions": "options",
    "RerankingReport": "evaluation",
    "Strings": "candidates.strings",
    "boost": "learners.boosting",
    "evaluate_choices": "evaluation",
    "log_linear": "learners.log_linear",
    "mix_rerankers": "mixture",
    "perceptron": "learners.perceptron",
    "read_candidates": "candidates.files",
    "select_features": "learners.selection",
    "train_reranker": "training",
    "tune_mixture": "mixture",
    "write_candidates": "candidates.files",
}

__getattr__ = lazily(__name__, _HOMES)
