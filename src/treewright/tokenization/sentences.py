"""Sentence splitting.

A sentence ends at a blank line, and at a mark that ends sentences (``. ! ? …`` and similar marks of other scripts) with
white space after it, unless the word before or after the mark indicates otherwise.  The marks of Chinese and Japanese
need no space after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treewright.tokenization.characters import CLOSERS, SPACE
from treewright.tokenization.languages import Language, language_of

__all__ = ["sentence_spans", "split_sentences"]

_MARKS = ".!?…؟۔।॥։።"
_CANDIDATE = re.compile(
    rf"""
    \n(?:(?!\n)[{SPACE}])*+\n | \u2029
  | (?<![{_MARKS}])(?P<mark>[{_MARKS}]++)[{CLOSERS}]*+
        (?:[ ]?[:;=]-?[)(D](?=[{SPACE}])|[ ][)\]])?(?=[{SPACE}])
  | [。！？｡．]++[{CLOSERS}]*+
    """,
    re.VERBOSE,
)
_LONGEST_WORD = 24

#: What comes before the number of a list item is shorter.
_LABEL = 9

_WORD_BEFORE = re.compile(r"(?<![\w.'’-])[\w.'’-]+\Z")
_NEXT = re.compile(
    rf"[{SPACE}]{{1,99}}+(?P<open>[\"'“‘«(\[*–—-]*+)(?:(?<=[–—]) )?(?P<word>[\w'’]{{0,24}})(?P<mark>[.…)]?)"
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")

#: The number of a section, and what may come before it inside of a sentence: *cases; 2.1. Those*.
_SECTION, _BEFORE_SECTION = re.compile(r"\d{1,3}(?:\.\d{1,3})+"), re.compile(r".*[;:]", re.DOTALL)

#: Abbreviations of "and so on", which often end a sentence.
_AND_SO_ON = frozenset(("etc", "usw", "osv", "itd", "atd", "stb", "enz", "srl", "т.д", "т.п", "др"))

#: English words that start a sentence far more often than they follow an abbreviation inside one.
_STARTING = (
    "the a an i he she it we you they this that these those there in on at but and so if when what who how "
    "why my his her our their your for as no yes not please"
)
_STARTERS = frozenset(_STARTING.split())

#: Abbreviations that are also common words: without a capital letter, or a number after them, they are words.
_ALSO = "no sat sun mar mass fig pa la min info est fax ed wed mon rec"
_ALSO_WORDS = frozenset(_ALSO.split())


def split_sentences(text: str, language: str = "en") -> list[str]:
    """Cut a text into sentences, without the white space around them.

    Parameters
    ----------
    text : str
        Raw text; blank lines end paragraphs, single line breaks are spaces.
    language : str
        An ISO 639 code.

    Examples
    --------
    >>> split_sentences("Mr. Smith left. Why? Nobody knows.")
    ['Mr. Smith left.', 'Why?', 'Nobody knows.']
    """
    return [text[start:end] for start, end in sentence_spans(text, language)]


def sentence_spans(text: str, language: str = "en") -> Iterator[tuple[int, int]]:
    """Yield the offsets of the sentences of a text, in order."""
    rules = language_of(language)
    start = 0
    for match in _CANDIDATE.finditer(text):
        if match["mark"] is None or _ends(text, match, rules, start):
            yield from _trimmed(text, start, match.end())
            start = match.end()
    yield from _trimmed(text, start, len(text))


_FILLED = re.compile(rf"[^{SPACE}]")


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the span without surrounding white space, unless it is empty."""
    first = _FILLED.search(text, start, end)
    if first:
        while not _FILLED.match(text, end - 1):
            end -= 1
        yield first.start(), end


def _ends(text: str, match: re.Match[str], rules: Language, start: int) -> bool:
    """Decide whether a mark with white space after it ends the sentence that began at ``start``."""
    mark = match["mark"]
    after = _NEXT.match(text, match.end())
    if after is None or (not after["word"] and after["mark"]):
        return after is None
    lower = after["word"][:1].islower()
    closed = match.end() > match.end("mark")
    if closed and lower:
        return False
    if len(mark) > 1 and not mark.strip(".…"):
        return not lower
    if mark != ".":
        return True
    dot = match.start("mark")
    before = _WORD_BEFORE.search(text, max(start, dot - _LONGEST_WORD), dot)
    if before is None:
        return not text[max(start, dot - 2) : dot].startswith(".")
    if lower and rules.code != "en":
        return False
    word, at = before.group(), before.start()
    if _SECTION.fullmatch(word) and _is_label(_BEFORE_SECTION.sub("", text[max(start, at - _LABEL) : at])):
        return False
    return _word_ends(word, after["word"], rules, _is_label(text[start:at]))


def _is_label(front: str) -> bool:
    """Check whether a number is that of a list item: only white space and a bullet come before it."""
    return len(front) < _LABEL and not front.strip(" \t\r\n*(#-•")


def _word_ends(word: str, following: str, rules: Language, first: bool) -> bool:
    """Decide whether a full stop after a word ends the sentence, or is part of the word."""
    name = word.lower()
    if word.isdigit():
        return not (first or (rules.ordinals and len(word) < 3))
    if name in _ALSO_WORDS and (word.islower() or name == "no"):
        return not following[:1].isdigit()
    if name in rules.titles:
        return False
    if name in _AND_SO_ON:
        return following[:1].isupper()
    if name in rules.abbreviations or _INITIALS.fullmatch(word):
        return following.lower() in _STARTERS and following[:1].isupper() and len(word) > 1
    return True
