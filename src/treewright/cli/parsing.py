"""What all commands that parse do: read, parse on workers, write, and show how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from treewright.cli.console import notice, watched
from treewright.cli.formats import destination
from treewright.cli.sources import Sources
from treewright.execution import Keep, make_executor
from treewright.kernels import are_compiled
from treewright.parsing.corpus import FormatShard
from treewright.parsing.parser import ShardTask
from treewright.parsing.shards import SHARD_WORDS, shards_of
from treewright.treebank import Sentence

__all__ = ["ParsingRun"]

R = TypeVar("R")


@dataclass(frozen=True)
class ParsingRun:
    """Where to parse, where to write, and what to say.

    Attributes
    ----------
    name : str
        What is compiled is remembered under this name.
    output : path, optional
        Standard output unless given.
    workers, cluster, resume
        See `treewright.execution.make_executor` and `treewright.execution.Keep`.
    quiet : bool
        Whether to say nothing on standard error.
    """

    name: str
    output: Path | None
    workers: int
    cluster: str | None
    resume: Path | None
    quiet: bool

    def parse(self, source: Sources, language: str, task: ShardTask[R], write: Callable[[R], str], to: str) -> None:
        """Parse everything, and write it down in order."""
        start, formatted = time.monotonic(), FormatShard(task, write, to)
        if not are_compiled(self.name):
            formatted([Sentence.from_forms(["Go"], xpos=["VB"])])  # compiles here, once, and not in every worker
        is_alone = self.workers == 1 and self.cluster is None and self.resume is None  # then they come out one by one
        shards = shards_of(source.read(language), 1 if is_alone else SHARD_WORDS)
        with ExitStack() as stack:
            executor = stack.enter_context(make_executor(self.workers, self.cluster))
            keep = stack.enter_context(Keep(self.resume)) if self.resume is not None else None
            stream = stack.enter_context(destination(self.output))
            texts = executor.map(formatted, shards, keep=keep)
            shown = watched(texts, "Parsing", source.share, lambda seconds: f"{source.words / seconds:,.0f} words/s")
            for text in shown if not self.quiet else texts:
                stream.write(text.encode("utf-8", "replace"))
            stream.flush()
        if not self.quiet and (source.skipped or self.output is not None):
            skipped = f"; skipped {source.skipped:,} malformed sentences" if source.skipped else ""
            seconds = time.monotonic() - start
            notice(f"Parsed {source.sentences:,} sentences ({source.words:,} words) in {seconds:.1f} s{skipped}.")
