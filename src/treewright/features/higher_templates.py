"""The higher-order templates: Koo & Collins (2010, section 7.1), after McDonald & Pereira (2006) and Carreras (2007).

Each line has one side for each word of a part; a side may be empty.  ``pos`` stands for the fine tag and, in a second
copy of the line, for the coarse one (section 7.1: "for any feature that depends on POS tags, we include two copies").
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["COORDINATION", "GRANDCHILD", "GRAND_SIBLING", "LAST", "NON_LOCAL", "SIBLING", "TRI_SIBLING"]


def _lines(text: str) -> list[str]:
    """Read templates, each with ``pos`` twice: once with fine tags, once with coarse ones."""
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    return [line.replace("pos", tags) for tags in ("xpos", "upos") for line in lines if "pos" in line or tags == "xpos"]


#: (h, s, m): a modifier and the next one inside it.  Bigrams, trigrams of words and tags, trigrams in context.
SIBLING = _lines(
    """
    | pos | pos
    | word | pos
    | pos | word
    | word | word
    pos | pos | pos
    word | pos | pos
    pos | word | pos
    pos | pos | word
    pos | word | word
    word | pos | word
    word | word | pos
    word | word | word
    | lemma | lemma
    lemma | lemma | lemma
    pos | feats | feats
    feats | feats | feats
    pos pos+1 | pos | pos
    pos-1 pos | pos | pos
    pos | pos pos+1 | pos
    pos | pos-1 pos | pos
    pos | pos | pos pos+1
    pos | pos | pos-1 pos
    | pos pos+1 | pos-1 pos
    | pos-1 pos | pos pos+1
    """
)

#: (h, s, end): the last modifier on a side, or none: END in the head automata of Koo et al. (2010, Example 1).
LAST = _lines(
    """
    pos | pos |
    word | pos |
    pos | word |
    word | word |
    lemma | pos |
    feats | pos |
    pos pos+1 | pos |
    pos-1 pos | pos |
    pos | pos pos+1 |
    pos | pos-1 pos |
    """
)

#: (g, h, m): a modifier, its head, and the head of that.
GRANDCHILD = _lines(
    """
    pos | | pos
    word | | pos
    pos | | word
    word | | word
    pos | pos | pos
    word | pos | pos
    pos | word | pos
    pos | pos | word
    pos | word | word
    word | pos | word
    word | word | pos
    word | word | word
    lemma | | lemma
    lemma | lemma | lemma
    pos | feats | feats
    feats | feats | feats
    pos pos+1 | pos | pos
    pos-1 pos | pos | pos
    pos | pos pos+1 | pos
    pos | pos-1 pos | pos
    pos | pos | pos pos+1
    pos | pos | pos-1 pos
    pos pos+1 | | pos-1 pos
    pos-1 pos | | pos pos+1
    """
)

#: (g, h, s, m): 4-grams, 4-grams in context, and the trigram that no smaller part has.
GRAND_SIBLING = _lines(
    """
    pos | pos | pos | pos
    word | pos | pos | pos
    pos | word | pos | pos
    pos | pos | word | pos
    pos | pos | pos | word
    pos pos+1 | pos pos+1 | pos | pos pos+1
    pos-1 pos | pos-1 pos | pos | pos-1 pos
    pos | pos pos+1 | pos pos+1 | pos-1 pos
    pos | | pos | pos
    word | | pos | pos
    pos | | word | pos
    pos | | pos | word
    """
)

#: (g, h, s, m) where s or m is a conjunction: the words that may be coordinated, g and m, or g and h.
COORDINATION = _lines(
    """
    pos | | word | pos
    word | | pos | word
    word | | pos | pos
    pos | | pos | word
    lemma | | pos | lemma
    feats | | pos | feats
    pos | pos | word | word
    word | word | pos | pos
    word | pos | pos | pos
    pos | word | pos | pos
    lemma | lemma | pos | pos
    feats | feats | pos | pos
    """
)

#: (h, t, s, m): three modifiers in a row.  4-grams, 4-grams in context, the trigram and the bigram that are new.
TRI_SIBLING = _lines(
    """
    pos | pos | pos | pos
    word | pos | pos | pos
    pos | word | pos | pos
    pos | pos | word | pos
    pos | pos | pos | word
    pos pos+1 | pos | pos pos+1 | pos pos+1
    pos-1 pos | pos | pos-1 pos | pos-1 pos
    | pos | pos | pos
    | word | pos | pos
    | pos | word | pos
    | pos | pos | word
    | pos | | pos
    | word | | pos
    | pos | | word
    | word | | word
    """
)

#: (h, first, last): a run of consecutive modifiers.
COMB = _lines(
    """
    pos | pos | pos
    word | pos | pos
    | pos | pos
    pos | pos pos+1 | pos-1 pos
    | pos pos+1 | pos-1 pos
    """
)

#: (f, g, h, m): a chain of three arcs.
GREAT_GRANDCHILD = _lines(
    """
    pos | pos | pos | pos
    word | pos | pos | pos
    pos | word | pos | pos
    pos | pos | word | pos
    pos | pos | pos | word
    pos | | pos | pos
    pos | | | pos
    word | | | word
    """
)

#: Factors that no dynamic program scores (Qian & Liu 2013, section 4.3): the templates of each kind.
NON_LOCAL: Mapping[str, list[str]] = {
    "siblings": SIBLING,
    "tri-siblings": TRI_SIBLING,
    "grandchildren": GRANDCHILD,
    "great-grandchildren": GREAT_GRANDCHILD,
    "combs": COMB,
}
