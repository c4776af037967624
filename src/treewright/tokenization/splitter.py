"""The contract of all that cuts text into sentences and tokens: the rules of a language, and what is learned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from treewright.tokenization.sentences import sentence_spans
from treewright.tokenization.token import Token
from treewright.tokenization.words import tokenize_words

__all__ = ["Rules", "Splitter", "splitter_of"]


class Splitter(Protocol):
    """Cuts text into sentences, and these into tokens.

    Tokens are in the order of the text, do not overlap, contain no white space, and together cover every character that
    is not white space.  Any string is allowed, and the time is linear in its length.
    """

    @property
    def language(self) -> str:
        """The language, as an ISO 639 code, or an empty string."""

    def split(self, text: str) -> Iterator[list[Token]]:
        """Yield the tokens of each sentence of a text; blank lines end paragraphs, and with them sentences."""

    def tokens(self, text: str) -> list[Token]:
        """Find the tokens of one sentence."""


@dataclass(frozen=True)
class Rules:
    """The rules of a language, which need nothing learned.

    Examples
    --------
    >>> [[token.words for token in tokens] for tokens in Rules("fr").split("Au port. Ici.")]
    [[('À', 'le'), ('port',), ('.',)], [('Ici',), ('.',)]]
    """

    language: str

    def split(self, text: str) -> Iterator[list[Token]]:
        """Yield the tokens of each sentence of a text."""
        for start, end in sentence_spans(text, self.language):
            yield [Token(start + a, start + b, words) for a, b, words in tokenize_words(text[start:end], self.language)]

    def tokens(self, text: str) -> list[Token]:
        """Find the tokens of one sentence."""
        return tokenize_words(text, self.language)


def splitter_of(splitter: str | Splitter) -> Splitter:
    """Return a splitter, or the rules of a language."""
    return Rules(splitter) if isinstance(splitter, str) else splitter
