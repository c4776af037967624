"""Reranking: choosing from the candidates of a parser with features of whole trees (Collins and Koo 2005)."""

from treewright.reranking.boosting import Boosted, boost
from treewright.reranking.builder import CandidatesBuilder
from treewright.reranking.candidates import Candidates
from treewright.reranking.files import read_candidates, write_candidates
from treewright.reranking.strings import Strings

__all__ = ["Boosted", "Candidates", "CandidatesBuilder", "Strings", "boost", "read_candidates", "write_candidates"]
