"""Read CoNLL-U and CoNLL-X: one sentence at a time, strictly and losslessly."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO, get_args

from treewright.errors import TreebankError, UsageError
from treewright.files import PathLike
from treewright.treebank.conllu.blocks import Block, blocks
from treewright.treebank.conllu.columns import parse_sentence
from treewright.treebank.conllu.diagnosis import diagnose
from treewright.treebank.conllu.layout import separate
from treewright.treebank.reading import OnError, OnSkip, Source, TreebankReader, decode
from treewright.treebank.sentence import Format, Sentence

__all__ = ["Reader", "check_format", "read", "read_string"]


def read(
    source: PathLike | BinaryIO,
    format: Format = "conllu",
    on_error: OnError = "raise",
    on_skip: OnSkip | None = None,
    name: str | None = None,
) -> Reader:
    """Read the sentences of a treebank, one at a time.

    Memory does not grow with the file.  Writing the sentences again reproduces the file byte for byte.  A file that has
    something in it but no words yields one sentence without words.

    Parameters
    ----------
    source : path or binary stream
        A file, plain or compressed with gzip or xz, or an open stream of plain bytes.
    format : {"conllu", "conllx"}
        The format of the file.
    on_error : {"raise", "skip"}
        What to do with a malformed sentence: raise the error, or skip the sentence and go on after the next blank line.
    on_skip : callable, optional
        Called with the error of each skipped sentence.
    name : str, optional
        What to call the source in messages; by default its own name.

    Returns
    -------
    Reader
        An iterator of sentences; its ``skipped`` counts those skipped.

    Raises
    ------
    TreebankError
        While iterating: if a sentence is malformed, or the rest of the file cannot be read.
    UsageError
        While iterating: if there is no such file, or it may not be read.

    Examples
    --------
    >>> for sentence in read("tests/data/nonprojective.conllu"):
    ...     print(sentence.text, sentence.heads.tolist())
    A hearing is scheduled on the issue today . [2, 3, 0, 3, 7, 7, 2, 4, 3]
    """
    return Reader(Source(source, on_error, on_skip, name), format)


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


class Reader(TreebankReader[Sentence]):
    """An iterator over the sentences of a treebank, as `read` returns it; ``skipped`` counts those skipped so far."""

    def __init__(self, source: Source, format: Format = "conllu") -> None:
        super().__init__(source)
        check_format(format)
        self._format = format

    def _read(self, stream: BinaryIO) -> Iterator[Sentence]:
        for block in blocks(stream, self._name, self._format == "conllu"):
            try:
                sentence = self._parse(block)
            except TreebankError as error:
                if block.is_fatal:
                    raise
                self._refuse(error)
            else:
                yield sentence

    def _parse(self, block: Block) -> Sentence:
        if block.error is not None:
            raise block.error
        text = decode(block.raw, self._name, block.line)
        body, layout = (text[:-2], None) if block.is_usual else separate(text, is_first=block.line == 1)
        sentence = parse_sentence(body, self._format)
        if sentence is None:
            line = block.line + (layout.before.count("\n") if layout is not None else 0)
            raise diagnose(body, self._format, self._name, line)
        sentence.layout = layout
        return sentence


def check_format(format: str) -> None:
    """Raise an error unless there is a format of this name."""
    if format not in get_args(Format):
        raise UsageError(f"there is no format {format!r}; choose one of {', '.join(get_args(Format))}")
