"""A token: a span of the text, and the syntactic words in it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Token"]


class Token(NamedTuple):
    """A surface token.

    Attributes
    ----------
    start, end : int
        Where it is: the token is ``text[start:end]``.
    words : tuple of str
        Its syntactic words.  Most tokens are one word; a multiword token has several, whose spelling may differ from
        the text (French *du* is *de* + *le*).

    Examples
    --------
    >>> Token(3, 8, ("do", "n't")).is_multiword
    True
    """

    start: int
    end: int
    words: tuple[str, ...]

    @property
    def is_multiword(self) -> bool:
        """Whether the token has more than one syntactic word."""
        return len(self.words) > 1
