"""Base parsers: what candidates come from.

Whatever can be trained on trees, and gives the k best trees of a sentence with log-probabilities, is one; those that
come with the package are in `treewright.reranking.trainers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

__all__ = ["Base", "Trainer"]

S_contra = TypeVar("S_contra", contravariant=True)
T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class Base(Protocol[S_contra, T_co]):
    """A trained parser."""

    def k_best(self, sentence: S_contra, k: int, /) -> Sequence[tuple[T_co, float]]:
        """Give at most k trees, the best first, with their log-probabilities.

        A sentence is what `Kind.sentence` makes of a gold tree.
        """


class Trainer(Protocol[S_contra, T]):
    """Makes a base parser.

    It must be possible to pickle one, and its training must depend on the trees alone.
    """

    def train(self, trees: Sequence[T], on_progress: Callable[[float], None], /) -> Base[S_contra, T]:
        """Learn from trees, and tell the share of the work done now and then."""

    def describe(self) -> str:
        """Say what is trained, with all settings, so that another trainer says something else."""
