"""Coarse tags, which stand in for UPOS: treebanks of constituents have one kind of tags only."""

from __future__ import annotations

import re

from treewright.treebank import Sentence

__all__ = ["coarse_tag", "with_coarse_tags"]

#: Beginnings of Penn Treebank tags → universal tags (Petrov, Das and McDonald 2012).
_PENN = {
    "NNP": "PROPN",
    "PRP": "PRON",
    "PDT": "DET",
    "POS": "PART",
    "WDT": "DET",
    "WRB": "ADV",
    "NN": "NOUN",
    "VB": "VERB",
    "MD": "AUX",
    "JJ": "ADJ",
    "RB": "ADV",
    "RP": "ADP",
    "IN": "ADP",
    "TO": "PART",
    "CC": "CCONJ",
    "CD": "NUM",
    "DT": "DET",
    "WP": "PRON",
    "EX": "PRON",
    "UH": "INTJ",
    "FW": "X",
    "LS": "X",
    "SYM": "SYM",
}
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
