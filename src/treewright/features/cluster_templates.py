"""The templates that look at word clusters: Koo et al. (2008, section 3.2 and Table 1).

They mimic those without clusters, with bit strings in place of tags and words.  ``bits`` stands for the first four bits
of a word and, in a second copy of the line, for the first six; both take the place of tags.  ``cluster`` is the whole
bit string, in place of a word.  *Hybrid* templates, of a bit string here and a tag or a word there, are worth more than
those of bit strings alone.  Words in hybrids are ``frequent`` ones only: a feature of a rarer word does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BETWEEN", "CLUSTER_TEMPLATES", "FEW_CLUSTER_TEMPLATES", "NON_LOCAL_CLUSTER_TEMPLATES"]


def _lines(text: str) -> list[str]:
    """Read templates, each with ``bits`` twice: once with four, once with six."""
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    return [
        line.replace("bits", prefix)
        for prefix in ("cluster4", "cluster6")
        for line in lines
        if "bits" in line or prefix == "cluster4"
    ]


_SIBLING = _lines(
    """
    | bits | bits
    bits | bits | bits
    xpos | bits | bits
    bits | xpos | bits
    bits | bits | xpos
    bits | xpos | xpos
    xpos | bits | xpos
    xpos | xpos | bits
    | bits | xpos
    | xpos | bits
    | cluster | cluster
    cluster | cluster | cluster
    xpos | cluster | cluster
    cluster | xpos | xpos
    | frequent | bits
    | bits | frequent
    """
)

_GRANDCHILD = _lines(
    """
    bits | | bits
    bits | bits | bits
    xpos | bits | bits
    bits | xpos | bits
    bits | bits | xpos
    bits | xpos | xpos
    xpos | bits | xpos
    xpos | xpos | bits
    bits | | xpos
    xpos | | bits
    cluster | | cluster
    cluster | cluster | cluster
    xpos | cluster | cluster
    cluster | xpos | xpos
    frequent | | bits
    bits | | frequent
    """
)

_TRI_SIBLING = _lines(
    """
    bits | bits | bits | bits
    bits | xpos | xpos | xpos
    xpos | bits | xpos | xpos
    xpos | xpos | bits | xpos
    xpos | xpos | xpos | bits
    | bits | bits | bits
    | bits | | bits
    | cluster | | cluster
    """
)

#: What stands between the ends of an arc, where there are no tags.
BETWEEN = _lines("cluster4 | cluster4\nshape | shape")

#: List of templates of `FeatureSettings` → what clusters add to it.
CLUSTER_TEMPLATES: Mapping[str, list[str]] = {
    "arc_alone": _lines(
        """
        bits
        cluster
        cluster xpos
        bits-1 xpos
        xpos bits+1
        cluster-1 xpos
        xpos cluster+1
        """
    ),
    "arc_pair": _lines(
        """
        bits | bits
        cluster | cluster
        bits | xpos
        xpos | bits
        cluster | xpos
        xpos | cluster
        bits | frequent
        frequent | bits
        cluster | frequent
        frequent | cluster
        cluster | cluster xpos
        cluster xpos | cluster
        cluster xpos | cluster xpos
        xpos xpos+1 | bits
        xpos-1 xpos | bits
        bits | xpos-1 xpos
        bits | xpos xpos+1
        cluster | xpos-1 xpos
        cluster | xpos xpos+1
        bits bits+1 | bits-1 bits
        bits-1 bits | bits bits+1
        """
    ),
    "label_alone": _lines(
        """
        bits
        cluster
        cluster xpos
        bits-1 bits
        bits bits+1
        """
    ),
    "label_pair": _lines(
        """
        bits | bits
        cluster | cluster
        bits | xpos
        xpos | bits
        cluster | xpos
        xpos | cluster
        cluster | frequent
        frequent | cluster
        """
    ),
    "sibling": _SIBLING,
    "last": _lines(
        """
        bits | bits |
        xpos | bits |
        bits | xpos |
        cluster | xpos |
        xpos | cluster |
        """
    ),
    "grandchild": _GRANDCHILD,
    "grand_sibling": _lines(
        """
        bits | bits | bits | bits
        bits | xpos | xpos | xpos
        xpos | bits | xpos | xpos
        xpos | xpos | bits | xpos
        xpos | xpos | xpos | bits
        bits | | bits | bits
        """
    ),
    "coordination": _lines(
        """
        cluster | | xpos | cluster
        bits | | frequent | bits
        cluster | cluster | xpos | xpos
        """
    ),
    "tri_sibling": _TRI_SIBLING,
}

#: The same for models that only prune.
FEW_CLUSTER_TEMPLATES: Mapping[str, list[str]] = {
    "arc_alone": _lines("cluster\nbits-1 bits bits+1"),
    "arc_pair": _lines(
        """
        bits | bits
        cluster | cluster
        cluster | xpos
        xpos | cluster
        bits bits+1 | bits-1 bits
        """
    ),
}

#: Kind of non-local factors → what clusters add to its templates.
NON_LOCAL_CLUSTER_TEMPLATES: Mapping[str, list[str]] = {
    "siblings": _SIBLING,
    "tri-siblings": _TRI_SIBLING,
    "grandchildren": _GRANDCHILD,
    "great-grandchildren": _lines("bits | bits | bits | bits\nbits | | bits | bits\ncluster | | | cluster"),
    "combs": _lines("bits | bits | bits\nxpos | bits | bits\n| bits | bits"),
}
