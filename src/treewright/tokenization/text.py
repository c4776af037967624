"""From raw text to sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from treewright.tokenization.characters import SPACE
from treewright.tokenization.sentences import sentence_spans
from treewright.tokenization.token import Token
from treewright.tokenization.words import tokenize_words
from treewright.treebank.sentence import Sentence

__all__ = ["sentence_from_tokens", "tokenize", "tokenize_lines", "tokenize_stream"]

_SPACES = re.compile(f"[{SPACE}]+")
_LAST_SPACE = re.compile(rf"(?s).*[{SPACE}]")

#: Sentences are cut after this many tokens: anything longer is probably a table or a list.
_LONGEST_SENTENCE = 500

#: A paragraph in a stream is cut after this many characters.
_LONGEST_PARAGRAPH = 1 << 16


def tokenize(text: str, language: str = "en") -> Iterator[Sentence]:
    """Cut a text into sentences of words.

    Parameters
    ----------
    text : str
        Raw text; blank lines end paragraphs, and single line breaks are spaces.  Any string is allowed: control
        characters and lone surrogates count as white space.
    language : str
        An ISO 639 code.

    Yields
    ------
    Sentence
        Its words, with ``SpaceAfter=No`` if no white space follows, and a ``# text`` comment.

    Examples
    --------
    >>> for sentence in tokenize("Trees grow. Don't they?"):
    ...     print(" ".join(sentence.forms))
    Trees grow .
    Do n't they ?
    """
    for start, end in sentence_spans(text, language):
        yield from _cut(text[start:end], language)


def tokenize_lines(lines: Iterable[str], language: str = "en") -> Iterator[Sentence]:
    r"""Cut lines into words: a sentence on each line; empty ones are skipped.

    Examples
    --------
    >>> [sentence.forms for sentence in tokenize_lines(["Mr. X. He slept.\n", "\n", "Don't"])]
    [['Mr.', 'X.', 'He', 'slept', '.'], ['Do', "n't"]]
    """
    return (sentence for line in lines for sentence in _cut(line, language))


def _cut(text: str, language: str) -> Iterator[Sentence]:
    """Cut a sentence into words, and one that is too long into several."""
    tokens = tokenize_words(text, language)
    for first in range(0, len(tokens), _LONGEST_SENTENCE):
        yield sentence_from_tokens(text, tokens[first : first + _LONGEST_SENTENCE])


def tokenize_stream(lines: Iterable[str], language: str = "en", *, paragraphs: bool = False) -> Iterator[Sentence]:
    r"""Cut text that comes line by line, such as an open file, into sentences.

    A blank line ends a paragraph; any other line break is a space.  At most one paragraph is held in memory; a
    paragraph of over 65,536 characters is cut where a sentence ends, or else at a space, or else anywhere.

    Parameters
    ----------
    lines : iterable of str
        Lines, with or without their line breaks.
    language : str
        An ISO 639 code.
    paragraphs : bool
        Whether to note where paragraphs begin, with a comment ``# newpar``.

    Examples
    --------
    >>> [sentence.forms for sentence in tokenize_stream(["Trees\n", "grow\n", "\n", "They do\n"])]
    [['Trees', 'grow'], ['They', 'do']]
    """
    held: list[str] = []
    size, is_new = 0, paragraphs

    def sentences(text: str) -> Iterator[Sentence]:
        nonlocal is_new
        for sentence in tokenize(text, language):
            yield sentence.replace(comments=["# newpar", *sentence.comments]) if is_new else sentence
            is_new = False

    for line in lines:
        if _SPACES.fullmatch(line) or not line:
            yield from sentences("".join(held))
            held, size, is_new = [], 0, paragraphs
            continue
        held.append(line if line.endswith("\n") else line + "\n")
        size += len(line)
        if size > _LONGEST_PARAGRAPH:
            text = "".join(held)
            at = _safe_cut(text, language)
            yield from sentences(text[:at])
            held, size = [text[at:]], len(text) - at
    yield from sentences("".join(held))


def _safe_cut(text: str, language: str) -> int:
    """Find where to cut a long paragraph, so that the rest is less than half of the limit."""
    window = max(0, len(text) - _LONGEST_PARAGRAPH // 2)
    starts = [start for start, _ in sentence_spans(text[window:], language)]
    if len(starts) > 1:
        return window + starts[-1]
    space = _LAST_SPACE.match(text, window, len(text) - 1)
    return space.end() if space else len(text)


def sentence_from_tokens(text: str, tokens: Sequence[Token]) -> Sentence:
    r"""Make a sentence from consecutive tokens of a text.

    Examples
    --------
    >>> sentence = sentence_from_tokens("Don't go.", tokenize_words("Don't go."))
    >>> sentence.forms, sentence.misc
    (['Do', "n't", 'go', '.'], ['_', '_', 'SpaceAfter=No', '_'])
    >>> sentence.asides
    [(0, "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_")]
    """
    forms: list[str] = []
    misc: list[str] = []
    asides: list[tuple[int, str]] = []
    following = [token.start for token in tokens[1:]] + [-1]
    for token, start in zip(tokens, following, strict=True):
        spacing = "SpaceAfter=No" if start == token.end else "_"
        if token.is_multiword:
            first, last = len(forms) + 1, len(forms) + len(token.words)
            columns = [f"{first}-{last}", text[token.start : token.end], *"_______", spacing]
            asides.append((len(forms), "\t".join(columns)))
        forms.extend(token.words)
        misc.extend(["_"] * (len(token.words) - 1))
        misc.append("_" if token.is_multiword else spacing)
    surface = text[tokens[0].start : tokens[-1].end]
    comment = "# text = " + _SPACES.sub(" ", surface).strip()
    return Sentence.from_forms(forms, misc=misc, comments=[comment], asides=asides)
