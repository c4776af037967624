"""What a set of features is made of: chosen for a treebank, and stored with the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from treewright.features import arc_templates, cluster_templates, higher_templates
from treewright.features.attributes import informative_attributes
from treewright.features.lexicon import CLUSTER_ATTRIBUTES
from treewright.features.templates import attributes_of, usable_templates
from treewright.inference.kinds import PartKind

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["BETWEEN_TAGS", "HEADS_OF_NON_LOCAL", "HIGHER", "TAG_ATTRIBUTES", "FeatureSettings", "table_bits"]

#: Attributes of words that a treebank need not have: tags, and what comes with them.
TAG_ATTRIBUTES = ("upos", "xpos", "feats", "case", "agreement", "lemma")

#: Which word is the head in each kind of non-local factor.
HEADS_OF_NON_LOCAL: Mapping[str, int] = {
    "siblings": 0,
    "tri-siblings": 0,
    "grandchildren": 1,
    "great-grandchildren": 2,
    "combs": 0,
}

#: Lists of higher-order templates → the kind of part they are about.
HIGHER: Mapping[str, PartKind] = {
    "sibling": PartKind.SIBLING,
    "last": PartKind.LAST,
    "grandchild": PartKind.GRANDCHILD,
    "grand_sibling": PartKind.GRAND_SIBLING,
    "coordination": PartKind.GRAND_SIBLING,
    "tri_sibling": PartKind.TRI_SIBLING,
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
        The templates of each kind of non-local factors that is scored (`treewright.inference.bounds.non_local`).
    bits_as_tags : bool
        Whether these are not tags but the first four bits of clusters: where there are clusters and no tags.
    hooks : sequence of str
        The names of the functions that propose factors of their own, with features that are learned.
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
    bits_as_tags: bool = False
    hooks: Sequence[str] = ()
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
        hooks: Sequence[str] = (),
        few: bool = False,
        clusters: bool = False,
        frequent_only: bool = False,
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
        hooks : sequence of str
            The names of hooks whose features are learned.
        few : bool
            Whether to use few features of arcs: for a model that only prunes.
        clusters : bool
            Whether to add features of word clusters.
        frequent_only : bool
            Whether only frequent words have features of their form.
        ignored : collection of str
            Attributes not to be used though the treebank has them, such as ``lemma`` where the
            text to be parsed will have none; `TAG_ATTRIBUTES` where it will have no tags at all.
        bits : int, optional
            The size of the tables; chosen by the size of the treebank when not given.
        """
        available = informative_attributes(sentences) - set(ignored) | {"frequent"}
        if clusters:
            available |= set(CLUSTER_ATTRIBUTES)
        words = sum(map(len, sentences))
        untagged = clusters and "upos" not in available
        labels = sorted({label for sentence in sentences for label in sentence.deprels}) if "label" in kinds else []
        added = cluster_templates.FEW_CLUSTER_TEMPLATES if few else cluster_templates.CLUSTER_TEMPLATES

        def usable(templates: Iterable[str], more: Iterable[str], sides: int) -> list[str]:
            instead = (*arc_templates.INSTEAD, *([("word", "frequent")] if frequent_only else []))
            looked_at = available - {"word"} if frequent_only else available
            usual = usable_templates(templates, looked_at, instead) or [" | ".join(["word"] * sides)]
            return [*usual, *usable_templates(more, looked_at, arc_templates.INSTEAD)]

        def listed(name: str, templates: Iterable[str], sides: int, wanted: bool = True) -> list[str]:
            return usable(templates, added.get(name, ()), sides) if wanted else []

        return cls(
            labels=labels,
            tags=_PREFIXES if untagged else _common_tags(sentences) if "upos" in available else [],
            bits_as_tags=untagged,
            arc_alone=listed("arc_alone", arc_templates.FEW_ALONE if few else arc_templates.ARC_ALONE, 1),
            arc_pair=listed("arc_pair", arc_templates.FEW_PAIR if few else arc_templates.ARC_PAIR, 2),
            between=listed("between", cluster_templates.BETWEEN if untagged else arc_templates.BETWEEN, 2),
            label_alone=listed("label_alone", arc_templates.LABEL_ALONE, 1, "label" in kinds),
            label_pair=listed("label_pair", arc_templates.LABEL_PAIR, 2, "label" in kinds),
            non_local={
                kind: usable(
                    higher_templates.NON_LOCAL[kind],
                    cluster_templates.NON_LOCAL_CLUSTER_TEMPLATES[kind],
                    len(_sides(kind)),
                )
                for kind in non_local
            },
            hooks=list(hooks),
            arc_bits=bits or table_bits(words),
            label_bits=bits or table_bits(words),
            higher_bits=bits or table_bits(words) + 2,
            **{
                name: listed(name, getattr(higher_templates, name.upper()), kind.rank, kind in kinds)
                for name, kind in HIGHER.items()
            },
        )

    @property
    def attributes(self) -> set[str]:
        """The attributes that templates look at."""
        names = ("arc_alone", "arc_pair", "between", "label_alone", "label_pair", *HIGHER)
        lists = [*(getattr(self, name) for name in names), *self.non_local.values()]
        return attributes_of(template for templates in lists for template in templates)

    def first_order(self) -> FeatureSettings:
        """Give the same features of arcs, and none of labels or of larger parts."""
        nothing: dict[str, Any] = dict.fromkeys(("labels", "label_alone", "label_pair", *HIGHER), ())
        return replace(self, **nothing, non_local={}, hooks=())

    @property
    def needs_tags(self) -> bool:
        """Whether tags, or what comes with them, are looked at."""
        return (bool(self.tags) and not self.bits_as_tags) or not self.attributes.isdisjoint(TAG_ATTRIBUTES)


#: What four bits may be.
_PREFIXES = [f"{prefix:04b}" for prefix in range(16)]


def _common_tags(sentences: Iterable[Sentence]) -> list[str]:
    counts = Counter(tag for sentence in sentences for tag in sentence.upos)
    return [tag for tag, _ in counts.most_common(BETWEEN_TAGS)]


def _sides(kind: str) -> list[str]:
    return higher_templates.NON_LOCAL[kind][0].split("|")


def table_bits(words: int) -> int:
    """Choose the size of a weight table: about a hundred places for each training word, at most 2²².

    Examples
    --------
    >>> table_bits(204_577), table_bits(10_000)
    (22, 20)
    """
    return min(22, max(16, (64 * words).bit_length()))
