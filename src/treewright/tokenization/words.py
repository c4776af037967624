"""Tokens and syntactic words of a sentence.

The text is cut into chunks at white space.  The tokens of a chunk depend only on its characters, so they are cached for
when the chunk occurs again.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from treewright.tokenization.characters import CLOSERS, SPACE
from treewright.tokenization.cjk import segment
from treewright.tokenization.contractions import CONTRACTIONS, ENCLITICS, like
from treewright.tokenization.languages import Language, language_of
from treewright.tokenization.patterns import token_pattern
from treewright.tokenization.token import Token

__all__ = ["RULE_KINDS", "chunk_marker", "form_splitter", "tokenize_words"]

_Pieces = tuple[Token, ...]
_CHUNK = re.compile(f"[^{SPACE}]++")
_LONGEST_CACHED = 64

#: What a token is by the rules; the first is for punctuation, and the rest are groups of `token_pattern`.
RULE_KINDS = ("", "word", "number", "cjk", "web", "emoticon", "emoji", "phone", "short", "special")


def tokenize_words(text: str, language: str = "en") -> list[Token]:
    """Cut the text of one sentence into tokens, and these into syntactic words.

    Tokens are in the order of the text, do not overlap, contain no white space, and together cover every character that
    is not white space.

    Parameters
    ----------
    text : str
        A sentence; a full stop at its very end is taken as the end of the sentence.
    language : str
        An ISO 639 code.

    Examples
    --------
    >>> [token.words for token in tokenize_words("I don't know.")]
    [('I',), ('do', "n't"), ('know',), ('.',)]
    >>> tokenize_words("du pain", "fr")
    [Token(start=0, end=2, words=('de', 'le')), Token(start=3, end=7, words=('pain',))]
    """
    cut = _chunk_cutter(language_of(language))
    tokens: list[Token] = []
    quoted = False
    spans = [match.span() for match in _CHUNK.finditer(text)]
    last = len(spans) - 1
    for i, (start, end) in enumerate(spans):
        chunk = text[start:end]
        for a, b, words in cut(chunk, i == last, quoted):
            tokens.append(Token(start + a, start + b, words))
        quoted = quoted or chunk[0] in "'‘"
    return tokens


@cache
def _chunk_cutter(language: Language) -> Callable[[str, bool, bool], _Pieces]:
    cutter = _Cutter(language)
    cached = lru_cache(maxsize=1 << 15)(cutter.cut)

    def cut(chunk: str, final: bool, quoted: bool) -> _Pieces:
        if len(chunk) > _LONGEST_CACHED:
            return cutter.cut(chunk, final, quoted)
        return cached(chunk, final, quoted and chunk.endswith(("s'", "s’")))

    return cut


_KIND_NUMBERS: dict[str | None, int] = {name: number for number, name in enumerate(RULE_KINDS)}
_LETTERS = frozenset(string.ascii_letters)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]|[^\W\d_]")
_SENTENCE_END = re.compile(rf"\.[{CLOSERS}]*$")
_GLUED = re.compile(r"[^\W\d_]{2,}+(?<=[^\W\d_A-Z])\.(?=[A-Z][a-z])")
_POSSESSIVE = re.compile(r"(?i)s(['’])(?![\w'’])")


@cache
def chunk_marker(language: Language) -> Callable[[str, bool, bool], bytes]:
    """Return a function that says of each character of a chunk which kind of token it is in, and where tokens end.

    The number of a character is twice that of the kind in `RULE_KINDS`, and one more if a token ends with it.

    Examples
    --------
    >>> list(chunk_marker(language_of("en"))("cats!", True, False))
    [2, 2, 2, 3, 1]
    """
    cutter = _Cutter(language)
    cached = lru_cache(maxsize=1 << 16)(cutter.mark)

    def mark(chunk: str, final: bool, quoted: bool) -> bytes:
        if len(chunk) > _LONGEST_CACHED:
            return cutter.mark(chunk, final, quoted)
        return cached(chunk, final and chunk[-1] not in _LETTERS, quoted and chunk.endswith(("s'", "s’")))

    return mark


@cache
def form_splitter(language: Language) -> Callable[[str], tuple[str, ...]]:
    """Return a function that finds the syntactic words of a token."""
    return _Cutter(language).words


class _Cutter:
    """Cuts chunks of one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.pattern = token_pattern(language)
        self.contractions = CONTRACTIONS.get(language.code, {})
        self.enclitics = ENCLITICS.get(language.code)

    def cut(self, chunk: str, final: bool, quoted: bool) -> _Pieces:
        """Cut a chunk; it is ``final`` if the sentence ends with it, and ``quoted`` inside single quotes."""
        if chunk.isalpha() and chunk.isascii():
            return (Token(0, len(chunk), self.words(chunk)),)
        return tuple(token for _, tokens in self.matches(chunk, final, quoted) for token in tokens)

    def mark(self, chunk: str, final: bool, quoted: bool) -> bytes:
        """Say of each character which kind of token it is in: see `chunk_marker`."""
        if chunk.isalpha() and chunk.isascii():
            return b"\2" * (len(chunk) - 1) + b"\3"
        marks = bytearray()
        for kind, tokens in self.matches(chunk, final, quoted):
            for start, end, _ in tokens:
                marks += bytes((2 * kind,)) * (end - start - 1) + bytes((2 * kind + 1,))
        return bytes(marks)

    def matches(self, chunk: str, final: bool, quoted: bool) -> Iterator[tuple[int, list[Token]]]:
        """Match the chunk piece by piece: the kind of each, and its tokens."""
        ending = _SENTENCE_END.search(chunk, len(chunk) - 8) if final else None
        stop = ending.start() if ending else -1
        quoted = quoted or chunk[0] in "'‘"
        position = 0
        while position < len(chunk):
            match = self.pattern.match(chunk, position)
            assert match is not None, "the last alternative matches any character"
            pieces: list[Token] = []
            position = self.add(pieces, match, stop, quoted)
            yield _KIND_NUMBERS.get(match.lastgroup, 0), pieces

    def add(self, pieces: list[Token], match: re.Match[str], stop: int, quoted: bool) -> int:
        """Append the tokens of a match, and return where the next one starts."""
        start, end = match.span()
        form = match.group()
        kind = match.lastgroup
        if kind == "cjk":
            spans = segment(form, self.language.code)
            pieces.extend(Token(start + a, start + b, (form[a:b],)) for a, b in spans)
        elif kind == "word":
            end = self.add_word(pieces, match.string, start, end, stop, quoted)
        else:
            if kind == "number" and form[-1] == "." and not (self.language.ordinals and end - 1 != stop):
                end -= 1
            pieces.append(Token(start, end, (form[: end - start],)))
        return end

    def add_word(self, pieces: list[Token], chunk: str, start: int, end: int, stop: int, quoted: bool) -> int:
        """Append the tokens of a word, and return where the next one starts."""
        if chunk[end - 1] == ".":
            if end - 1 != stop and self.is_abbreviation(chunk[start : end - 1]):
                pieces.append(Token(start, end, (chunk[start:end],)))
                return end
            end -= 1
        if self.language.elision and (front := self.language.elision.match(chunk, start, end)):
            end = front.end()
        elif front := _GLUED.match(chunk, start, end):
            end = front.end() - 1
        if self.language.enclitic and (back := self.language.enclitic.search(chunk[start:end])):
            cut = start + back.start()
            pieces.append(Token(start, cut, self.words(chunk[start:cut])))
            pieces.append(Token(cut, end, (chunk[cut:end],)))
            return end
        if not quoted and self.language.code == "en" and (owner := _POSSESSIVE.match(chunk, end - 1)):
            pieces.append(Token(start, end + 1, (chunk[start:end], owner.group(1))))
            return end + 1
        pieces.append(Token(start, end, self.words(chunk[start:end])))
        return end

    def is_abbreviation(self, body: str) -> bool:
        """Check whether the full stop after a word is part of it."""
        if not self.language.dots:
            return False
        return body.lower() in self.language.abbreviations or _INITIALS.fullmatch(body) is not None

    def words(self, form: str) -> tuple[str, ...]:
        """Find the syntactic words of a token."""
        found = self.contractions.get(form.lower())
        if found:
            return like(form, found)
        return (self.enclitics and self.enclitics(form)) or (form,)
