"""Cutting a corpus into shards, the pieces of work of an executor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from treewright.execution import sharded
from treewright.treebank import Sentence

__all__ = ["SHARD_WORDS", "shards_of"]

#: The words of a shard: some tenths of a second of work.
SHARD_WORDS = 4_096


def shards_of(sentences: Iterable[Sentence], words: int = SHARD_WORDS) -> Iterator[list[Sentence]]:
    """Cut a corpus into shards of about this many words."""
    return sharded(sentences, words, lambda sentence: len(sentence) + 1)  # an empty sentence is some work too
