"""The contract of all parsers: a sentence in, its best tree or its k best trees out."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypedDict, TypeVar, Unpack

from treewright.errors import UsageError
from treewright.execution import Executor, Task, sharded
from treewright.inference import Constraints
from treewright.model import Model
from treewright.model.container import digest
from treewright.parsing.inputs import Parsable, sentences_of
from treewright.parsing.ranked import Ranked
from treewright.threads import in_order
from treewright.tokenization import Rules, Splitter
from treewright.treebank import Sentence

__all__ = [
    "SHARD_WORDS",
    "KBestShard",
    "ParseShard",
    "ParsingOptions",
    "SentenceTask",
    "ShardTask",
    "TreeParser",
    "shards_of",
]

R = TypeVar("R")
T = TypeVar("T")

#: The words of a shard: some tenths of a second of work.
SHARD_WORDS = 4_096


class ParsingOptions(TypedDict, total=False):
    """The options of parsers: keyword arguments of `TreeParser.parse` and of everything that parses many sentences.

    Each parser takes those that its ``parse_sentence`` (or ``k_best``) has and documents; any other is a `TypeError`.
    """

    keep_tags: bool  # every parser
    fix_heads: bool  # dependency parsers, and all that follow
    complete: bool
    joint_tags: int
    confidence: bool
    exact: bool
    constraints: Constraints
    obey: bool
    alternatives: int
    time_limit: float


class TreeParser(Model, Generic[T]):
    """A model that finds trees T of sentences.

    Dependency parsers find `Sentence` trees, constituent parsers `ConstituentTree`.  A parser is only read once it is
    made, so threads may share one.

    Attributes
    ----------
    MAX_WORDS : int
        The longest sentence that is parsed.
    """

    MAX_WORDS: ClassVar[int]

    @property
    @abstractmethod
    def trees_found(self) -> str:
        """What the trees are: ``dependencies`` or ``constituents``."""

    @property
    def language(self) -> str:
        """The language of raw text, as an ISO 639 code, or an empty string."""
        return str(self.info.get("language", ""))

    @property
    def splitter(self) -> Splitter:
        """What cuts raw text into sentences and words: what the model has learned, or the rules of its language."""
        return Rules(self.language)

    @property
    def needs_tags(self) -> bool:
        """Whether sentences must come with tags: the model learned from gold tags and has no tagger."""
        return False

    @property
    def identity(self) -> str:
        """A digest of all that decides which trees the parser finds."""
        manifest, arrays = self.describe()
        return digest(json.dumps(manifest), arrays)

    @abstractmethod
    def parse_sentence(self, sentence: Sentence, *, keep_tags: bool = False) -> T:
        """Find the best tree of one sentence.

        Parameters
        ----------
        sentence : Sentence
        keep_tags : bool
            Whether to use the tags of the sentence instead of predicting them.

        Raises
        ------
        UsageError
            If the sentence is too long, or lacks something that the model needs.
        """

    @abstractmethod
    def k_best(self, sentence: Sentence, k: int, *, keep_tags: bool = False) -> list[Ranked[T]]:
        """Find the k best trees of a sentence, best first; all of them where there are fewer.

        Parameters and errors are those of `parse_sentence`.
        """

    def candidates(self, sentence: Sentence, k: int, **options: Unpack[ParsingOptions]) -> list[Ranked[T]]:
        """Find the k best trees that a reranker chooses from; the options are those of `k_best`."""
        k_best: Callable[..., list[Ranked[T]]] = self.k_best
        return k_best(sentence, k, **options)

    def accepts(self, sentence: Sentence) -> bool:
        """Return whether a sentence has a tree at all; `parse` and `parse_all` skip those that have none."""
        return True

    def parse(self, text: Parsable, **options: Unpack[ParsingOptions]) -> list[T]:
        """Parse text, the words of one sentence, or sentences; calling the parser does the same.

        Parameters
        ----------
        text : str, list of str, Sentence, or list of lists of str or of Sentence
            Text is split into sentences and words.  A list of words is one sentence.
        **options
            Those of `parse_sentence`; ``keep_tags`` applies to a `Sentence` alone.

        Returns
        -------
        list
            A tree for each sentence.

        Raises
        ------
        TypeError
            If it is given anything else: bytes, None, a list of texts (see `pipe`).
        """
        sentences, may_have_tags = sentences_of(text, self.splitter)
        if not may_have_tags:
            options.pop("keep_tags", None)
        find: Callable[..., T] = self.parse_sentence
        return [find(sentence, **options) for sentence in sentences if self.accepts(sentence)]

    __call__ = parse

    def pipe(
        self, texts: Iterable[Parsable], *, threads: int | None = None, **options: Unpack[ParsingOptions]
    ) -> Iterator[list[T]]:
        """Parse many texts, in order and on several threads: see `parse`.

        Yields
        ------
        list
            The trees of each text.
        """
        if isinstance(texts, str | bytes | Sentence):
            raise TypeError(f"pipe takes many texts, and this is one {type(texts).__name__}: use parse")
        return in_order(lambda text: self.parse(text, **options), texts, threads, batch=1)

    def parse_all(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int | None = None,
        executor: Executor | None = None,
        **options: Unpack[ParsingOptions],
    ) -> Iterator[T]:
        """Parse many sentences, in order, on several threads or by an executor.

        Parameters
        ----------
        sentences : iterable of Sentence
            Read only a little ahead, so that any number of them can be streamed.
        threads : int, optional
            How many to use; all cores unless given.
        executor : Executor, optional
            What to parse with instead of threads: processes or a cluster (`treewright.execution`).
        **options
            Those of `parse_sentence`.
        """
        if executor is not None:
            shards = executor.map(ParseShard(self, options), shards_of(sentences))
            return (tree for trees in shards for tree in trees)
        find: Callable[..., T] = self.parse_sentence
        return in_order(lambda sentence: find(sentence, **options), filter(self.accepts, sentences), threads)

    def k_best_all(
        self,
        sentences: Iterable[Sentence],
        k: int,
        *,
        threads: int | None = None,
        executor: Executor | None = None,
        **options: Unpack[ParsingOptions],
    ) -> Iterator[list[Ranked[T]]]:
        """Find the k best trees of many sentences: see `k_best` and `parse_all`."""
        if executor is not None:
            shards = executor.map(KBestShard(self, options, k), shards_of(sentences))
            return (trees for lists in shards for trees in lists)
        find: Callable[..., list[Ranked[T]]] = self.k_best
        return in_order(lambda sentence: find(sentence, k, **options), filter(self.accepts, sentences), threads)

    def refuse_too_long(self, sentence: Sentence) -> None:
        """Raise a UsageError if a sentence has more than `MAX_WORDS` words."""
        if len(sentence) > self.MAX_WORDS:
            raise UsageError(
                f"a sentence of {len(sentence):,} words is too long to parse (the limit is {self.MAX_WORDS:,})"
            )


def shards_of(sentences: Iterable[Sentence], words: int | None = None) -> Iterator[list[Sentence]]:
    """Cut a corpus into shards, the pieces of work of an executor, of about this many words (`SHARD_WORDS`)."""
    return sharded(
        sentences, SHARD_WORDS if words is None else words, lambda sentence: len(sentence) + 1
    )  # an empty sentence is some work too


class SentenceTask(Task[list[Sentence], list[R]]):
    """What is done with a shard of sentences, and gives an R for each of them, or for some."""

    @property
    @abstractmethod
    def identity(self) -> list[object]:
        """What decides the result, as plain data."""

    def describe(self, shard: list[Sentence]) -> str:
        """Describe a shard by its first words."""
        return f"which begins {' '.join(shard[0].forms)[:40]!r}"


@dataclass(frozen=True)
class ShardTask(SentenceTask[R]):
    """A parser at work on a shard of sentences: what executors do for `parse_all` and `k_best_all`."""

    parser: TreeParser[Any]
    options: ParsingOptions

    @property
    def identity(self) -> list[object]:
        """The parser, and its options."""
        return [self.parser.identity, {name: str(value) for name, value in self.options.items()}]


@dataclass(frozen=True)
class ParseShard(ShardTask[T]):
    """Find the best tree of each sentence of a shard; see `TreeParser.parse_sentence` for the options."""

    parser: TreeParser[T]

    def __call__(self, shard: list[Sentence]) -> list[T]:
        """Parse a shard."""
        find: Callable[..., T] = self.parser.parse_sentence
        return [find(one, **self.options) for one in shard if self.parser.accepts(one)]


@dataclass(frozen=True)
class KBestShard(ShardTask[list[Ranked[T]]]):
    """Find the k best trees of each sentence of a shard; see `TreeParser.k_best` for the options."""

    parser: TreeParser[T]
    k: int

    @property
    def identity(self) -> list[object]:
        """The parser, the options, and k."""
        return [*super().identity, self.k]

    def __call__(self, shard: list[Sentence]) -> list[list[Ranked[T]]]:
        """Parse a shard."""
        find: Callable[..., list[Ranked[T]]] = self.parser.k_best
        return [find(one, self.k, **self.options) for one in shard if self.parser.accepts(one)]
