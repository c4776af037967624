"""Scores of content words: CLAS, MLAS and BLEX (Nivre and Fang 2017; Zeman et al. 2018, sections 5.2 to 5.4).

Content words are those with a content relation, each side by its own.  CLAS asks for head and relation; MLAS also for
tag, features, and the same function words below; BLEX also for the lemma.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from treewright.arrays import Ints, Mask
from treewright.evaluation.agreement import Agreement, count, universal
from treewright.evaluation.score import Score
from treewright.evaluation.tags import TagAgreement

__all__ = ["score_blex", "score_clas", "score_mlas"]

# The universal relations except punct and those of function words.  Other relations are neither.
# fmt: off
_CONTENT: Final = frozenset(
    [
        "acl", "advcl", "advmod", "amod", "appos", "ccomp", "compound", "conj", "csubj", "dep",
        "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "nmod",
        "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "reparandum", "root", "vocative",
        "xcomp",
    ]
)
# fmt: on

_FUNCTION: Final = frozenset(["aux", "case", "cc", "clf", "cop", "det", "mark"])


def score_clas(words: Agreement) -> Score:
    """Count labelled arcs of content words: CLAS."""
    return _score(words, words.labelled, (True, True))


def score_mlas(words: Agreement, tags: TagAgreement) -> Score:
    """Count labelled arcs of content words whose tags and features are right, and those of their function words: MLAS.

    Function words are right if they are the same ones, with the same relations, tags and features.
    """
    column = tags.upos & tags.ufeats
    right = words.labelled & column.correct[words.gold.index]
    functional = np.array([name in _FUNCTION for name in universal(words.relations)], np.bool_)
    gold, system = functional[words.gold.relations], functional[words.system.relations]
    size = len(column.correct)
    expected = _count_below(words.gold.targets[gold], size)[words.gold.index]
    found = _count_below(words.gold.targets[gold & right], size)[words.gold.index]
    offered = _count_below(words.system.targets[system], tags.system)[words.counterpart]
    return _score(words, right & (found == expected) & (offered == expected), column.sides)


def score_blex(words: Agreement, tags: TagAgreement) -> Score:
    """Count labelled arcs of content words whose lemma is right: BLEX."""
    return _score(words, words.labelled & tags.lemmas.correct[words.gold.index], tags.lemmas.sides)


def _count_below(targets: Ints, size: int) -> Ints:
    """Count the words below each of ``size`` words, given their heads."""
    return np.bincount(targets[targets >= 0], minlength=size)


def _score(words: Agreement, correct: Mask, sides: tuple[bool, bool]) -> Score:
    """Count the content words among those that are correct, on the sides that have what it takes."""
    content = np.array([name in _CONTENT for name in universal(words.relations)], np.bool_)
    gold, system = content[words.gold.relations], content[words.system.relations]
    given = words.relations_given[0] and sides[0], words.relations_given[1] and sides[1]
    aligned = None if words.aligned is None else words.aligned[gold]
    return count(correct[gold], int(np.count_nonzero(system)), given, aligned)
