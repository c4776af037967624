"""The set of trees that is searched, and the parts by which they are scored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.inference.kinds import FACTORIZATIONS

__all__ = ["SearchSpace"]


@dataclass(frozen=True)
class SearchSpace:
    """A set of trees over a sentence, and how their scores fall into parts.

    `Trees` is a search space that answers questions.

    Parameters
    ----------
    projective : bool
        Whether arcs may not cross.
    single_root : bool
        Whether exactly one word is attached to the root, or any number from one.
    factorization : str
        Which parts are scored: a name of `treewright.inference.kinds.FACTORIZATIONS`.
    """

    projective: bool = True
    single_root: bool = True
    factorization: str = "arc"

    def __post_init__(self) -> None:
        for name in ("projective", "single_root"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise TypeError(f"{name} must be True or False, and is {getattr(self, name)!r}")
        if self.factorization not in FACTORIZATIONS:
            known = ", ".join(FACTORIZATIONS)
            raise ValueError(f"there is no factorization {self.factorization!r}; there are {known}")
        if not self.projective and not FACTORIZATIONS[self.factorization].nonprojective:
            raise NotImplementedError(
                f"trees that need not be projective are not searched with {self.factorization!r} scores: use "
                "factorization='grand-sibling', which scores siblings and grandchildren, or projective=True"
            )

    @property
    def is_hard(self) -> bool:
        """Whether the search is NP-hard (McDonald & Satta 2007)."""
        return not self.projective and self.factorization != "arc"
