"""The parsers that candidates for reranking come from: a PCFG, spines, dependencies."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from treewright.constituency.pcfg import Pcfg, train_pcfg
from treewright.constituency.tag.options import ConstituentOptions
from treewright.constituency.tag.parser import ConstituentParser
from treewright.constituency.tag.training import train_constituents
from treewright.dependency.options import TrainingOptions
from treewright.dependency.parser import Parser
from treewright.dependency.training import Silent, train_parser
from treewright.errors import UsageError
from treewright.learning import Progress
from treewright.treebank import ConstituentTree, Sentence

__all__ = ["DependencyBase", "DependencyTrainer", "PcfgTrainer", "TagBase", "TagTrainer", "log_of"]

T = TypeVar("T")

#: One in so many trees is not learned from but chooses the epoch.
HELD_OUT = 20
#: What comes before the epochs of a parser, in this order, as far as there is need of it.
STAGES = ("tagger", "jackknife", "pruner", "pruning")


def ignore(share: float) -> None:
    """Tell nobody."""


def log_of(probability: float) -> float:
    """Give the logarithm of a probability; one that no float can hold becomes the smallest."""
    return math.log(max(probability, sys.float_info.min))


@dataclass(frozen=True)
class PcfgTrainer:
    """The PCFG of `treewright.constituency.pcfg.train_pcfg`, whose attributes these are."""

    vertical: int = 2
    horizontal: int | None = 2
    annotate_tags: bool = True

    def train(self, trees: Sequence[ConstituentTree], on_progress: Callable[[float], None] = ignore) -> Pcfg:
        """Estimate a grammar."""
        return train_pcfg(
            trees,
            vertical=self.vertical,
            horizontal=self.horizontal,
            annotate_tags=self.annotate_tags,
            on_progress=lambda number: on_progress(number / len(trees)),
        )

    def describe(self) -> str:
        """Name the grammar and its orders."""
        return repr(self)


@dataclass(frozen=True)
class TagTrainer:
    """The constituent parser of `treewright.train_constituents`, with a tagger of its own.

    One in twenty trees is not learned from but chooses the best epoch.

    Attributes
    ----------
    options : ConstituentOptions
    """

    options: ConstituentOptions = field(default_factory=ConstituentOptions)

    def train(self, trees: Sequence[ConstituentTree], on_progress: Callable[[float], None] = ignore) -> TagBase:
        """Train a parser; unlike `treewright.train_constituents`, Ctrl-C ends it without one."""
        parser = train_constituents(*_divided(trees), self.options, report=_Share(on_progress))
        _refuse_interrupted(parser.info)
        return TagBase(parser)

    def describe(self) -> str:
        """Name the parser and its options, but for the number of threads."""
        return f"TagTrainer({asdict(self.options) | {'threads': 0}})"


@dataclass(frozen=True)
class TagBase:
    """A constituent parser of words, with log-probabilities."""

    parser: ConstituentParser

    def k_best(self, words: Sequence[str], k: int) -> list[tuple[ConstituentTree, float]]:
        """Give the k best trees."""
        found = self.parser.k_best(Sentence.from_forms(words), k)
        return [(tree, log_of(probability or 0.0)) for tree, _, probability in found]


@dataclass(frozen=True)
class DependencyTrainer:
    """A dependency parser, as `treewright.train_parser` makes it.

    One in twenty trees is not learned from but chooses the best epoch.

    Attributes
    ----------
    options : TrainingOptions
        With ``tags="gold"`` the parser sees the tags of the treebank.
    """

    options: TrainingOptions = field(default_factory=TrainingOptions)

    def train(self, trees: Sequence[Sentence], on_progress: Callable[[float], None] = ignore) -> DependencyBase:
        """Train a parser; unlike `treewright.train_parser`, Ctrl-C ends it without one."""
        parser = train_parser(*_divided(trees), self.options, report=_Share(on_progress))
        _refuse_interrupted(parser.info)
        return DependencyBase(parser, self.options.tags == "gold")

    def describe(self) -> str:
        """Name the parser and its options, but for the number of threads."""
        return f"DependencyTrainer({asdict(self.options) | {'threads': 0}})"


@dataclass(frozen=True)
class DependencyBase:
    """A dependency parser, with log-probabilities."""

    parser: Parser
    keep_tags: bool

    def k_best(self, sentence: Sentence, k: int) -> list[tuple[Sentence, float]]:
        """Give the k best trees."""
        trees = self.parser.k_best(sentence, k, keep_tags=self.keep_tags)
        return [(tree, log_of(probability)) for tree, probability in trees]


class _Share(Silent):
    """Tells how far the training of a parser is: of what comes before its epochs, all stages count the same."""

    def __init__(self, tell: Callable[[float], None]) -> None:
        self._tell, self._before = tell, 0.0

    def stage(self, name: str, share: float) -> None:
        self._before = 0.5  # of the whole, where there are such stages at all
        if name in STAGES:
            self._tell(self._before * (STAGES.index(name) + share) / len(STAGES))

    def progress(self, progress: Progress) -> None:
        self._tell(self._before + (1 - self._before) * progress.share)


def _divided(trees: Sequence[T]) -> tuple[list[T], list[T]]:
    """Divide trees into those to learn from, and those that choose the epoch."""
    if len(trees) < 2:
        raise UsageError(f"a parser cannot be trained on {len(trees)} trees; give at least two")
    if len(trees) < HELD_OUT:
        return list(trees[:-1]), list(trees[-1:])
    return [tree for number, tree in enumerate(trees, 1) if number % HELD_OUT], list(trees[HELD_OUT - 1 :: HELD_OUT])


def _refuse_interrupted(info: dict[str, Any]) -> None:
    """End at Ctrl-C: a parser that was not trained to the end would be another for the same trees."""
    if info.get("interrupted"):
        raise KeyboardInterrupt
