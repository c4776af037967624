"""Parsing a corpus to text: what workers do for each shard, results that can be kept on disk included."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from treewright.execution import Task
from treewright.parsing.parser import SentenceTask
from treewright.treebank import Sentence, format_sentence

__all__ = ["FormatShard"]

R = TypeVar("R")


@dataclass(frozen=True)
class FormatShard(Task[list[Sentence], str], Generic[R]):
    """Parse sentences and format the results, so that workers share that work too.

    Attributes
    ----------
    parse : SentenceTask
        Finds trees, or lists of trees, R.
    format : function
        Formats one R.
    name : str
        The name of the format.
    """

    parse: SentenceTask[R]
    format: Callable[[R], str]
    name: str

    def __call__(self, shard: list[Sentence]) -> str:
        """Parse a shard and format it."""
        return "".join(map(self.format, self.parse(shard)))

    def describe(self, shard: list[Sentence]) -> str:
        """Describe a shard by its first words."""
        return self.parse.describe(shard)

    @cached_property
    def _identity(self) -> bytes:
        return json.dumps([self.parse.identity, self.name], sort_keys=True).encode()

    def identify(self, shard: list[Sentence]) -> bytes:
        """Return a digest of the model, the options and the sentences."""
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
