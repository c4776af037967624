"""What all commands that parse do: read, parse on workers, write, and show how far it is."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

from treewright.cli.console import compiling, counted, notice, watched
from treewright.cli.formats import destination
from treewright.cli.options import Parsing, Reranking
from treewright.cli.sources import Sources, refuse_missing
from treewright.errors import UsageError
from treewright.execution import Executor, Keep
from treewright.parsing import TreeParser
from treewright.parsing.corpus import FormatShard
from treewright.parsing.parser import SHARD_WORDS, SentenceTask, shards_of
from treewright.tokenization import Splitter
from treewright.treebank import Sentence, expected_errors

__all__ = ["ParsingRun", "with_reranker"]

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class ParsingRun:
    """Where to parse, where to write, and what to say.

    The name is that of the command and of what it compiles; None if that is not known beforehand.  The texts of the
    sentences, one after the other, make a file, unless ``whole`` makes another of them.
    """

    name: str | None
    where: Parsing
    by_doubt: bool = False  # whether the sentences with the most expected errors come first
    whole: Callable[[Iterable[str]], Iterator[str]] = iter

    def parse(
        self, source: Sources, splitter: Splitter, task: SentenceTask[R], write: Callable[[R], str], to: str
    ) -> None:
        """Parse everything, and write it down in order."""
        start, formatted = time.monotonic(), FormatShard(task, write, to)
        if self.name is not None:
            with compiling(self.name) as cold:
                if cold:
                    formatted([Sentence.from_forms(["Go"], xpos=["VB"])])  # here, once, and not in every worker
        where = self.where
        with ExitStack() as stack:
            executor, keep = stack.enter_context(where.executor()), stack.enter_context(where.keep())
            stream = stack.enter_context(destination(where.output))
            sentences = source.read(splitter)
            if self.by_doubt:
                if keep is not None:
                    raise UsageError("--sort keeps all trees until the end, and --resume none: leave one of them out")
                texts = _sorted(executor, task, write, sentences)
            else:
                texts = self._parsed(executor, keep, formatted, sentences)
            shown = watched(texts, "Parsing", source.share, lambda seconds: f"{source.words / seconds:,.0f} words/s")
            on_screen = where.output is None and sys.stdout.isatty()  # where a bar would be in the way of the trees
            for text in self.whole(texts if where.quiet or on_screen else shown):
                stream.write(text.encode("utf-8", "replace"))
                if where.output is None:
                    stream.flush()
        if not where.quiet and (source.skipped or where.output is not None):
            skipped = f"; skipped {counted(source.skipped, 'malformed sentence')}" if source.skipped else ""
            parsed = f"{counted(source.sentences, 'sentence')} ({counted(source.words, 'word')})"
            notice(f"Parsed {parsed} in {time.monotonic() - start:.1f} s{skipped}.")

    def _parsed(
        self, executor: Executor, keep: Keep | None, task: FormatShard[R], sentences: Iterator[Sentence]
    ) -> Iterator[str]:
        """Parse the sentences, in order; those that go to standard output one by one, as long as that is fast enough.

        So somebody who types sees each tree at once, and so does a reader, such as head, who soon has had enough.
        """
        where = self.where
        if where.output is None and where.cluster is None and where.resume is None:
            yield from _one_by_one(task, sentences, always=where.workers == 1)
        yield from executor.map(task, shards_of(sentences), keep=keep)


def _sorted(
    executor: Executor, task: SentenceTask[R], write: Callable[[R], str], sentences: Iterator[Sentence]
) -> Iterator[str]:
    """Parse all sentences, and write them down, those with the most expected errors first."""
    found = [one for shard in executor.map(task, shards_of(sentences)) for one in shard]
    return map(write, sorted(found, key=_doubt, reverse=True))


def _doubt(found: Any) -> float:
    """Return the expected errors of a tree, or of the best of several; infinity where they are unknown."""
    tree = found[0].tree if isinstance(found, list) else found
    try:
        return expected_errors(tree)
    except ValueError:  # it was made around heads that the model thinks impossible
        return math.inf


def _one_by_one(task: FormatShard[R], sentences: Iterator[Sentence], *, always: bool) -> Iterator[str]:
    """Parse sentences in this process, unless ``always`` only until they come faster than it parses."""
    words, waited, worked = 0, 0.0, 0.0
    while always or words < SHARD_WORDS or worked < waited:
        asked = time.perf_counter()
        sentence = next(sentences, None)
        if sentence is None:
            return
        came = time.perf_counter()
        text = task([sentence])
        words, waited, worked = words + len(sentence), waited + came - asked, worked + time.perf_counter() - came
        yield text


def with_reranker(parser: TreeParser[T], wanted: Reranking, quiet: bool) -> TreeParser[T]:
    """Let a reranker choose from the trees of a parser, if there is to be one.

    Unless ``quiet``, say so if it was trained on the trees of another parser.
    """
    if wanted.rerank is None:
        if wanted.candidates is not None:
            raise UsageError("--candidates is how many trees a reranker chooses from: add --rerank MODEL")
        return parser
    from treewright.reranking import Reranker
    from treewright.reranking.parser import RerankedParser

    refuse_missing(wanted.rerank)
    reranker = Reranker.open(wanted.rerank)
    chooser = RerankedParser(parser, reranker, wanted.candidates)
    origin, own = reranker.origin, "pcfg" if parser.KIND == "pcfg" else "tag"
    if origin is not None and origin.trees == "constituents" and origin.parser != own and not quiet:
        notice(f"{wanted.rerank} was trained on the trees of another parser ({origin.parser}); this one is {own}.")
    return chooser
