"""The laws that every searcher obeys, whatever its trees and factorization; truth is enumeration."""

from tests.inference.laws_input import InputLaws
from tests.inference.laws_search import SearchLaws
from tests.inference.laws_sums import SumLaws
from tests.inference.laws_tangents import TangentLaws


class Laws(SearchLaws, SumLaws, TangentLaws, InputLaws):
    """Inherit, and say ``projective``, ``single_root`` and ``factorization``."""
