"""Where sentences come from: files and standard input, as text or as treebanks."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Literal, TypeVar

from treewright.cli.console import notice
from treewright.cli.options import Input, InputFormat, OnError
from treewright.cli.texts import TEXTS, TextFormat, TextReader, doubted, names_of
from treewright.errors import TreebankError, UsageError
from treewright.files import open_input, position
from treewright.options import EmptyElements
from treewright.tokenization import Splitter, with_ranges
from treewright.treebank import Sentence, read, read_trees, simplify
from treewright.treebank.sentence import Format

__all__ = [
    "InputFormat",
    "Skipped",
    "Sources",
    "count_skipped",
    "guess_format",
    "is_bracketed",
    "refuse_missing",
    "treebank_format",
]

T = TypeVar("T")

_SUFFIXES: dict[str, InputFormat] = {
    ".conllu": "conllu",
    ".conll": "conllx",
    ".conllx": "conllx",
    ".mrg": "brackets",
    ".ptb": "brackets",
    ".penn": "brackets",
    ".brackets": "brackets",
}


def guess_format(path: str) -> InputFormat:
    """Return the format of a file, by its name.

    Examples
    --------
    >>> guess_format("dev.conllu.gz"), guess_format("dev.mrg"), guess_format("notes.txt")
    ('conllu', 'brackets', 'text')
    """
    return _SUFFIXES.get(_suffix(path), "text")


def is_bracketed(path: str) -> bool:
    """Return whether a file has bracketed trees, by its name."""
    return guess_format(path) == "brackets"


def _suffix(path: str) -> str:
    stem, suffix = os.path.splitext(path)
    return os.path.splitext(stem)[1] if suffix in (".gz", ".xz") else suffix


def treebank_format(path: str) -> Format:
    """Return the format of a file that can only be a treebank: CoNLL-U unless its name says otherwise."""
    format = guess_format(path)
    return format if format in ("conllu", "conllx") else "conllu"


def refuse_missing(*paths: str) -> None:
    """Refuse files that are not there, before anything takes time."""
    for path in paths:
        if not os.path.exists(path):
            raise UsageError(f"cannot read {path}: there is no such file")


class Skipped:
    """A report of which malformed sentences (or trees) are skipped, and how many."""

    def __init__(self, noun: str = "sentence") -> None:
        self.noun, self.count = noun, 0

    def __call__(self, error: TreebankError) -> None:
        """Note that a sentence was skipped because of this error."""
        self.count += 1
        notice(f"{error} ({self.noun} skipped)")


def count_skipped(path: str, noun: str, read: Callable[[Skipped], Iterable[T]]) -> Iterator[T]:
    """Yield what is read from a file, and report how many sentences (or trees) were skipped."""
    skipped = Skipped(noun)
    yield from read(skipped)
    if skipped.count:
        notice(f"{path}: skipped {skipped.count:,} malformed {noun}s")


class Sources:
    """Files, or standard input (``-``, or no files), or a text, and the sentences in them.

    Bracketed trees are read for their words and tags, without their empty elements, of the kind ``empty``.
    ``sentences`` and ``words`` count what has been read, and ``make_reader`` makes what reads raw text.  With
    ``ranges``, the tokens of text have a ``TokenRange``.
    """

    empty: EmptyElements = "penn"

    def __init__(self, input: Input, errors: OnError, quiet: bool = False, *, ranges: bool = False) -> None:
        if input.text is not None and input.files:
            raise UsageError("give either files or --text, not both")
        self.sentences = self.words = 0
        format = input.chosen_format
        self._has_ranges, self._by_paragraphs = ranges, input.paragraphs
        self._is_quiet = quiet
        self._text, self._mode, self._skipped = input.text, errors.mode, Skipped()
        if input.text is not None:
            self._files = [("<text>", format or "text")]
        else:
            self._files = [(path, format or guess_format(path)) for path in input.files or ["-"]]
            refuse_missing(*(path for path, _ in self._files if path != "-"))
        self.make_reader: Callable[[TextFormat, Splitter, Literal["raise", "skip"], bool, str | None], TextReader] = (
            TextReader
        )
        self._names = names_of(path for path, _ in self._files)
        self._sizes = [os.path.getsize(path) if os.path.isfile(path) else 0 for path, _ in self._files]
        self._current: BinaryIO | None = None
        self._finished = 0

    @property
    def is_text(self) -> bool:
        """Whether there is raw text in the input, which has neither tags nor heads."""
        return any(format in TEXTS for _, format in self._files)

    @property
    def is_only_text(self) -> bool:
        """Whether there is nothing but raw text in the input."""
        return all(format in TEXTS for _, format in self._files)

    def refuse_ranges(self) -> None:
        """Refuse input that is not raw text, where tokens are to point back into the text."""
        if self._has_ranges and not self.is_only_text:
            raise UsageError("--ranges are places in raw text: give text, or say --from text")

    @property
    def skipped(self) -> int:
        """The number of malformed sentences that have been left out."""
        return self._skipped.count

    def share(self) -> float | None:
        """Return the share of the input that has been read, if its size is known."""
        if not all(self._sizes) or self._current is None:
            return None
        here = position(self._current) if not self._current.closed else self._sizes[self._finished]
        return (sum(self._sizes[: self._finished]) + here) / sum(self._sizes)

    def read(self, splitter: Splitter) -> Iterator[Sentence]:
        """Read the sentences, one at a time; unless quiet, say so once if they seem to be in another language.

        Raw text is cut by the splitter.
        """
        sentences = self._read(splitter)
        sentences = map(with_ranges, sentences) if self._has_ranges else sentences
        return sentences if self._is_quiet else doubted(sentences, splitter.language)

    def _read(self, splitter: Splitter) -> Iterator[Sentence]:
        for index, (path, format) in enumerate(self._files):
            self._finished = index
            if self._text is not None:
                self._current = io.BytesIO(self._text.encode("utf-8", "surrogateescape"))
            elif path == "-":
                self._current = sys.stdin.buffer
                if sys.stdin.isatty():
                    unit = "paragraphs end at blank lines" if self._by_paragraphs else "a paragraph on each line"
                    notice(f"Reading from the terminal, {unit}; end with Ctrl-D.")
            else:
                self._current = open_input(path)
            with self._current as stream:
                for sentence in self._sentences(stream, "<stdin>" if path == "-" else path, format, splitter):
                    self.sentences += 1
                    self.words += len(sentence)
                    yield sentence

    def _sentences(self, stream: BinaryIO, name: str, format: InputFormat, splitter: Splitter) -> Iterator[Sentence]:
        if format == "brackets":
            return self._words_of_trees(stream, name)
        if format == "conllu" or format == "conllx":
            return read(stream, format, self._mode, self._skipped, name)
        typed = name == "<stdin>" and sys.stdin.isatty() and not self._by_paragraphs
        document = None if name in ("<stdin>", "<text>") else self._names[self._finished]
        return self.make_reader(format, splitter, self._mode, typed, document).read(stream, name)

    def _words_of_trees(self, stream: BinaryIO, name: str) -> Iterator[Sentence]:
        for tree in read_trees(stream, spaces="keep", on_error=self._mode, on_skip=self._skipped, name=name):
            simple = simplify(tree, empty=self.empty)
            if simple is not None:
                yield Sentence.from_forms(simple.words, upos=simple.tags, xpos=simple.tags)
