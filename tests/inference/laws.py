"""The laws that every searcher obeys, whatever its trees and factorization; truth is enumeration."""

from .laws_input import InputLaws
from .laws_search import SearchLaws
from .laws_sums import SumLaws


class Laws(SearchLaws, SumLaws, InputLaws):
    """Inherit, and say ``projective``, ``single_root`` and ``factorization``."""
