"""The templates that look at word clusters: Koo et al. (2008, section 3.2 and Table 1).

They mirror those without clusters, with bit strings in place of tags and words.  ``bits`` stands for the first four
bits of a word and, in a second copy, for the first six; both take the place of tags.  ``cluster`` is the whole bit
string, in place of a word.  *Hybrid* templates, which combine a bit string with a tag or a word, help more than those
of bit strings alone.  Words in hybrids are ``frequent`` ones only: a feature of a rarer word does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping

from treewright.features.templates import read_templates, with_copies
from treewright.inference.kinds import PartKind

__all__ = ["BETWEEN", "CLUSTER_TEMPLATES", "FEW_CLUSTER_TEMPLATES", "NON_LOCAL_CLUSTER_TEMPLATES"]


def _read(*texts: str, bigram: str = "") -> list[str]:
    return with_copies(read_templates(*texts, bigram=bigram), "bits", ("cluster4", "cluster6"))


_THREE_WORDS = """
    bits | bits
    bits | bits | bits, xpos | bits | bits, bits | xpos | bits, bits | bits | xpos
    bits | xpos | xpos, xpos | bits | xpos, xpos | xpos | bits
    bits | xpos, xpos | bits, cluster | cluster
    cluster | cluster | cluster, xpos | cluster | cluster, cluster | xpos | xpos
    frequent | bits, bits | frequent
    """
_SIBLING = _read(_THREE_WORDS, bigram="| {} | {}")
_GRANDCHILD = _read(_THREE_WORDS, bigram="{} | | {}")

_FOUR_WORDS = """
    bits | bits | bits | bits
    bits | xpos | xpos | xpos, xpos | bits | xpos | xpos, xpos | xpos | bits | xpos, xpos | xpos | xpos | bits
    """
_TRI_SIBLING = _read(_FOUR_WORDS, "| bits | bits | bits, | bits | | bits, | cluster | | cluster")

#: What stands between the ends of an arc, where there are no tags.
BETWEEN = read_templates("cluster4 | cluster4, shape | shape")

#: List of templates of `FeatureSettings` → what clusters add to it.
CLUSTER_TEMPLATES: Mapping[str, list[str]] = {
    "arc_alone": _read("bits, cluster, cluster xpos, bits-1 xpos, xpos bits+1, cluster-1 xpos, xpos cluster+1"),
    "arc_pair": _read(
        """
        bits | bits, cluster | cluster, bits | xpos, xpos | bits, cluster | xpos, xpos | cluster
        bits | frequent, frequent | bits, cluster | frequent, frequent | cluster
        cluster | cluster xpos, cluster xpos | cluster, cluster xpos | cluster xpos
        xpos xpos+1 | bits, xpos-1 xpos | bits, bits | xpos-1 xpos, bits | xpos xpos+1
        cluster | xpos-1 xpos, cluster | xpos xpos+1
        bits bits+1 | bits-1 bits, bits-1 bits | bits bits+1
        """
    ),
    "label_alone": _read("bits, cluster, cluster xpos, bits-1 bits, bits bits+1"),
    "label_pair": _read(
        """
        bits | bits, cluster | cluster, bits | xpos, xpos | bits, cluster | xpos, xpos | cluster
        cluster | frequent, frequent | cluster
        """
    ),
    PartKind.SIBLING: _SIBLING,
    PartKind.LAST: _read("bits | bits |, xpos | bits |, bits | xpos |, cluster | xpos |, xpos | cluster |"),
    PartKind.GRANDCHILD: _GRANDCHILD,
    PartKind.GRAND_SIBLING: _read(_FOUR_WORDS, "bits | | bits | bits"),
    "coordination": _read("cluster | | xpos | cluster, bits | | frequent | bits, cluster | cluster | xpos | xpos"),
    PartKind.TRI_SIBLING: _TRI_SIBLING,
}

#: The same for models that only prune.
FEW_CLUSTER_TEMPLATES: Mapping[str, list[str]] = {
    "arc_alone": _read("cluster, bits-1 bits bits+1"),
    "arc_pair": _read("bits | bits, cluster | cluster, cluster | xpos, xpos | cluster, bits bits+1 | bits-1 bits"),
}

#: Kind of non-local factors → what clusters add to its templates.
NON_LOCAL_CLUSTER_TEMPLATES: Mapping[str, list[str]] = {
    "siblings": _SIBLING,
    "tri-siblings": _TRI_SIBLING,
    "grandchildren": _GRANDCHILD,
    "great-grandchildren": _read("bits | bits | bits | bits, bits | | bits | bits, cluster | | | cluster"),
    "combs": _read("bits | bits | bits, xpos | bits | bits, | bits | bits"),
}
