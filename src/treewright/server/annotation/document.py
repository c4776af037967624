"""A CoNLL-U file in memory: what nobody changes stays as it was, byte for byte."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from treewright.errors import UsageError
from treewright.files import READ_ERRORS, PathLike, atomic_output, describe_read_error, open_input
from treewright.treebank import Sentence, format_sentence, read
from treewright.treebank.conllu.blocks import blocks

__all__ = ["MOST_BYTES", "Document", "digest_of"]

#: A larger file is refused: annotators work on parts of a treebank.
MOST_BYTES = 1 << 28


def digest_of(content: bytes) -> str:
    """Return what identifies the content of a file."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, eq=False)
class Document:
    """The sentences of a file, and the bytes of each."""

    path: str
    digest: str
    raw: list[bytes]
    sentences: list[Sentence]

    @classmethod
    def open(cls, path: PathLike) -> Document:
        """Read a file, plain or compressed.

        Raises
        ------
        TreebankError
            If a sentence is malformed.
        UsageError
            If the file cannot be read, is too large or has no sentences.

        Examples
        --------
        >>> from pathlib import Path
        >>> document = Document.open("tests/data/nonprojective.conllu")
        >>> len(document.sentences), document.content({}) == Path(document.path).read_bytes()
        (1, True)
        """
        name = os.fspath(path)
        with open_input(name) as file:
            try:
                content = file.read(MOST_BYTES + 1)
            except READ_ERRORS as error:
                raise UsageError(f"{name}: {describe_read_error(error)}") from None
        if len(content) > MOST_BYTES:
            raise UsageError(f"{name} is larger than {MOST_BYTES >> 20} MB: split it")
        sentences = list(read(io.BytesIO(content), name=name))
        if not any(map(len, sentences)):
            raise UsageError(f"{name} has no sentences: there is nothing to annotate")
        raw = [block.raw for block in blocks(io.BytesIO(content), name, has_comments=True)]
        return cls(name, digest_of(content), raw, sentences)

    def texts(self, changed: Mapping[int, Sentence]) -> Iterator[bytes]:
        """Yield the bytes of each sentence, new ones of those that have changed."""
        for number, raw in enumerate(self.raw):
            yield format_sentence(changed[number]).encode() if number in changed else raw

    def content(self, changed: Mapping[int, Sentence]) -> bytes:
        """Return the bytes of the whole file."""
        return b"".join(self.texts(changed))

    def write(self, content: bytes, path: PathLike) -> None:
        """Write a file whole or not at all."""
        with atomic_output(path) as file:
            file.write(content)
