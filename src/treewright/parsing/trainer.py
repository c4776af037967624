"""Training a parser as one step, for those who train the same parser many times, such as cross-validation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from treewright.errors import UsageError
from treewright.parsing.parser import TreeParser
from treewright.parsing.progress import Reporter, ShareReporter

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["HeldOutTrainer", "Trainer"]

T = TypeVar("T")

#: One in this many trees is not learned from but chooses the epoch.
HELD_OUT = 20


class Trainer(Protocol[T]):
    """Makes parsers of trees T.

    A trainer can be pickled, and what it learns depends on the trees alone.
    """

    def train(self, trees: Sequence[T], on_progress: Callable[[float], None], /) -> TreeParser[T]:
        """Learn from trees, and report the share of the work done now and then."""

    def describe(self) -> str:
        """Describe what is trained, with all settings: trainers that differ describe themselves differently."""


class HeldOutTrainer(ABC, Generic[T]):
    """Trains parsers by options, with one in twenty trees held out to choose the epoch.

    Derive a frozen dataclass with a field ``options``.
    """

    options: DataclassInstance

    @abstractmethod
    def fit(self, trees: Sequence[T], dev: Sequence[T], report: Reporter) -> TreeParser[T]:
        """Train a parser on trees, and choose its epoch on others."""

    def train(self, trees: Sequence[T], on_progress: Callable[[float], None] = lambda share: None) -> TreeParser[T]:
        """Train a parser; Ctrl-C ends training without one, for the same trees would have made another."""
        if len(trees) < 2:
            raise UsageError(f"a parser cannot be trained on {len(trees)} trees; give at least two")
        held_out = slice(HELD_OUT - 1, None, HELD_OUT) if len(trees) >= HELD_OUT else slice(-1, None)
        dev = set(range(len(trees))[held_out])
        rest = [tree for number, tree in enumerate(trees) if number not in dev]
        parser = self.fit(rest, list(trees[held_out]), ShareReporter(on_progress))
        if parser.info.get("interrupted"):
            raise KeyboardInterrupt
        return parser

    def describe(self) -> str:
        """Describe the parser by its options; the number of threads does not matter."""
        return f"{type(self).__name__}({asdict(self.options) | {'threads': 0}})"
