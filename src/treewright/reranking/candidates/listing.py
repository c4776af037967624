"""Candidate lists: the k best trees of each sentence, by parsers that have not seen it (Collins and Koo 2005, 5.1).

A parser is too accurate on its own training trees, and a reranker trained on such lists would trust it too much.  So
the treebank is cut into chunks, and each chunk is parsed by a model trained on the others.  Held-out text, such as the
development set, is parsed by a model trained on the whole treebank.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar

from treewright.errors import UsageError
from treewright.execution import Executor, Keep, Task, Threads
from treewright.parsing import Trainer, TreeParser
from treewright.reranking.candidates.kinds import Kind
from treewright.reranking.candidates.origin import likely
from treewright.treebank import Sentence, format_sentence

__all__ = ["CandidateList", "ListPart", "Part", "list_candidates"]

T = TypeVar("T")

#: The number of sentences parsed at a time if they all have the same model.
PART = 100


class CandidateList(NamedTuple, Generic[T]):
    """The candidates of a sentence, the most probable first, without duplicates."""

    trees: list[T]
    log_probabilities: list[float]


class Part(NamedTuple):
    """Sentences ``begin`` to ``end``, parsed by a model trained on all trees but ``without`` to ``until``."""

    begin: int
    end: int
    without: int = 0
    until: int = 0


def list_candidates(
    trainer: Trainer[T],
    kind: Kind[T],
    treebank: Sequence[T],
    others: Sequence[T] | None = None,
    *,
    k: int = 50,
    within: float | None = None,
    chunks: int = 20,
    executor: Executor | None = None,
    keep: Keep | None = None,
    on_progress: Callable[[float], None] = lambda share: None,
) -> Iterator[CandidateList[T]]:
    """List the candidates of every sentence of a treebank, or of other sentences, in order.

    Parameters
    ----------
    trainer : Trainer
        Trains the base parsers.
    kind : Kind
    treebank : sequence of trees
        The training trees.
    others : sequence of trees, optional
        The sentences to parse, by one model trained on the whole treebank.  By default the treebank itself is parsed,
        each chunk by a model trained on the other chunks.
    k : int
        The maximum number of candidates per sentence.
    within : float, optional
        Drop candidates whose log-probability is lower than the highest of the sentence by more than this.
    chunks : int
        The number of chunks of consecutive trees to cut the treebank into.
    executor : Executor, optional
        Trains and parses; by default this process, one chunk after the other.  The result does not depend on it.
    keep : Keep, optional
        Where finished chunks are kept, to resume after a crash.
    on_progress : function of float
        Called with the share of the work done, by words; training counts for half of each chunk.

    Raises
    ------
    UsageError
        If k is below 1 or ``within`` below 0, or there are fewer than two chunks, or fewer trees than chunks.
    """
    if k < 1:
        raise UsageError(f"k, the number of candidates per sentence, must be at least 1, not {k}")
    if within is not None and not within >= 0:
        raise UsageError(f"within, a difference in log-probability, must be at least 0, not {within}")
    if others is None and not 2 <= chunks <= len(treebank):
        raise UsageError(
            f"{chunks} chunks do not fit {len(treebank)} trees; choose at least two chunks, and at most one per tree"
        )
    parts = _cut(len(treebank), chunks) if others is None else _pieces(len(others), PART)
    sentences = list(map(kind.sentence, treebank if others is None else others))
    report = _Progress(on_progress, _words_before(sentences))
    task = ListPart(trainer, kind, treebank, sentences, k, report, within)
    results = (executor or Threads(1)).map(task, parts, keep=keep)
    for part, lists in zip(parts, results, strict=True):
        report(part, 1.0)
        yield from lists


def _cut(n: int, chunks: int) -> list[Part]:
    """Cut a treebank into chunks, each parsed by a model of the others."""
    bounds = [n * chunk // chunks for chunk in range(chunks + 1)]
    return [Part(begin, end, begin, end) for begin, end in pairwise(bounds)]


def _pieces(n: int, size: int) -> list[Part]:
    return [Part(begin, min(n, begin + size)) for begin in range(0, n, size)]


def _words_before(sentences: Sequence[Sentence]) -> list[int]:
    """Count the words before each sentence, and at the end all words."""
    total = [0]
    for sentence in sentences:
        total.append(total[-1] + len(sentence))
    return total


class _Progress:
    """Reports the share of the words of all parts that are done."""

    def __init__(self, tell: Callable[[float], None], before: Sequence[int]) -> None:
        self._tell, self._before = tell, before

    def __call__(self, part: Part, share: float) -> None:
        begin, end, total = self._before[part.begin], self._before[part.end], self._before[-1]
        self._tell((begin + share * (end - begin)) / total)


def _tell_nobody(part: Part, share: float) -> None: ...


@dataclass(frozen=True)
class ListPart(Task[Part, list[CandidateList[T]]], Generic[T]):
    """Trains a base parser, and lists the candidates of a part; see `list_candidates`.

    ``report`` is called with the share of a part that is done.
    """

    trainer: Trainer[T]
    kind: Kind[T]
    treebank: Sequence[T]
    sentences: Sequence[Sentence]
    k: int
    report: Callable[[Part, float], None] = _tell_nobody
    within: float | None = None
    _of_all: list[TreeParser[T]] = field(default_factory=list)
    _training: Any = field(default_factory=threading.Lock)

    def __call__(self, part: Part) -> list[CandidateList[T]]:
        """Train on all trees but those to leave out, and parse the part."""
        base = self._base(part)
        sentences = self.sentences[part.begin : part.end]
        lists = []
        for number, sentence in enumerate(sentences, 1):
            lists.append(self._list(base, sentence))
            self.report(part, (1 + number / len(sentences)) / 2)
        return lists

    def _base(self, part: Part) -> TreeParser[T]:
        def tell(share: float) -> None:
            self.report(part, share / 2)

        if part.without < part.until:
            return self.trainer.train([*self.treebank[: part.without], *self.treebank[part.until :]], tell)
        with self._training:  # one model serves all parts of a process
            if not self._of_all:
                self._of_all.append(self.trainer.train(self.treebank, tell))
        return self._of_all[0]

    def _list(self, base: TreeParser[T], sentence: Sentence) -> CandidateList[T]:
        found: dict[Hashable, tuple[T, float]] = {}
        ranked = base.candidates(sentence, self.k, keep_tags=base.needs_tags)
        for tree, log_probability in likely(ranked, self.within):
            found.setdefault(self.kind.key(tree), (tree, log_probability))
        if not found:
            raise UsageError("the base parser finds no tree for a sentence; remove the sentence")
        trees, log_probabilities = zip(*found.values(), strict=True)
        return CandidateList(list(trees), list(log_probabilities))

    def __getstate__(self) -> dict[str, Any]:
        # Another process cannot report here; finished parts are reported as they come back.
        return {**self.__dict__, "report": _tell_nobody, "_of_all": [], "_training": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _training=threading.Lock())

    def describe(self, part: Part) -> str:
        """Name the sentences of a part."""
        return f"sentences {part.begin + 1:,} to {part.end:,}"

    @cached_property
    def _identity(self) -> bytes:
        text = hashlib.sha256(json.dumps([self.trainer.describe(), self.kind.describe(), self.k, self.within]).encode())
        for tree in self.treebank:
            text.update(self.kind.content(tree).encode("utf-8", "surrogatepass"))
            text.update(b"\0")
        return text.digest()

    def identify(self, part: Part) -> bytes:
        """Hash the model, its training trees and the sentences of a part."""
        text = hashlib.sha256(self._identity + f"{part.without} {part.until}\n".encode())
        for sentence in self.sentences[part.begin : part.end]:
            text.update(format_sentence(sentence).encode("utf-8", "surrogatepass"))
        return text.digest()

    def dump(self, result: list[CandidateList[T]]) -> bytes:
        """Write lists as JSON."""
        plain = [[list(map(self.kind.format, one.trees)), one.log_probabilities] for one in result]
        return json.dumps(plain).encode()

    def load(self, data: bytes) -> list[CandidateList[T]]:
        """Read lists from JSON."""
        return [CandidateList(list(map(self.kind.read, texts)), numbers) for texts, numbers in json.loads(data)]
