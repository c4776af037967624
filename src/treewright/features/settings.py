"""The settings of a set of features: chosen for a treebank, and stored with the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from treewright.features import arc_templates, cluster_templates
from treewright.features.attributes import informative_attributes
from treewright.features.cluster_templates import CLUSTER_TEMPLATES, FEW_CLUSTER_TEMPLATES, NON_LOCAL_CLUSTER_TEMPLATES
from treewright.features.higher_templates import FEW_HIGHER, HIGHER_TEMPLATES, NON_LOCAL
from treewright.features.lexicon import CLUSTER_ATTRIBUTES
from treewright.features.templates import attributes_of, usable_templates
from treewright.inference.kinds import PartKind

if TYPE_CHECKING:
    from treewright.treebank import Sentence

__all__ = ["BETWEEN_TAGS", "HEADS_OF_NON_LOCAL", "HIGHER", "TAG_ATTRIBUTES", "FeatureSettings", "table_bits"]

#: Attributes of words that are annotated: a treebank, or a text, may lack them.
TAG_ATTRIBUTES = ("upos", "xpos", "feats", "case", "agreement", "lemma")

#: The position of the head among the words of each kind of non-local factor.
HEADS_OF_NON_LOCAL: Mapping[str, int] = {
    "siblings": PartKind.SIBLING.head,
    "tri-siblings": PartKind.TRI_SIBLING.head,
    "grandchildren": PartKind.GRANDCHILD.head,
    "great-grandchildren": 2,
    "combs": 0,
}

#: Lists of higher-order templates → the kind of part they are about.
HIGHER: Mapping[str, PartKind] = {
    name: PartKind.GRAND_SIBLING if name == "coordination" else PartKind(name) for name in HIGHER_TEMPLATES
}

#: The number of tags distinguished between the ends of an arc; the rest count as one.
BETWEEN_TAGS = 63


@dataclass(frozen=True)
class FeatureSettings:
    """The settings of a set of features: plain data, stored in the model file.

    Attributes
    ----------
    labels, tags : sequence of str
        The relations (none where only heads are predicted), and the coarse tags distinguished between the ends of an
        arc.
    arc_alone, arc_pair, between, label_alone, label_pair : sequence of str
        The first-order templates.
    sibling, last, grandchild, grand_sibling, coordination, tri_sibling : sequence of str
        The higher-order templates; parts of a kind that has none are not scored.
    non_local : mapping
        The templates of each kind of non-local factors that is scored (`treewright.inference.bounds.non_local`).
    bits_as_tags : bool
        Whether ``tags`` are the first four bits of clusters instead: where there are clusters and no tags.
    hooks : sequence of str
        The names of the functions that propose factors with learned features (`treewright.features.hooks`).
    arc_bits, label_bits, higher_bits : int
        The binary logarithm of the size of each table of weights.
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
        """Choose settings that suit a treebank.

        Parameters
        ----------
        sentences : sequence of Sentence
        kinds : collection of str
            Which parts to score: arcs always, ``label``, and any other `PartKind`.
        non_local : collection of str
            Which kinds of non-local factors to score.
        hooks : sequence of str
            The names of hooks whose features are learned.
        few : bool
            Whether to use only a few features, for a model that prunes.
        clusters : bool
            Whether to add features of word clusters.
        frequent_only : bool
            Whether only frequent words have features of their form.
        ignored : collection of str
            Attributes not to use although the treebank has them, such as ``lemma`` where the text to be parsed will
            have none; `TAG_ATTRIBUTES` where it will have no tags at all.
        bits : int, optional
            The binary logarithm of the size of the tables; by default it depends on the size of the treebank.
        """
        available = informative_attributes(sentences) - set(ignored) | {"frequent"}
        if clusters:
            available |= set(CLUSTER_ATTRIBUTES)
        untagged, labelled = clusters and "upos" not in available, "label" in kinds
        usable = _Usable(available, frequent_only)
        added = FEW_CLUSTER_TEMPLATES if few else CLUSTER_TEMPLATES
        larger = {**HIGHER_TEMPLATES, **FEW_HIGHER} if few else HIGHER_TEMPLATES
        lists = {
            "arc_alone": arc_templates.FEW_ALONE if few else arc_templates.ARC_ALONE,
            "arc_pair": arc_templates.FEW_PAIR if few else arc_templates.ARC_PAIR,
            "between": cluster_templates.BETWEEN if untagged else arc_templates.BETWEEN,
            "label_alone": arc_templates.LABEL_ALONE if labelled else [],
            "label_pair": arc_templates.LABEL_PAIR if labelled else [],
            **{name: larger[name] if kind in kinds else [] for name, kind in HIGHER.items()},
        }
        chosen: dict[str, Any] = {name: usable(listed, added.get(name, ())) for name, listed in lists.items()}
        size = table_bits(sum(map(len, sentences)))
        return cls(
            labels=_relations(sentences) if labelled else [],
            tags=_PREFIXES if untagged else _common_tags(sentences) if "upos" in available else [],
            bits_as_tags=untagged,
            non_local={kind: usable(NON_LOCAL[kind], NON_LOCAL_CLUSTER_TEMPLATES[kind]) for kind in non_local},
            hooks=list(hooks),
            arc_bits=bits or size,
            label_bits=bits or size,
            higher_bits=bits or size + 2,
            **chosen,
        )

    @property
    def attributes(self) -> set[str]:
        """The attributes that templates mention."""
        names = ("arc_alone", "arc_pair", "between", "label_alone", "label_pair", *HIGHER)
        lists = [*(getattr(self, name) for name in names), *self.non_local.values()]
        return attributes_of(template for templates in lists for template in templates)

    def first_order(self) -> FeatureSettings:
        """Return the same settings for arcs, without features of labels or of larger parts."""
        nothing: dict[str, Any] = dict.fromkeys(("labels", "label_alone", "label_pair", *HIGHER), ())
        return replace(self, **nothing, non_local={}, hooks=())

    @property
    def needs_tags(self) -> bool:
        """Whether templates mention tags, or other annotation of words."""
        return (bool(self.tags) and not self.bits_as_tags) or not self.attributes.isdisjoint(TAG_ATTRIBUTES)


