"""Base parsers: what candidates come from.

Whatever can be trained on trees, and gives the k best trees of a sentence with log-probabilities, is one; see
`Trainer` and `Base`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from treewright.errors import UsageError
from treewright.treebank import ConstituentTree, Sentence

if TYPE_CHECKING:
    from treewright.learning import Epoch, Progress
    from treewright.options import TrainingOptions
    from treewright.parser import Parser
    from treewright.pruning import PruningReport

__all__ = ["Base", "DependencyTrainer", "PcfgTrainer", "Trainer", "ignore"]

S_contra = TypeVar("S_contra", contravariant=True)
T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

#: One in so many trees is not learned from but chooses the epoch of a dependency parser.
HELD_OUT = 20


def ignore(share: float) -> None:
    """Tell nobody."""


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


@dataclass(frozen=True)
class PcfgTrainer:
    """The PCFG of `treewright.constituency.pcfg.train_pcfg`, whose attributes these are."""

    vertical: int = 2
    horizontal: int | None = 2
    annotate_tags: bool = True

    def train(
        self, trees: Sequence[ConstituentTree], on_progress: Callable[[float], None] = ignore
    ) -> Base[Sequence[str], ConstituentTree]:
        """Estimate a grammar."""
        from treewright.constituency.pcfg import train_pcfg  # only whoever trains one needs it

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
class DependencyTrainer:
    """A dependency parser, as `treewright.train_parser` makes it.

    One in twenty trees is not learned from but chooses the best epoch.

    Attributes
    ----------
    options : TrainingOptions, optional
        The default ones unless given.  With ``tags="gold"`` the parser sees the tags of the treebank.
    """

    options: TrainingOptions | None = field(default=None)

    def train(
        self, trees: Sequence[Sentence], on_progress: Callable[[float], None] = ignore
    ) -> Base[Sentence, Sentence]:
        """Train a parser; unlike `treewright.train_parser`, Ctrl-C ends it without one.

        A parser that was not trained to the end would be another for the same trees.
        """
        from treewright.options import TrainingOptions
        from treewright.training import train_parser

        if len(trees) < 2:
            raise UsageError(f"a dependency parser cannot be trained on {len(trees)} trees; give at least two")
        options = self.options or TrainingOptions()
        dev = list(trees[HELD_OUT - 1 :: HELD_OUT]) or list(trees[-1:])
        rest = [tree for number, tree in enumerate(trees, 1) if number % HELD_OUT] if len(trees) >= HELD_OUT else None
        parser = train_parser(rest or trees[:-1], dev, options, report=_Share(on_progress))
        if parser.info.get("interrupted"):
            raise KeyboardInterrupt
        return DependencyBase(parser, options.tags == "gold")

    def describe(self) -> str:
        """Name the parser and its options, but for the number of threads."""
        from treewright.options import TrainingOptions

        return f"DependencyTrainer({asdict(self.options or TrainingOptions()) | {'threads': 0}})"


@dataclass(frozen=True)
class DependencyBase:
    """A dependency parser, with log-probabilities."""

    parser: Parser
    keep_tags: bool

    def k_best(self, sentence: Sentence, k: int) -> list[tuple[Sentence, float]]:
        """Give the k best trees; a probability that no float can hold becomes the smallest."""
        trees = self.parser.k_best(sentence, k, keep_tags=self.keep_tags)
        return [(tree, math.log(max(probability, sys.float_info.min))) for tree, probability in trees]


@dataclass(frozen=True)
class _Share:
    """Tells of training a parser only how far its epochs are."""

    tell: Callable[[float], None]

    def stage(self, name: str, share: float) -> None: ...

    def pruning(self, treebank: PruningReport, dev: PruningReport) -> None: ...

    def progress(self, progress: Progress) -> None:
        self.tell(progress.share)

    def epoch(self, epoch: Epoch) -> None: ...
