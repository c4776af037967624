"""The first-order templates: McDonald et al. (2005), Table 1, as extended in Koo et al. (2008, section 3.1).

Each line is ``head side | modifier side``.  ``xpos`` is the fine tag and ``upos`` the coarse one: every
part-of-speech feature stands here with both.  All of them are conjoined with direction, and with direction
and distance together, when they are scored (see `treewright.features.arcs`).
"""

from __future__ import annotations

__all__ = ["ARC_ALONE", "ARC_PAIR", "BETWEEN", "FEW_ALONE", "FEW_PAIR", "INSTEAD", "LABEL_ALONE", "LABEL_PAIR"]


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.strip().splitlines()]


#: One end of the arc by itself (used for the head and for the modifier).
ARC_ALONE = _lines(
    """
    word xpos
    word
    xpos
    upos
    lemma
    feats
    suffix3
    prefix5
    xpos-1 xpos
    xpos xpos+1
    xpos-1 xpos xpos+1
    word-1 xpos
    xpos word+1
    xpos-2 xpos-1 xpos
    xpos xpos+1 xpos+2
    word xpos-1
    word xpos+1
    """
)

#: Both ends.
ARC_PAIR = _lines(
    """
    word xpos | word xpos
    xpos | word xpos
    word | word xpos
    word xpos | xpos
    word xpos | word
    word | word
    xpos | xpos
    xpos xpos+1 | xpos-1 xpos
    xpos-1 xpos | xpos-1 xpos
    xpos xpos+1 | xpos xpos+1
    xpos-1 xpos | xpos xpos+1
    xpos xpos+1 | xpos
    xpos-1 xpos | xpos
    xpos | xpos-1 xpos
    xpos | xpos xpos+1
    upos | upos
    word | upos
    upos | word
    upos upos+1 | upos-1 upos
    upos-1 upos | upos-1 upos
    upos upos+1 | upos upos+1
    upos-1 upos | upos upos+1
    upos upos+1 | upos
    upos-1 upos | upos
    upos | upos-1 upos
    upos | upos upos+1
    lemma | lemma
    lemma | xpos
    xpos | lemma
    lemma upos | lemma upos
    feats | feats
    xpos feats | xpos feats
    feats | xpos
    xpos | feats
    lemma | feats
    feats | lemma
    upos case | upos case
    upos agreement | upos agreement
    suffix3 | xpos
    xpos | suffix3
    suffix3 | suffix3
    xpos | xpos-1 xpos xpos+1
    xpos-1 xpos xpos+1 | xpos
    xpos-1 xpos xpos+1 | xpos-1 xpos xpos+1
    xpos xpos+1 xpos+2 | xpos
    xpos | xpos xpos+1 xpos+2
    xpos-2 xpos-1 xpos | xpos
    xpos | xpos-2 xpos-1 xpos
    xpos | word-1 xpos
    xpos | xpos word+1
    xpos word+1 | xpos
    word-1 xpos | xpos
    word xpos | xpos xpos+1
    word xpos | xpos-1 xpos
    xpos xpos+1 | word xpos
    xpos-1 xpos | word xpos
    """
)

#: Both ends together with what stands between them.  The first is conjoined with each tag between (McDonald's
#: in-between features), the others with how many verbs, punctuation marks and conjunctions there are.
BETWEEN = _lines(
    """
    xpos | xpos
    xpos | xpos
    upos | upos
    shape | shape
    """
)

#: A selection for models that only prune: the most telling for their price.
FEW_ALONE = _lines(
    """
    word xpos
    xpos
    xpos-1 xpos xpos+1
    """
)
FEW_PAIR = _lines(
    """
    xpos | word xpos
    word xpos | xpos
    word | word
    xpos | xpos
    upos | upos
    xpos xpos+1 | xpos-1 xpos
    xpos-1 xpos | xpos-1 xpos
    xpos xpos+1 | xpos xpos+1
    xpos-1 xpos | xpos xpos+1
    xpos | xpos-1 xpos xpos+1
    xpos-1 xpos xpos+1 | xpos
    xpos | lemma
    lemma | xpos
    xpos feats | xpos feats
    """
)

#: What the relation of an arc depends on: one end.
LABEL_ALONE = _lines(
    """
    word xpos
    word
    lemma
    xpos
    feats
    suffix3
    prefix5
    xpos-1 xpos
    xpos xpos+1
    xpos-1 xpos xpos+1
    word-1 xpos
    xpos word+1
    xpos-2 xpos-1 xpos
    xpos xpos+1 xpos+2
    word xpos-1
    word xpos+1
    word-1 word
    word word+1
    """
)

#: What the relation of an arc depends on: both ends.
LABEL_PAIR = _lines(
    """
    xpos | xpos
    word | word
    xpos | word
    word | xpos
    lemma | lemma
    lemma | xpos
    xpos | lemma
    upos | upos
    feats | feats
    xpos | xpos xpos+1
    xpos | xpos-1 xpos
    xpos xpos+1 | xpos
    xpos-1 xpos | xpos
    xpos | feats
    xpos | suffix3
    upos case | upos case
    word xpos | xpos-1 xpos
    xpos | lemma xpos-1
    upos upos+1 | upos-1 upos
    xpos-1 xpos | xpos-1 xpos
    xpos xpos+1 | xpos xpos+1
    """
)

#: What stands in for an attribute that a treebank does not have.
INSTEAD = (("xpos", "upos"), ("upos", "xpos"), ("lemma", "lower"))
