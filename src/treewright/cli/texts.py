"""Raw text as it comes: decoded line by line, cut into sentences, and numbered."""

from __future__ import annotations

import codecs
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

from treewright.cli.console import notice
from treewright.files import READ_ERRORS, describe_read_error
from treewright.tokenization import Splitter, Token, differs, name_of_language, sentence_from_tokens, tokenize_pieces
from treewright.treebank import Sentence
from treewright.treebank.reading import OnError, Place

__all__ = ["TEXTS", "TextFormat", "TextReader", "doubted", "identified", "names_of"]

TextFormat = Literal["text", "lines", "tokens"]

#: The formats of raw text.
TEXTS: tuple[TextFormat, ...] = ("text", "lines", "tokens")

#: How much of a text is read at a time, so that a line of any length comes in pieces that fit into memory.
CHUNK = 1 << 16

_WORD = re.compile(r"\S+")

#: How many words tell their language.
SAMPLE = 300


@dataclass(frozen=True)
class TextReader:
    """Reads raw text: running text, a sentence on each line, or a sentence of words with spaces between them.

    Running text and lines are cut into words by a splitter.  Of running text that is typed in a terminal, each line is
    a paragraph, so that nobody waits for the next blank line.  The sentences of a document, which has a name, are
    numbered.
    """

    format: TextFormat
    splitter: Splitter
    on_error: OnError
    typed: bool = False
    document: str | None = None

    def read(self, stream: BinaryIO, name: str) -> Iterator[Sentence]:
        """Read the sentences of a stream."""
        sentences = self._sentences(self.lines(stream, name))
        return sentences if self.document is None else identified(sentences, self.document)

    def _sentences(self, lines: Iterator[str]) -> Iterator[Sentence]:
        if self.format == "tokens":
            return _of_words(lines)
        if self.format == "lines":
            return tokenize_pieces(lines, self.splitter, a_line_is="sentence")
        is_document = self.document is not None
        return tokenize_pieces(
            lines, self.splitter, paragraphs=is_document, a_line_is="paragraph" if self.typed else "text"
        )

    def lines(self, stream: BinaryIO, name: str) -> Iterator[str]:
        """Decode a text as it comes; a line that is very long comes in pieces."""
        decoder = codecs.getincrementaldecoder("utf-8-sig")("replace" if self.on_error == "skip" else "strict")
        rest, place = "", Place()
        while True:
            try:
                raw = stream.read(CHUNK) if stream.seekable() else stream.read1(CHUNK)  # type: ignore[attr-defined]
                text = decoder.decode(raw, not raw)
            except UnicodeDecodeError as error:
                reason = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
                hint = "convert the file to UTF-8, or say --on-error skip to replace what is wrong"
                raise place.after(error.object[: error.start].decode()).error(f"{reason}; {hint}", name) from None
            except READ_ERRORS as error:
                raise place.error(describe_read_error(error), name) from None
            place = place.after(text)
            *lines, rest = (rest + text).split("\n")
            yield from (line + "\n" for line in lines)
            if len(rest) > CHUNK or not raw:
                yield rest
                rest = ""
            if not raw:
                return


def _of_words(lines: Iterable[str]) -> Iterator[Sentence]:
    """Find the words of lines, with spaces between them."""
    start = 0
    for line in lines:
        words = [Token(*match.span(), (match.group(),)) for match in _WORD.finditer(line)]
        if words:
            yield sentence_from_tokens(line, words, start)
        start += len(line)


def identified(sentences: Iterable[Sentence], name: str) -> Iterator[Sentence]:
    """Note where sentences are from: the document at the first, and a number at each.

    Examples
    --------
    >>> sentences = [Sentence.from_forms(["Go"], comments=["# newpar", "# text = Go"]), Sentence.from_forms(["Stop"])]
    >>> [sentence.comments for sentence in identified(sentences, "notes")]
    [['# newdoc id = notes', '# newpar', '# sent_id = notes-1', '# text = Go'], ['# sent_id = notes-2']]
    """
    for number, sentence in enumerate(sentences, 1):
        document = [f"# newdoc id = {name}"] if number == 1 else []
        paragraph = [comment for comment in sentence.comments if comment == "# newpar"]
        others = [comment for comment in sentence.comments if comment != "# newpar"]
        yield sentence.replace(comments=[*document, *paragraph, f"# sent_id = {name}-{number}", *others])


def doubted(sentences: Iterable[Sentence], language: str) -> Iterator[Sentence]:
    """Yield sentences; once it is clear that they are in another language, say so on standard error."""
    seen, words = Counter[str](), 0
    for sentence in sentences:
        yield sentence
        if words < SAMPLE:
            words += len(sentence)
            seen.update(sentence.forms)
            if words >= SAMPLE:
                _compare(seen, language)
    if words < SAMPLE:
        _compare(seen, language)


def _compare(words: Counter[str], language: str) -> None:
    if other := differs(words, language):
        own = name_of_language(language)
        notice(f"This looks like {other}, and is read as {own}: choose a model (or --language) that fits.")


def names_of(paths: Iterable[str]) -> list[str]:
    """Name documents after their files, each differently.

    Examples
    --------
    >>> names_of(["news/may 1.txt.gz", "web/may 1.txt", "book.txt"])
    ['may_1', 'may_1.2', 'book']
    """
    names: list[str] = []
    for path in paths:
        stem = os.path.basename(path).removesuffix(".gz").removesuffix(".xz")
        name = base = "_".join(os.path.splitext(stem)[0].split()) or "text"
        number = 1
        while name in names:
            number += 1
            name = f"{base}.{number}"
        names.append(name)
    return names
