"""The tokens of several words in a sentence, which its columns do not have: French *du* for *de* and *le*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from treewright.treebank.sentence import Sentence

__all__ = ["MultiwordToken", "multiword_tokens"]

_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")


class MultiwordToken(NamedTuple):
    """A token of several words: the first and the last of them, its form, and its MISC column."""

    first: int
    last: int
    form: str
    misc: str


def multiword_tokens(sentence: Sentence) -> Iterator[MultiwordToken]:
    r"""Yield the tokens of several words.

    Examples
    --------
    >>> aside = (0, "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No")
    >>> list(multiword_tokens(Sentence.from_forms(["de", "le"], asides=[aside])))
    [MultiwordToken(first=1, last=2, form='du', misc='SpaceAfter=No')]
    """
    for _, line in sentence.asides:
        name, form, *_, misc = line.split("\t")
        if match := _RANGE.fullmatch(name):
            first, last = map(int, match.groups())
            if first <= last <= len(sentence):
                yield MultiwordToken(first, last, form, misc)
