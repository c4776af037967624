"""Coarse tags, which stand in for UPOS: treebanks of constituents have one kind of tags only."""

from __future__ import annotations

import re

from treewright.treebank import Sentence

__all__ = ["coarse_tag", "with_coarse_tags"]

#: Universal tags → beginnings of Penn Treebank tags (Petrov, Das and McDonald 2012).
_UNIVERSAL = {
    "ADJ": ["JJ"],
    "ADP": ["IN", "RP"],
    "ADV": ["RB", "WRB"],
    "AUX": ["MD"],
    "CCONJ": ["CC"],
    "DET": ["DT", "PDT", "WDT"],
    "INTJ": ["UH"],
    "NOUN": ["NN"],
    "NUM": ["CD"],
    "PART": ["POS", "TO"],
    "PRON": ["EX", "PRP", "WP"],
    "PROPN": ["NNP"],
    "SYM": ["SYM"],
    "VERB": ["VB"],
    "X": ["FW", "LS"],
}
_PENN = {beginning: tag for tag, beginnings in _UNIVERSAL.items() for beginning in beginnings}
_BY_LENGTH = sorted(_PENN, key=len, reverse=True)


def coarse_tag(tag: str) -> str:
    """Return the coarse tag of a tag: that of a Penn tag, or else the letters that the tag begins with.

    Examples
    --------
    >>> [coarse_tag(tag) for tag in ("VBD", "NNPS", "PRP$", ",", "-LRB-", "ADJ-N")]
    ['VERB', 'PROPN', 'PRON', 'PUNCT', 'PUNCT', 'ADJ']
    """
    for beginning in _BY_LENGTH:
        if tag.startswith(beginning):
            return _PENN[beginning]
    letters = re.match(r"[^\W\d_]+", tag)
    return letters[0] if letters else "PUNCT"


def with_coarse_tags(sentence: Sentence) -> Sentence:
    """Fill in UPOS from XPOS."""
    return sentence.replace(upos=tuple(map(coarse_tag, sentence.xpos)))
