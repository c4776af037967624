"""Reranking: choosing from the candidates of a parser with features of whole trees (Collins and Koo 2005)."""

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
from treewright.reranking.reranker import Reason, Reranker
from treewright.reranking.training import RerankingOptions, train_reranker

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
