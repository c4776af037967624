"""Words in Chinese and Japanese text, which has no spaces, from the kinds of its characters."""

from __future__ import annotations

import re

from treewright.tokenization.characters import HAN, HIRAGANA, KATAKANA

__all__ = ["segment"]

_PIECES = re.compile(f"[{KATAKANA}]++|[{HIRAGANA}]++|[{HAN}]++")


def segment(text: str, code: str) -> list[tuple[int, int]]:
    """Cut a run of Han, hiragana and katakana characters into words: their offsets."""
    return [match.span() for match in _PIECES.finditer(text)]
