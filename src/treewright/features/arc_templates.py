"""The first-order templates: McDonald et al. (2005), Table 1, as extended in Koo et al. (2008, section 3.1).

Each template is ``head side | modifier side``.  ``xpos`` is the fine tag and ``upos`` the coarse one; every
part-of-speech feature is listed with both.  When they are scored, all of them are conjoined with direction, and with
direction and distance together (see `treewright.features.arcs`).
"""

from __future__ import annotations

from treewright.features.templates import read_templates

__all__ = ["ARC_ALONE", "ARC_PAIR", "BETWEEN", "FEW_ALONE", "FEW_PAIR", "INSTEAD", "LABEL_ALONE", "LABEL_PAIR"]

#: Substitutes for attributes that a treebank does not have.
INSTEAD = (("xpos", "upos"), ("upos", "xpos"), ("lemma", "lower"))

#: Affixes, and one end of an arc with its neighbours.
_IN_CONTEXT = read_templates(
    """
    suffix3, prefix5
    xpos-1 xpos, xpos xpos+1, xpos-1 xpos xpos+1
    word-1 xpos, xpos word+1
    xpos-2 xpos-1 xpos, xpos xpos+1 xpos+2
    word xpos-1, word xpos+1
    """
)

#: One end of the arc by itself (used for the head and for the modifier).
ARC_ALONE = [*read_templates("word xpos, word, xpos, upos, lemma, feats"), *_IN_CONTEXT]

#: Tags at both ends and beside both ends.
_TAGS_BESIDE_BOTH = """
    pos pos+1 | pos-1 pos, pos-1 pos | pos-1 pos
    pos pos+1 | pos pos+1, pos-1 pos | pos pos+1
    """

#: Tags at both ends and beside one.
_TAGS_BESIDE_ONE = "pos pos+1 | pos, pos-1 pos | pos, pos | pos-1 pos, pos | pos pos+1"


def _tags(text: str, attribute: str) -> str:
    return text.replace("pos", attribute)


#: Both ends.
ARC_PAIR = read_templates(
    "word xpos | word xpos, xpos | word xpos, word | word xpos, word xpos | xpos, word xpos | word, word | word",
    "xpos | xpos",
    _tags(_TAGS_BESIDE_BOTH, "xpos"),
    _tags(_TAGS_BESIDE_ONE, "xpos"),
    "upos | upos, word | upos, upos | word",
    _tags(_TAGS_BESIDE_BOTH, "upos"),
    _tags(_TAGS_BESIDE_ONE, "upos"),
    """
    lemma | lemma, lemma | xpos, xpos | lemma, lemma upos | lemma upos
    feats | feats, xpos feats | xpos feats, feats | xpos, xpos | feats, lemma | feats, feats | lemma
    upos case | upos case, upos agreement | upos agreement
    suffix3 | xpos, xpos | suffix3, suffix3 | suffix3
    xpos | xpos-1 xpos xpos+1, xpos-1 xpos xpos+1 | xpos, xpos-1 xpos xpos+1 | xpos-1 xpos xpos+1
    xpos xpos+1 xpos+2 | xpos, xpos | xpos xpos+1 xpos+2, xpos-2 xpos-1 xpos | xpos, xpos | xpos-2 xpos-1 xpos
    xpos | word-1 xpos, xpos | xpos word+1, xpos word+1 | xpos, word-1 xpos | xpos
    word xpos | xpos xpos+1, word xpos | xpos-1 xpos, xpos xpos+1 | word xpos, xpos-1 xpos | word xpos
    """,
)

#: Both ends together with what stands between them.  The first is conjoined with each tag in between (McDonald's
#: in-between features), the others with the numbers of verbs, punctuation marks and conjunctions in between.
BETWEEN = read_templates("xpos | xpos, xpos | xpos, upos | upos, shape | shape")

#: A selection for models that only prune: the most informative for their cost.
FEW_ALONE = read_templates("word xpos, xpos, xpos-1 xpos xpos+1")
FEW_PAIR = read_templates(
    "xpos | word xpos, word xpos | xpos, word | word, xpos | xpos, upos | upos",
    _tags(_TAGS_BESIDE_BOTH, "xpos"),
    "xpos | xpos-1 xpos xpos+1, xpos-1 xpos xpos+1 | xpos, xpos | lemma, lemma | xpos, xpos feats | xpos feats",
)

#: What the relation of an arc depends on: one end.
LABEL_ALONE = [
    *read_templates("word xpos, word, lemma, xpos, feats"),
    *_IN_CONTEXT,
    *read_templates("word-1 word, word word+1"),
]

#: What the relation of an arc depends on: both ends.
LABEL_PAIR = read_templates(
    """
    xpos | xpos, word | word, xpos | word, word | xpos, lemma | lemma, lemma | xpos, xpos | lemma, upos | upos
    feats | feats
    xpos | xpos xpos+1, xpos | xpos-1 xpos, xpos xpos+1 | xpos, xpos-1 xpos | xpos
    xpos | feats, xpos | suffix3, upos case | upos case
    word xpos | xpos-1 xpos, xpos | lemma xpos-1
    upos upos+1 | upos-1 upos, xpos-1 xpos | xpos-1 xpos, xpos xpos+1 | xpos xpos+1
    """
)
