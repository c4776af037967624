"""Text in a terminal: how wide it is, and what is safe to print."""

from __future__ import annotations

import unicodedata

__all__ = ["display_width", "make_printable"]

_CONTROLS = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\u200c\u200d"


def make_printable(text: str, replacement: str = "\ufffd") -> str:
    r"""Replace the characters that a terminal may act on, but for joiners, which only shape the letters around them.

    Examples
    --------
    >>> make_printable("a\x1b[1m", "?")
    'a?[1m'
    """
    return "".join(replacement if _is_control(character) else character for character in text)


def display_width(text: str) -> int:
    """Count the terminal cells that a text takes.

    Examples
    --------
    >>> display_width("tree"), display_width("木")
    (4, 2)
    """
    return sum(map(_width, text))


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in _CONTROLS and character not in _JOINERS


def _width(character: str) -> int:
    if character < "\u0300":
        return 1
    if unicodedata.category(character) in ("Mn", "Me") or character in _JOINERS or "\u1160" <= character <= "\u11ff":
        return 0  # medial and final letters of Hangul share the cells of the initial one
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
