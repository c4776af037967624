"""The higher-order templates: Koo & Collins (2010, section 7.1), after McDonald & Pereira (2006) and Carreras (2007).

Each template has one side for each word of a part; a side may be empty.  ``pos`` stands for the fine tag and, in a
second copy, for the coarse one (section 7.1: "for any feature that depends on POS tags, we include two copies").
"""

from __future__ import annotations

from collections.abc import Mapping

from treewright.features.templates import read_templates, with_copies
from treewright.inference.kinds import PartKind

__all__ = ["COORDINATION", "FEW_HIGHER", "GRANDCHILD", "HIGHER_TEMPLATES", "NON_LOCAL", "SIBLING"]


def _read(*texts: str, bigram: str = "") -> list[str]:
    return with_copies(read_templates(*texts, bigram=bigram), "pos", ("xpos", "upos"))


#: Parts of three words.  Bigrams, trigrams of words and tags, trigrams in context.
_THREE_WORDS = """
    pos | pos, word | pos, pos | word, word | word
    pos | pos | pos, word | pos | pos, pos | word | pos, pos | pos | word
    pos | word | word, word | pos | word, word | word | pos, word | word | word
    lemma | lemma, lemma | lemma | lemma, pos | feats | feats, feats | feats | feats
    pos pos+1 | pos | pos, pos-1 pos | pos | pos
    pos | pos pos+1 | pos, pos | pos-1 pos | pos
    pos | pos | pos pos+1, pos | pos | pos-1 pos
    pos pos+1 | pos-1 pos, pos-1 pos | pos pos+1
    """

#: (h, s, m): a modifier and the next one inside it.
SIBLING = _read(_THREE_WORDS, bigram="| {} | {}")

#: (g, h, m): a modifier, its head, and the head of that.
GRANDCHILD = _read(_THREE_WORDS, bigram="{} | | {}")

#: Tags, one of which may be a word.
_FOUR_WORDS = """
    pos | pos | pos | pos
    word | pos | pos | pos, pos | word | pos | pos, pos | pos | word | pos, pos | pos | pos | word
    """

#: (g, h, s, m) where s or m is a conjunction: the words that may be coordinated, g and m, or g and h.
COORDINATION = _read(
    """
    pos | | word | pos, word | | pos | word, word | | pos | pos, pos | | pos | word
    lemma | | pos | lemma, feats | | pos | feats
    pos | pos | word | word, word | word | pos | pos, word | pos | pos | pos, pos | word | pos | pos
    lemma | lemma | pos | pos, feats | feats | pos | pos
    """
)

#: (h, t, s, m): three modifiers in a row.  4-grams, 4-grams in context, the trigram and the bigram that are new.
_TRI_SIBLING = _read(
    _FOUR_WORDS,
    """
    pos pos+1 | pos | pos pos+1 | pos pos+1, pos-1 pos | pos | pos-1 pos | pos-1 pos
    | pos | pos | pos, | word | pos | pos, | pos | word | pos, | pos | pos | word
    | pos | | pos, | word | | pos, | pos | | word, | word | | word
    """,
)

#: List of higher-order templates of `FeatureSettings` → its templates.
HIGHER_TEMPLATES: Mapping[str, list[str]] = {
    PartKind.SIBLING: SIBLING,
    # (h, s, end): the last modifier on a side, or none: END in the head automata of Koo et al. (2010, Example 1).
    PartKind.LAST: _read(
        """
        pos | pos |, word | pos |, pos | word |, word | word |, lemma | pos |, feats | pos |
        pos pos+1 | pos |, pos-1 pos | pos |, pos | pos pos+1 |, pos | pos-1 pos |
        """
    ),
    PartKind.GRANDCHILD: GRANDCHILD,
    # (g, h, s, m): 4-grams, 4-grams in context, and the trigram that no smaller part has.
    PartKind.GRAND_SIBLING: _read(
        _FOUR_WORDS,
        """
        pos pos+1 | pos pos+1 | pos | pos pos+1, pos-1 pos | pos-1 pos | pos | pos-1 pos
        pos | pos pos+1 | pos pos+1 | pos-1 pos
        pos | | pos | pos, word | | pos | pos, pos | | word | pos, pos | | pos | word
        """,
    ),
    "coordination": COORDINATION,
    PartKind.TRI_SIBLING: _TRI_SIBLING,
}

#: The same for models that only prune.
_FEW = """
    xpos | xpos, word | xpos, xpos | word, word | word
    xpos | xpos | xpos, upos | upos | upos, word | xpos | xpos, xpos | word | xpos, xpos | xpos | word
    xpos | xpos xpos+1 | xpos-1 xpos
    """
FEW_HIGHER: Mapping[str, list[str]] = {
    PartKind.SIBLING: read_templates(_FEW, bigram="| {} | {}"),
    PartKind.GRANDCHILD: read_templates(_FEW, bigram="{} | | {}"),
    "coordination": [],
}

#: Factors that no dynamic program scores (Qian & Liu 2013, section 4.3): the templates of each kind.
NON_LOCAL: Mapping[str, list[str]] = {
    "siblings": SIBLING,
    "tri-siblings": _TRI_SIBLING,
    "grandchildren": GRANDCHILD,
    # (f, g, h, m): a chain of three arcs.
    "great-grandchildren": _read(_FOUR_WORDS, "pos | | pos | pos, pos | | | pos, word | | | word"),
    # (h, first, last): a run of consecutive modifiers.
    "combs": _read(
        """
        pos | pos | pos, word | pos | pos, | pos | pos
        pos | pos pos+1 | pos-1 pos, | pos pos+1 | pos-1 pos
        """
    ),
}
