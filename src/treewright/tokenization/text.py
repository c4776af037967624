"""From raw text to sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from treewright.tokenization.characters import SPACE
from treewright.tokenization.sentences import sentence_spans
from treewright.tokenization.token import Token
from treewright.tokenization.words import tokenize_words
from treewright.treebank.sentence import Sentence

__all__ = ["sentence_from_tokens", "tokenize", "tokenize_stream"]

_SPACES = re.compile(f"[{SPACE}]+")
_LAST_SPACE = re.compile(rf"(?s).*[{SPACE}]")

#: A paragraph in a stream is cut when it grows beyond this many characters.
_LONGEST_PARAGRAPH = 1 << 16


def tokenize(text: str, language: str = "en") -> Iterator[Sentence]:
    """Cut a text into sentences of words.

    Parameters
    ----------
    text : str
        Raw text; blank lines end paragraphs, single line breaks are spaces.  Any string will do: control
        characters and lone surrogates count as white space.
    language : str
        An ISO 639 code.

    Yields
    ------
    Sentence
        With its words, ``SpaceAfter=No`` where no white space follows, and a ``# text`` comment.

    Examples
    --------
    >>> for sentence in tokenize("Trees grow. Don't they?"):
    ...     print(" ".join(sentence.forms))
    Trees grow .
    Do n't they ?
    """
    for start, end in sentence_spans(text, language):
        piece = text[start:end]
        yield sentence_from_tokens(piece, tokenize_words(piece, language))


def tokenize_stream(lines: Iterable[str], language: str = "en") -> Iterator[Sentence]:
    r"""Cut text that comes line by line, such as an open file, into sentences.

    A blank line ends a paragraph; any other line break is a space.  No more than a paragraph is held in
    memory; one of over 65,536 characters is cut where a sentence ends, or else at a space, or else anywhere.

    Parameters
    ----------
    lines : iterable of str
        Lines, with or without their line breaks.
    language : str
        An ISO 639 code.

    Examples
    --------
    >>> [sentence.forms for sentence in tokenize_stream(["Trees\n", "grow\n", "\n", "They do\n"])]
    [['Trees', 'grow'], ['They', 'do']]
    """
    held: list[str] = []
    size = 0
    for line in lines:
        if _SPACES.fullmatch(line) or not line:
            yield from tokenize("".join(held), language)
            held, size = [], 0
            continue
        held.append(line if line.endswith("\n") else line + "\n")
        size += len(line)
        if size > _LONGEST_PARAGRAPH:
            text = "".join(held)
            at = _safe_cut(text, language)
            yield from tokenize(text[:at], language)
            held, size = [text[at:]], len(text) - at
    yield from tokenize("".join(held), language)


def _safe_cut(text: str, language: str) -> int:
    """Say where to cut a long paragraph: so that less than half of the longest remains."""
    window = max(0, len(text) - _LONGEST_PARAGRAPH // 2)
    starts = [start for start, _ in sentence_spans(text[window:], language)]
    if len(starts) > 1:
        return window + starts[-1]
    space = _LAST_SPACE.match(text, window, len(text) - 1)
    return space.end() if space else len(text)


def sentence_from_tokens(text: str, tokens: Sequence[Token]) -> Sentence:
    """Make a sentence of the tokens of a text.

    Examples
    --------
    >>> sentence_from_tokens("Trees grow.", tokenize_words("Trees grow.")).misc
    ['_', 'SpaceAfter=No', '_']
    """
    forms: list[str] = []
    misc: list[str] = []
    following = [token.start for token in tokens[1:]] + [-1]
    for token, start in zip(tokens, following, strict=True):
        forms.extend(token.words)
        misc.extend(["SpaceAfter=No"] * (len(token.words) - 1))
        misc.append("SpaceAfter=No" if start == token.end else "_")
    comment = "# text = " + _SPACES.sub(" ", text).strip()
    return Sentence.from_forms(forms, misc=misc, comments=[comment])
