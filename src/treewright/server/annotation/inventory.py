"""Which tags, relations and features there are: those of Universal Dependencies, and those of a treebank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from treewright.treebank import Sentence

__all__ = ["UD_RELATIONS", "UD_TAGS", "Inventory", "base_of"]

_TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
_RELATIONS = (
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed "
    "flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
)

#: The universal tags.
UD_TAGS = frozenset(_TAGS.split())

#: The universal relations, without subtypes.
UD_RELATIONS = frozenset(_RELATIONS.split())


def base_of(relation: str) -> str:
    """Return a relation without its subtype.

    Examples
    --------
    >>> base_of("nsubj:pass")
    'nsubj'
    """
    return relation.partition(":")[0]


@dataclass(frozen=True)
class Inventory:
    """What a treebank has in each column, ``_`` aside.

    Examples
    --------
    >>> one = Inventory.of([Sentence.from_forms(["Go"], upos=["VERB"], feats=["Mood=Imp|VerbForm=Fin"])])
    >>> sorted(one.upos), sorted(one.feats)
    (['VERB'], ['Mood=Imp', 'VerbForm=Fin'])
    """

    upos: frozenset[str] = frozenset()
    xpos: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    feats: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> Inventory:
        """Collect what sentences have."""
        upos, xpos, relations, feats = set[str](), set[str](), set[str](), set[str]()
        for sentence in sentences:
            upos.update(sentence.upos)
            xpos.update(sentence.xpos)
            relations.update(sentence.deprels)
            for bundle in sentence.feats:
                feats.update(bundle.split("|"))
        return cls(*(frozenset(found - {"_"}) for found in (upos, xpos, relations, feats)))

    def __or__(self, other: Inventory) -> Inventory:
        return Inventory(
            self.upos | other.upos, self.xpos | other.xpos, self.relations | other.relations, self.feats | other.feats
        )
