"""What is known of the words of a text before it is decided where sentences end."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints
from treewright.kernels import inner_kernel, kernel
from treewright.tokenization.languages import language_of
from treewright.tokenization.learned.alphabet import KINDS, SPACES, Letters
from treewright.tokenization.learned.scoring import mix
from treewright.tokenization.words import chunk_marker

__all__ = ["Shapes", "Words", "words_of"]

#: Hashes of words, or of what is around them.
Shapes: TypeAlias = npt.NDArray[np.uint64]

_ZERO = np.uint64(0)
_DIGIT, _STOP, _POINT, _CLOSE, _OPEN, _QUOTE, _APOSTROPHE, _DASH, _SYMBOL, _LOWER, _UPPER = (
    KINDS.index(name)
    for name in (
        "digit", "stop", "point", "close", "open", "quote", "apostrophe", "dash", "symbol", "lower", "upper",
    )
)  # fmt: skip
_NEWLINE, _PARAGRAPH = 10, 0x2029

#: How much of a word, and of the punctuation around it, is looked at; and how far ahead.
_LONGEST, _MARKS, _FAR = 20, 6, 24


class Words(NamedTuple):
    """The words of a text, as far as the ends of sentences go: a word ends wherever a sentence may.

    Attributes
    ----------
    last : int array
        Where each word ends: the place of its last character.
    lead, core, trail : hash arrays
        Of the punctuation in front of the word, of the word in lower case, and of the punctuation after it.
    tail : hash array
        Of the last three characters of the word.
    shape : hash array
        Capitals, digits, length.
    mark : hash array
        The mark that may end a sentence, and whether something closes after it; 0 if there is none.
    ahead : hash array
        How many words follow up to the next such mark, at most `_FAR`.
    room : hash array
        How many words follow up to the end of the paragraph, at most `_FAR`.
    gap : int array
        What is after the word: 0 nothing, 1 white space, 2 the end of the paragraph.
    opened, quotes : int array
        How many brackets open in the word, less those that close, and how many quotation marks there are.
    """

    last: Ints
    lead: Shapes
    core: Shapes
    trail: Shapes
    tail: Shapes
    shape: Shapes
    mark: Shapes
    ahead: Shapes
    room: Shapes
    gap: Ints
    opened: Ints
    quotes: Ints


@inner_kernel
def _is_punctuation(kind: int) -> bool:
    return _STOP <= kind <= _SYMBOL


@kernel
def _last_characters(codes: npt.NDArray[np.uint32], kinds: npt.NDArray[np.uint8]) -> tuple[Ints, Ints]:
    """Find where words end, and what comes after each."""
    last, gap = np.empty(len(kinds), np.int64), np.empty(len(kinds), np.int64)
    count, lines = 0, 0
    for i in range(len(kinds)):
        if kinds[i] == SPACES:
            lines += 2 if codes[i] == _PARAGRAPH else (1 if codes[i] == _NEWLINE else 0)
            if count and lines > 1:
                gap[count - 1] = 2
            continue
        lines = 0
        is_last = i + 1 == len(kinds)
        if is_last or kinds[i + 1] == SPACES:
            last[count], gap[count] = i, 2 if is_last else 1
            count += 1
        elif (kinds[i] == _STOP or kinds[i] == _CLOSE or kinds[i] == _QUOTE) and not (
            _is_punctuation(kinds[i + 1]) and kinds[i + 1] != _OPEN
        ):
            last[count], gap[count] = i, 0
            count += 1
    if count:
        gap[count - 1] = 2
    return last[:count], gap[:count]


def words_of(text: str, letters: Letters, language: str) -> Words:
    """Find the words of a text; a sentence does not end inside of a token of the rules."""
    last, gap = _last_characters(letters.codes, letters.kinds)
    inner = np.flatnonzero(gap == 0)
    if len(inner):
        keep = np.ones(len(last), np.bool_)
        keep[inner] = _token_ends(text, letters, last[inner], language)
        last, gap = last[keep], gap[keep]
    return _described(letters.lower, letters.kinds, last, gap)


def _token_ends(text: str, letters: Letters, places: Ints, language: str) -> list[bool]:
    """Say of places inside of chunks, which come in order, whether a token of the rules ends there."""
    mark = chunk_marker(language_of(language))
    spaces = np.append(np.flatnonzero(letters.kinds == SPACES), len(text))
    stops = spaces[np.searchsorted(spaces, places)].tolist()
    starts = np.append(-1, spaces)[np.searchsorted(spaces, places)] + 1
    ends, done, marks = list[bool](), -1, b""
    for place, start, stop in zip(places.tolist(), starts.tolist(), stops, strict=True):
        if start != done:
            done, marks = start, mark(text[start:stop], False, False)
        ends.append(marks[place - start] & 1 == 1)
    return ends


@inner_kernel
def _shape(kinds: npt.NDArray[np.uint8], first: int, end: int) -> np.uint64:
    """Describe the capitals, the digits and the length of a word."""
    upper, lower, digits = 0, 0, 0
    for i in range(first, end):
        upper += kinds[i] == _UPPER
        lower += kinds[i] == _LOWER
        digits += kinds[i] == _DIGIT
    size = end - first
    if size == 0:
        return _ZERO
    kind = np.uint64(kinds[first])
    mixture = (upper > 1) + 2 * (lower > 0) + 4 * (digits > 0)
    return (kind * np.uint64(8) + np.uint64(mixture)) * np.uint64(4) + np.uint64(min(size, 4) - 1)


@kernel
def _described(lower: npt.NDArray[np.uint32], kinds: npt.NDArray[np.uint8], last: Ints, gap: Ints) -> Words:
    n = len(last)
    lead, core, trail = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    tail, shape, mark = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    ahead, room = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    opened, quotes = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for t in range(n):
        begin = last[t - 1] + 1 if t else 0
        end = last[t] + 1
        for i in range(begin, end):
            opened[t] += (kinds[i] == _OPEN) - (kinds[i] == _CLOSE)
            quotes[t] += kinds[i] == _QUOTE
        if t and gap[t - 1] == 0:  # a word goes back to the white space before it
            begin = max(end - _LONGEST, 0)
        begin = max(begin, end - _LONGEST)
        for i in range(end - 1, begin - 1, -1):
            if kinds[i] == SPACES:
                begin = i + 1
                break
        closed = 0
        for _ in range(_MARKS):
            if end == begin or not _is_punctuation(kinds[end - 1]):
                break
            end -= 1
            code = np.uint64(lower[end])
            trail[t] = mix(trail[t], code)
            if kinds[end] == _STOP and mark[t] == 0:
                mark[t] = code * np.uint64(4) + np.uint64(2 + closed)
            closed |= kinds[end] == _CLOSE or kinds[end] == _QUOTE or kinds[end] == _APOSTROPHE
        for _ in range(_MARKS):
            if begin == end or not _is_punctuation(kinds[begin]):
                break
            lead[t] = mix(lead[t], np.uint64(lower[begin]))
            begin += 1
        for i in range(begin, end):
            core[t] = mix(core[t], np.uint64(lower[i]))
        for i in range(max(begin, end - 3), end):
            tail[t] = mix(tail[t], np.uint64(lower[i]))
        shape[t] = _shape(kinds, begin, end)
    for t in range(n - 1, -1, -1):
        if gap[t] == 2:
            continue
        room[t] = min(room[t + 1] + np.uint64(1), np.uint64(_FAR))
        ahead[t] = np.uint64(1) if mark[t + 1] else min(ahead[t + 1] + np.uint64(1), np.uint64(_FAR))
    return Words(last, lead, core, trail, tail, shape, mark, ahead, room, gap, opened, quotes)
