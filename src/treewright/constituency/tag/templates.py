"""Feature templates of the TAG parser, beside those of the dependency parsers (Carreras, Collins and Koo 2008, 4.1).

A template has one side for each word of a part.  Every feature is conjoined with a label: features of dependencies, the
tags in between included, siblings and grandchildren with (GRM(l), A), as in the paper, and again with only the first
and third labels of GRM(l), since our treebanks are smaller; features of spines with the spine, and those of boundaries
with the constituent's top.
"""

from __future__ import annotations

from collections.abc import Sequence

from treewright.features.arc_templates import LABEL_ALONE, LABEL_PAIR
from treewright.features.cluster_templates import CLUSTER_TEMPLATES
from treewright.features.higher_templates import GRANDCHILD, SIBLING

__all__ = ["CLUSTERED", "TEMPLATES"]


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.strip().splitlines()]


#: (i): words and tags in a window of five, "centered on x_i" (section 4.1).
_SPINE = _lines(
    """
    xpos
    word
    word xpos
    word-1
    word+1
    word-2
    word+2
    xpos-1
    xpos+1
    xpos-2
    xpos+2
    xpos-1 xpos
    xpos xpos+1
    word-1 xpos
    xpos word+1
    word xpos-1
    word xpos+1
    word-1 word
    word word+1
    xpos-2 xpos-1 xpos
    xpos-1 xpos xpos+1
    xpos xpos+1 xpos+2
    xpos-2 xpos-1 xpos xpos+1
    xpos-1 xpos xpos+1 xpos+2
    suffix3 xpos
    prefix3 xpos
    shape xpos
    """
)

#: (w, o): the head of a constituent, and the word just outside the constituent on either side (footnote 5).
_BOUNDARY = _lines(
    """
    | xpos
    | word
    | xpos-1 xpos
    | xpos xpos+1
    | xpos-1 xpos xpos+1
    | word-1 xpos
    | xpos word+1
    | xpos-1 word
    | word xpos+1
    xpos | xpos
    xpos | word
    word | xpos
    word | word
    xpos | xpos-1 xpos
    xpos | xpos xpos+1
    xpos | xpos-1 xpos xpos+1
    word | xpos-1 xpos
    word | xpos xpos+1
    """
)

#: (b, h, m): a tag between the ends of a dependency (McDonald et al. 2005), each tag once.
_BETWEEN = ["xpos | xpos | xpos"]


def _dependency(pair: Sequence[str], alone: Sequence[str]) -> list[str]:
    return [*pair, *(f"{line} |" for line in alone), *(f"| {line}" for line in alone)]


#: Kind of part → templates.
TEMPLATES = {
    "dependency": _dependency(LABEL_PAIR, LABEL_ALONE),
    "between": _BETWEEN,
    "sibling": SIBLING,
    "grandchild": GRANDCHILD,
    "spine": _SPINE,
    "boundary": _BOUNDARY,
}

#: Kind of part → what word clusters add to its templates (Koo et al. 2008).
CLUSTERED = {
    "dependency": _dependency(CLUSTER_TEMPLATES["label_pair"], CLUSTER_TEMPLATES["label_alone"]),
    "sibling": CLUSTER_TEMPLATES["sibling"],
    "grandchild": CLUSTER_TEMPLATES["grandchild"],
    "spine": _lines(
        """
        cluster
        cluster xpos
        cluster-1 xpos
        xpos cluster+1
        cluster6-1 cluster6
        cluster6 cluster6+1
        cluster4-1 cluster4 cluster4+1
        """
    ),
    "boundary": _lines(
        """
        | cluster
        | cluster6 xpos
        xpos | cluster
        cluster | xpos
        cluster6 | cluster6
        """
    ),
}
