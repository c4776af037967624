"""From raw text to sentences."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np

from treewright.tokenization.characters import SPACE
from treewright.tokenization.splitter import Splitter, splitter_of
from treewright.tokenization.stream import blocks_of, with_breaks
from treewright.tokenization.token import Token
from treewright.treebank.sentence import Sentence

__all__ = ["sentence_from_tokens", "tokenize", "tokenize_lines", "tokenize_pieces", "tokenize_stream"]

_SPACES = re.compile(f"[{SPACE}]+")

#: Sentences are cut after this many tokens: anything longer is probably a table or a list.
_LONGEST_SENTENCE = 500


def tokenize(text: str, language: str | Splitter = "en") -> Iterator[Sentence]:
    """Cut a text into sentences of words.

    Parameters
    ----------
    text : str
        Raw text; blank lines end paragraphs, and single line breaks are spaces.  Any string is allowed: control
        characters and lone surrogates count as white space.
    language : str or Splitter
        An ISO 639 code, whose rules are followed; or what was learned from a treebank, such as
        `treewright.tokenization.Tokenizer`.

    Yields
    ------
    Sentence
        Its words, with ``SpaceAfter=No`` if no white space follows, a ``# text`` comment, and ``ranges``: where each
        word is in the text.

    Examples
    --------
    >>> for sentence in tokenize("Trees grow. Don't they?"):
    ...     print(" ".join(sentence.forms), sentence.ranges.tolist())
    Trees grow . [[0, 5], [6, 10], [10, 11]]
    Do n't they ? [[12, 17], [12, 17], [18, 22], [22, 23]]
    """
    for tokens in splitter_of(language).split(text):
        yield from _cut(text, tokens)


def tokenize_lines(lines: Iterable[str], language: str | Splitter = "en") -> Iterator[Sentence]:
    r"""Cut lines into words: a sentence on each line; empty ones are skipped.

    Examples
    --------
    >>> [sentence.forms for sentence in tokenize_lines(["Mr. X. He slept.\n", "\n", "Don't"])]
    [['Mr.', 'X.', 'He', 'slept', '.'], ['Do', "n't"]]
    """
    return tokenize_pieces(with_breaks(lines), language, a_line_is="sentence")


def tokenize_stream(
    lines: Iterable[str], language: str | Splitter = "en", *, paragraphs: bool = False
) -> Iterator[Sentence]:
    r"""Cut text that comes line by line, such as an open file, into sentences.

    A blank line ends a paragraph; any other line break is a space.  At most one paragraph is held in memory; a
    paragraph of over 65,536 characters is cut where a sentence ends, or else at a space, or else anywhere.  The
    ``ranges`` of sentences count from the beginning of the stream, a line break being one character.

    Parameters
    ----------
    lines : iterable of str
        Lines, with or without their line breaks.
    language : str or Splitter
        As for `tokenize`.
    paragraphs : bool
        Whether to note where paragraphs begin, with a comment ``# newpar``.

    Examples
    --------
    >>> [sentence.forms for sentence in tokenize_stream(["Trees\n", "grow\n", "\n", "They do\n"])]
    [['Trees', 'grow'], ['They', 'do']]
    """
    return tokenize_pieces(with_breaks(lines), language, paragraphs=paragraphs)


def tokenize_pieces(
    pieces: Iterable[str],
    language: str | Splitter,
    *,
    paragraphs: bool = False,
    a_line_is: Literal["text", "paragraph", "sentence"] = "text",
) -> Iterator[Sentence]:
    """Cut text into sentences that comes in pieces: lines with their line breaks, a long one perhaps in several.

    See `tokenize_stream`.  A line is ``text``, which may go on in the next line, a ``paragraph`` or a ``sentence``.
    """
    splitter, is_new = splitter_of(language), False
    for block in blocks_of(pieces, splitter, line_by_line=a_line_is != "text"):
        is_new = paragraphs and (is_new or block.begins)
        whole = a_line_is == "sentence"
        for tokens in [splitter.tokens(block.text)] if whole else splitter.split(block.text):
            for sentence in _cut(block.text, tokens, block.start):
                yield sentence.replace(comments=["# newpar", *sentence.comments]) if is_new else sentence
                is_new = False


def _cut(text: str, tokens: Sequence[Token], start: int = 0) -> Iterator[Sentence]:
    """Make a sentence of tokens, and several if they are too many."""
    for first in range(0, len(tokens), _LONGEST_SENTENCE):
        yield sentence_from_tokens(text, tokens[first : first + _LONGEST_SENTENCE], start)


def sentence_from_tokens(text: str, tokens: Sequence[Token], start: int = 0) -> Sentence:
    r"""Make a sentence from consecutive tokens of a text, which itself begins at ``start``.

    Examples
    --------
    >>> from treewright.tokenization import tokenize_words
    >>> sentence = sentence_from_tokens("Don't go.", tokenize_words("Don't go."))
    >>> sentence.forms, sentence.misc
    (['Do', "n't", 'go', '.'], ['_', '_', 'SpaceAfter=No', '_'])
    >>> sentence.asides
    [(0, "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_")]
    >>> sentence.ranges.tolist()
    [[0, 5], [0, 5], [6, 8], [8, 9]]
    """
    starts, ends, words = zip(*tokens, strict=True)
    forms = list(itertools.chain.from_iterable(words))
    places = np.array([starts, ends], np.int64).T + start
    misc = ["SpaceAfter=No" if after == end else "_" for after, end in zip([*starts[1:], -1], ends, strict=True)]
    asides = list[tuple[int, str]]()
    if len(forms) > len(tokens):
        asides, misc = _multiword(text, tokens, misc)
        places = places.repeat(list(map(len, words)), axis=0)
    surface = text[tokens[0].start : tokens[-1].end]
    comment = "# text = " + _SPACES.sub(" ", surface).strip()
    return Sentence.from_forms(forms, misc=misc, comments=[comment], asides=asides, ranges=places)


def _multiword(text: str, tokens: Sequence[Token], misc: Sequence[str]) -> tuple[list[tuple[int, str]], list[str]]:
    """Return the lines of multiword tokens, and MISC of words: that of a multiword token is in its line."""
    asides, of_words = list[tuple[int, str]](), list[str]()
    for (start, end, words), spacing in zip(tokens, misc, strict=True):
        first, last = len(of_words) + 1, len(of_words) + len(words)
        if last > first:
            asides.append((first - 1, "\t".join([f"{first}-{last}", text[start:end], *"_______", spacing])))
            of_words.extend("_" * len(words))
        else:
            of_words.append(spacing)
    return asides, of_words
