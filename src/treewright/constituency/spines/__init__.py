"""Constituents by spines and adjunctions: the formalism of Carreras, Collins and Koo (2008)."""

from treewright.constituency.spines.derivation import REGULAR, SISTER, Derivation, check_derivation, modifier_heights
from treewright.constituency.spines.extraction import derivation_of, extract_derivation
from treewright.constituency.spines.grammar import Grammar
from treewright.constituency.spines.recovery import build_tree, grammatical_relations
from treewright.constituency.spines.round_trip import RoundTrip, round_trip
from treewright.constituency.spines.spines import Spine, SpineTable

__all__ = [
    "REGULAR",
    "SISTER",
    "Derivation",
    "Grammar",
    "RoundTrip",
    "Spine",
    "SpineTable",
    "build_tree",
    "check_derivation",
    "derivation_of",
    "extract_derivation",
    "grammatical_relations",
    "modifier_heights",
    "round_trip",
]