#: All strings of four bits.
_PREFIXES = [f"{prefix:04b}" for prefix in range(16)]


def _relations(sentences: Sequence[Sentence]) -> list[str]:
    """List the relations of a treebank; ``_`` is one only where there is no other."""
    found = {label for sentence in sentences for label in sentence.deprels}
    return sorted(found - {"_"} or found)


def _common_tags(sentences: Iterable[Sentence]) -> list[str]:
    counts = Counter(tag for sentence in sentences for tag in sentence.upos)
    return [tag for tag, _ in counts.most_common(BETWEEN_TAGS)]


@dataclass(frozen=True)
class _Usable:
    """Chooses the templates that look at available attributes only."""

    available: set[str]
    frequent_only: bool

    def __call__(self, templates: Sequence[str], of_clusters: Iterable[str]) -> list[str]:
        """Choose from both lists, unless the first is empty; where none of it is usable, look at the words alone."""
        if not templates:
            return []
        instead = (*arc_templates.INSTEAD, *([("word", "frequent")] if self.frequent_only else []))
        available = self.available - {"word"} if self.frequent_only else self.available
        usual = usable_templates(templates, available, instead) or [" | ".join(["word"] * len(templates[0].split("|")))]
        return [*usual, *usable_templates(of_clusters, available, arc_templates.INSTEAD)]


def table_bits(words: int) -> int:
    """Choose the binary logarithm of the size of a weight table: about a hundred places a training word, at most 22.

    Examples
    --------
    >>> table_bits(204_577), table_bits(10_000)
    (22, 20)
    """
    return min(22, max(16, (64 * words).bit_length()))
