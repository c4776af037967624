"""Feature templates of the tagger: the word, its letters, its neighbours, and the tags that they usually have.

The attribute ``usual`` is the set of tags that a word was seen with, the most frequent first.  ``{}`` stands for each
column that was tagged before this one: the tagger of XPOS sees UPOS, and that of FEATS sees both.
"""

from __future__ import annotations

from treewright.features.templates import read_templates

__all__ = ["CLUSTER", "DEEP_CLUSTER", "EMISSION", "ENDINGS", "GIVEN", "TRANSITION", "TRANSITION_PLAIN"]

EMISSION = read_templates(
    """
    word, lower, lower-1, lower+1, lower-2, lower+2
    lower-1 lower, lower lower+1, lower-1 lower+1, lower-2 lower-1, lower+1 lower+2
    suffix1 shape, suffix2, suffix3, suffix4, suffix5, prefix1, prefix2, prefix3, prefix4
    shape, shape-1 shape, shape shape+1, shape-1 shape shape+1
    suffix3 shape, suffix3-1, suffix3+1, suffix2-1 suffix3, suffix3 suffix2+1
    usual, usual-1, usual+1, usual-1 usual, usual usual+1, usual-1 usual usual+1
    usual-2 usual-1 usual, usual usual+1 usual+2, usual+1 usual+2, usual-2 usual-1
    lower usual-1, lower usual+1, lower-1 usual, lower+1 usual
    suffix3 usual-1, suffix3 usual+1, suffix3 usual-1 usual+1, suffix2 shape usual-1 usual+1
    """
)

#: Additional templates if there are clusters.
CLUSTER = read_templates(
    """
    cluster, cluster-1, cluster+1, cluster-1 cluster, cluster cluster+1
    cluster6, cluster6-1 cluster6 cluster6+1, cluster4-1 cluster4 cluster4+1
    cluster suffix2, cluster shape, cluster usual, usual-1 cluster, cluster usual+1
    """
)

#: And more of them; in a model file, as they came later.
DEEP_CLUSTER = read_templates(
    """
    cluster8, cluster12, cluster8-1 cluster8, cluster8 cluster8+1, cluster8-1 usual cluster8+1
    cluster-2, cluster+2, cluster-1 usual cluster+1, cluster-1 suffix3 cluster+1, cluster12 suffix3
    """
)

#: Additional templates where tags are many: agreement shows in the endings of neighbours.
ENDINGS = read_templates(
    """
    suffix1-1 suffix1, suffix2-1 suffix2, suffix2 suffix2+1
    lower-1 suffix2, lower-1 suffix3, lower-2 suffix2, suffix2 lower+1
    suffix1, prefix2 suffix2, prefix3 suffix2, prefix2 suffix3
    suffix4 shape, suffix5 shape
    """
)

GIVEN = read_templates(
    """
    {}, {}-1 {}, {} {}+1, {}-1 {} {}+1, {}-2 {}-1 {}, {} {}+1 {}+2
    {} lower, {} suffix2, {} suffix3, {} shape, {} usual, {} lower-1, {} lower+1, {}-1 lower, {}+1 lower
    """
)

#: Conjoined with the previous tag.  The first is the tag bigram alone.
TRANSITION_PLAIN = ("",)
TRANSITION = ("", "lower", "suffix3", "lower+1", "usual+1", "suffix3 shape")
