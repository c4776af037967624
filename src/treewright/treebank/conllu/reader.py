"""Read CoNLL-U and CoNLL-X: one sentence at a time, strictly, and without losing a byte."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from typing import BinaryIO, Literal, get_args

from treewright.errors import TreebankError, UsageError
from treewright.files import PathLike, open_input
from treewright.treebank.conllu.blocks import Block, blocks
from treewright.treebank.conllu.columns import parse_sentence
from treewright.treebank.conllu.diagnosis import diagnose, diagnose_bytes
from treewright.treebank.conllu.layout import separate
from treewright.treebank.sentence import Format, Sentence

__all__ = ["Reader", "check_format", "name_of", "read", "read_string"]

OnSkip = Callable[[TreebankError], object]


def read(
    source: PathLike | BinaryIO,
    format: Format = "conllu",
    on_error: Literal["raise", "skip"] = "raise",
    on_skip: OnSkip | None = None,
    name: str | None = None,
) -> Reader:
    """Read the sentences of a treebank, one at a time.

    Memory does not grow with the file.  Writing the sentences again gives the same bytes.  A sentence that
    has no words stands only for a file that has none but is not empty.

    Parameters
    ----------
    source : path or binary stream
        A file, plain or compressed with gzip or xz, or an open stream of plain bytes.
    format : {"conllu", "conllx"}
        The format of the file.
    on_error : {"raise", "skip"}
        What to do with a malformed sentence: raise the error, or leave the sentence out and go on after
        the next blank line.
    on_skip : callable, optional
        Called with the error of each sentence left out.
    name : str, optional
        What to call the source in messages; its own name unless given.

    Returns
    -------
    Reader
        An iterator of sentences; its ``skipped`` counts those left out.

    Raises
    ------
    TreebankError
        While iterating: a sentence is malformed, or the rest of the file cannot be read.
    UsageError
        While iterating: there is no such file, or it may not be read.

    Examples
    --------
    >>> for sentence in read("tests/data/nonprojective.conllu"):
    ...     print(sentence.text, sentence.heads.tolist())
    A hearing is scheduled on the issue today . [2, 3, 0, 3, 7, 7, 2, 4, 3]
    """
    check_format(format)
    if on_error not in ("raise", "skip"):
        raise UsageError(f"on_error is {on_error!r}; it must be 'raise' or 'skip'")
    return Reader(source, format, on_error == "skip", on_skip, name)


def read_string(text: str, format: Format = "conllu") -> list[Sentence]:
    """Read the sentences in a string.

    Examples
    --------
    >>> line = "1 Go go VERB _ _ 0 root _ _".replace(" ", chr(9))
    >>> [sentence] = read_string(line)
    >>> sentence.lemmas
    ['go']
    """
    raw = text.encode("utf-8", "surrogatepass")
    return list(read(io.BytesIO(raw), format, name="<string>"))


class Reader(Iterator[Sentence]):
    """An iterator over the sentences of a treebank, as `read` makes it.

    Attributes
    ----------
    skipped : int
        How many malformed sentences have been left out so far.
    """

    def __init__(
        self,
        source: PathLike | BinaryIO,
        format: Format,
        is_skipping: bool,
        on_skip: OnSkip | None,
        name: str | None,
    ) -> None:
        self.skipped = 0
        self._format = format
        self._is_skipping = is_skipping
        self._on_skip = on_skip
        self._name = name if name is not None else name_of(source)
        self._sentences = self._open(source)

    def __next__(self) -> Sentence:
        return next(self._sentences)

    def _open(self, source: PathLike | BinaryIO) -> Iterator[Sentence]:
        if isinstance(source, str | os.PathLike):
            with open_input(source) as stream:
                yield from self._read(stream)
        else:
            yield from self._read(source)

    def _read(self, stream: BinaryIO) -> Iterator[Sentence]:
        for block in blocks(stream, self._name, self._format == "conllu"):
            try:
                sentence = self._parse(block)
            except TreebankError as error:
                if block.is_fatal or not self._is_skipping:
                    raise
                self.skipped += 1
                if self._on_skip is not None:
                    self._on_skip(error)
            else:
                yield sentence

    def _parse(self, block: Block) -> Sentence:
        if block.error is not None:
            raise block.error
        try:
            text = block.raw.decode()
        except UnicodeDecodeError as error:
            raise diagnose_bytes(block.raw, error, self._name, block.line) from None
        body, layout = (text[:-2], None) if block.is_usual else separate(text, is_first=block.line == 1)
        sentence = parse_sentence(body, self._format)
        if sentence is None:
            line = block.line + (layout.before.count("\n") if layout is not None else 0)
            raise diagnose(body, self._format, self._name, line)
        sentence.layout = layout
        return sentence


def check_format(format: str) -> None:
    """Refuse the name of a format that there is not."""
    if format not in get_args(Format):
        raise UsageError(f"there is no format {format!r}; choose one of {', '.join(get_args(Format))}")


def name_of(source: PathLike | BinaryIO) -> str:
    """Give the name of a source, for messages."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"
