"""Progress of training: who is told, and what."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treewright.learning import Epoch, Progress

__all__ = ["PruningReport", "Reporter", "ShareReporter"]

LOG = logging.getLogger(__name__)

#: What comes before the epochs of a parser, in this order, as far as it is needed.
STAGES = ("tokenizer", "tagger", "jackknife", "lemmas", "pruner", "pruning")


@dataclass(frozen=True)
class PruningReport:
    """What pruning does to a treebank: the columns of Table 1 of Koo & Collins (2010)."""

    pass_rate: float  # the percentage of all arcs that survive
    heads_per_word: float  # how many heads a word has left
    oracle: float  # the percentage of words whose gold head survives: no parser behind this pruner has a higher UAS


class Reporter:
    """Told what training is doing.  This one logs it; the command line derives one that shows it."""

    def stage(self, name: str, share: float) -> None:
        """Take note of how far a stage has come, from 0 to 1."""
        if share >= 1:
            LOG.info("finished stage: %s", name)

    def pruning(self, treebank: PruningReport, dev: PruningReport) -> None:
        """Take note of what the pruner leaves of the treebank and of the dev set."""
        LOG.info("pruning: %s; on dev %s", treebank, dev)

    def progress(self, progress: Progress) -> None:
        """Take note of how far the training of the parser has come."""

    def epoch(self, epoch: Epoch) -> None:
        """Take note of how an epoch went."""
        best = ", the best so far" if epoch.best else ""
        LOG.info("epoch %d: loss %.3f, dev %s, %.0f s%s", epoch.number, epoch.loss, epoch.dev, epoch.seconds, best)


class ShareReporter(Reporter):
    """Reports the share of the whole training that is done; all stages before the epochs count the same."""

    def __init__(self, on_progress: Callable[[float], None]) -> None:
        self._on_progress, self._before = on_progress, 0.0

    def stage(self, name: str, share: float) -> None:
        """Report the share of a stage."""
        self._before = 0.5  # of the whole, where there are such stages at all
        if name in STAGES:
            self._on_progress(self._before * (STAGES.index(name) + share) / len(STAGES))

    def progress(self, progress: Progress) -> None:
        """Report the share of the epochs."""
        self._on_progress(self._before + (1 - self._before) * progress.share)
