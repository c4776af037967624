"""Parsing a corpus: the task that workers do for each shard of sentences."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy.typing as npt

from treewright.execution import Task, sharded
from treewright.model.container import digest
from treewright.treebank import Sentence, format_sentence

__all__ = ["SHARD_WORDS", "FormatShard", "ParseShard", "shards_of"]

#: The words of a shard: some tenths of a second of work, and all that is done on one core where there is no more.
SHARD_WORDS = 4_096


def shards_of(sentences: Iterable[Sentence], words: int = SHARD_WORDS) -> Iterator[list[Sentence]]:
    """Cut a corpus into shards of about so many words."""
    return sharded(sentences, words, lambda sentence: len(sentence) + 1)  # what has no words is not for nothing


class _Parser(Protocol):
    """What finds trees of sentences, of whatever kind."""

    def trees_of(self, sentence: Sentence, k: int | None, **options: Any) -> list[Any]:
        """Give the best tree of a sentence, or the k best."""

    def describe(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Take the parser apart into a manifest and arrays."""


@dataclass(frozen=True)
class ParseShard(Task[list[Sentence], list[Any]]):
    """Parses sentences.

    Attributes
    ----------
    parser : Parser or ConstituentParser
    k, options
        Those of its ``trees_of``.
    """

    parser: _Parser
    k: int | None
    options: Mapping[str, Any]

    def __call__(self, shard: list[Sentence]) -> list[Any]:
        """Parse a shard."""
        return [tree for sentence in shard for tree in self.parser.trees_of(sentence, self.k, **self.options)]

    def describe(self, shard: list[Sentence]) -> str:
        """Say how a shard begins."""
        return f"which begins {' '.join(shard[0].forms)[:40]!r}"


@dataclass(frozen=True)
class FormatShard(Task[list[Sentence], str]):
    """Parses sentences and writes them down, which workers can do as well.

    Attributes
    ----------
    parse : ParseShard
    format : function
        Writes a tree down.
    name : str
        What the format is called.
    """

    parse: ParseShard
    format: Callable[[Any], str]
    name: str

    def __call__(self, shard: list[Sentence]) -> str:
        """Parse a shard and write it down."""
        return "".join(map(self.format, self.parse(shard)))

    def describe(self, shard: list[Sentence]) -> str:
        """Say how a shard begins."""
        return self.parse.describe(shard)

    @cached_property
    def _identity(self) -> bytes:
        parser = self.parse.parser
        manifest, arrays = parser.describe()
        hooks = [f"{hook.__module__}.{getattr(hook, '__qualname__', '')}" for hook in getattr(parser, "hooks", ())]
        about = [digest(json.dumps(manifest), arrays), hooks, self.parse.k, dict(self.parse.options), self.name]
        return json.dumps(about, sort_keys=True).encode()

    def identify(self, shard: list[Sentence]) -> bytes:
        """Name the model, what is asked of it, and the sentences."""
        text = hashlib.sha256(self._identity)
        for sentence in shard:
            text.update(f"{sentence.format}\n{format_sentence(sentence, sentence.format)}".encode("utf-8", "replace"))
        return text.digest()

    def dump(self, result: str) -> bytes:
        """Turn text into bytes."""
        return result.encode("utf-8", "replace")

    def load(self, data: bytes) -> str:
        """Turn bytes into text."""
        return data.decode()
