"""Training a parser as one step, for those who train the same parser many times, such as cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from treewright.errors import UsageError
from treewright.model import Model
from treewright.parsing.parser import TreeParser

__all__ = ["Trainer", "held_out_split", "refuse_interrupted"]

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


def held_out_split(trees: Sequence[T]) -> tuple[list[T], list[T]]:
    """Divide trees into those to learn from and those that choose the epoch."""
    if len(trees) < 2:
        raise UsageError(f"a parser cannot be trained on {len(trees)} trees; give at least two")
    if len(trees) < HELD_OUT:
        return list(trees[:-1]), list(trees[-1:])
    return [tree for number, tree in enumerate(trees, 1) if number % HELD_OUT], list(trees[HELD_OUT - 1 :: HELD_OUT])


def refuse_interrupted(model: Model) -> None:
    """Raise KeyboardInterrupt if training was cut short: the same trees would have made another parser."""
    if model.info.get("interrupted"):
        raise KeyboardInterrupt
