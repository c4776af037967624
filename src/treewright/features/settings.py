"""What a set of features is made of: chosen for a treebank, and stored with the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treewright.features import arc_templates, higher_templates
from treewright.features.attributes import informative_attributes
from treewright.features.templates import usable_templates
from treewright.inference.scores import RANKS

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["BETWEEN_TAGS", "HEADS_OF_NON_LOCAL", "HIGHER", "FeatureSettings", "table_bits"]

#: Which word is the head in each kind of non-local factor.
HEADS_OF_NON_LOCAL: Mapping[str, int] = {
    "siblings": 0,
    "tri-siblings": 0,
    "grandchildren": 1,
    "great-grandchildren": 2,
    "combs": 0,
}

#: Lists of higher-order templates → the kind of part they are about, and which of its words is the head.
HIGHER: Mapping[str, tuple[str, int]] = {
    "sibling": ("sibling", 0),
    "last": ("last", 0),
    "grandchild": ("grandchild", 1),
    "grand_sibling": ("grand_sibling", 1),
    "coordination": ("grand_sibling", 1),
    "tri_sibling": ("tri_sibling", 0),
}

#: Tags that are told apart between the ends of an arc; the rest count as one.
BETWEEN_TAGS = 63


@dataclass(frozen=True)
class FeatureSettings:
    """What a set of features is made of; plain data, stored in the model file.

    Attributes
    ----------
    labels, tags : sequence of str
        The relations (none where only heads are predicted), and the coarse tags told apart between the ends of an arc.
    arc_alone, arc_pair, between, label_alone, label_pair : sequence of str
        The first-order templates.
    sibling, last, grandchild, grand_sibling, coordination, tri_sibling : sequence of str
        The higher-order templates; parts of a kind that has none are not scored.
    non_local : mapping
        The templates of each kind of non-local factors that is scored (`treewright.inference.non_local`).
    arc_bits, label_bits, higher_bits : int
        Two to this power is the size of each table of weights.
    """

    labels: Sequence[str]
    tags: Sequence[str]
    arc_alone: Sequence[str]
    arc_pair: Sequence[str]
    between: Sequence[str]
    label_alone: Sequence[str]
    label_pair: Sequence[str]
    sibling: Sequence[str] = ()
    last: Sequence[str] = ()
    grandchild: Sequence[str] = ()
    grand_sibling: Sequence[str] = ()
    coordination: Sequence[str] = ()
    tri_sibling: Sequence[str] = ()
    non_local: Mapping[str, Sequence[str]] = field(default_factory=dict)
    arc_bits: int = 22
    label_bits: int = 22
    higher_bits: int = 24

    @classmethod
    def of(
        cls,
        sentences: Sequence[Sentence],
        *,
        kinds: Collection[str] = ("arc", "label"),
        non_local: Collection[str] = (),
        few: bool = False,
        ignored: Collection[str] = (),
        bits: int | None = None,
    ) -> FeatureSettings:
        """Choose what suits a treebank.

        Parameters
        ----------
        sentences : sequence of Sentence
        kinds : collection of str
            Which kinds of parts to score: ``arc`` always, ``label``, ``sibling``, ``last``, ``grandchild``,
            ``grand_sibling``, ``tri_sibling``.
        non_local : collection of str
            Which kinds of non-local factors to score.
        few : bool
            Whether to use few features of arcs: for a model that only prunes.
        ignored : collection of str
            Attributes not to be used though the treebank has them, such as ``lemma`` where the
            text to be parsed will have none.
        bits : int, optional
            The size of the tables; chosen by the size of the treebank when not given.
        """
        available = informative_attributes(sentences) - set(ignored)
        words = sum(map(len, sentences))
        tags = Counter(tag for sentence in sentences for tag in sentence.upos)
        labels = sorted({label for sentence in sentences for label in sentence.deprels}) if "label" in kinds else []

        def usable(templates: Iterable[str], otherwise: str, wanted: bool = True) -> list[str]:
            return (usable_templates(templates, available, arc_templates.INSTEAD) or [otherwise]) if wanted else []

        return cls(
            labels=labels,
            tags=[tag for tag, _ in tags.most_common(BETWEEN_TAGS)],
            arc_alone=usable(arc_templates.FEW_ALONE if few else arc_templates.ARC_ALONE, "word"),
            arc_pair=usable(arc_templates.FEW_PAIR if few else arc_templates.ARC_PAIR, "word | word"),
            between=usable(arc_templates.BETWEEN, "shape | shape"),
            label_alone=usable(arc_templates.LABEL_ALONE, "word", "label" in kinds),
            label_pair=usable(arc_templates.LABEL_PAIR, "word | word", "label" in kinds),
            non_local={
                kind: usable(higher_templates.NON_LOCAL[kind], " | ".join(["word"] * len(_sides(kind))))
                for kind in non_local
            },
            arc_bits=bits or table_bits(words),
            label_bits=bits or table_bits(words),
            higher_bits=bits or table_bits(words) + 2,
            **{
                name: usable(getattr(higher_templates, name.upper()), " | ".join(["word"] * RANKS[kind]), kind in kinds)
                for name, (kind, _) in HIGHER.items()
            },
        )


def _sides(kind: str) -> list[str]:
    return higher_templates.NON_LOCAL[kind][0].split("|")


def table_bits(words: int) -> int:
    """Choose the size of a weight table: about sixteen places for each training word, at most 2²².

    Examples
    --------
    >>> table_bits(204_577), table_bits(10_000)
    (22, 18)
    """
    return min(22, max(16, (16 * words).bit_length()))
