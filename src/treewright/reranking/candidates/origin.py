"""Where candidates come from: what a reranker needs to list the candidates of new sentences in the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeVar, get_args

from treewright.parsing import Ranked
from treewright.reranking.features import ConstituentTreeFeatures, DependencyTreeFeatures
from treewright.treebank import HeadRules

__all__ = ["Origin", "TreeKind", "likely"]

T = TypeVar("T")

TreeKind = Literal["constituents", "dependencies"]


@dataclass(frozen=True)
class Origin:
    """How candidates were listed.

    Attributes
    ----------
    trees : {"constituents", "dependencies"}
    parser : str
        The base parser, such as ``pcfg``.
    k : int
        The maximum number of candidates per sentence.
    kinds : tuple of str
        The kinds of features extracted, among `treewright.reranking.features.KINDS`.
    rules : str
        The head rules of constituents, as described by `HeadRules.describe`.
    within : float, optional
        By how much the log-probability of a candidate could be lower than the highest of its sentence.
    language : str
        The language of the sentences, as an ISO 639 code; empty where it is unknown.

    Examples
    --------
    >>> origin = Origin("constituents", "pcfg", 50, ("rule",))
    >>> Origin.from_dict(origin.to_dict()) == origin
    True
    """

    trees: TreeKind
    parser: str
    k: int
    kinds: tuple[str, ...]
    rules: str = "collins"
    within: float | None = None
    language: str = field(
        default="", compare=False
    )  # lists of sentences so few that it is unclear are lists all the same

    def __post_init__(self) -> None:
        if self.trees not in get_args(TreeKind) or not isinstance(self.k, int) or self.k < 1:
            raise ValueError(f"{self.k!r} candidates of the kind {self.trees!r}")
        if not all(isinstance(text, str) for text in (self.parser, self.rules, self.language, *self.kinds)):
            raise ValueError("the parser, the kinds of features, the head rules and the language must be strings")
        if self.within is not None and not (isinstance(self.within, int | float) and self.within >= 0):
            raise ValueError(f"candidates within {self.within!r} of the most probable one")

    def features(self) -> Callable[[Any], list[str]]:
        """Return the function that extracts the features of a tree.

        Raises
        ------
        UsageError
            If there are no such features or head rules.
        """
        if self.trees == "dependencies":
            return DependencyTreeFeatures(self.kinds)
        return ConstituentTreeFeatures(HeadRules.of(self.rules), self.kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return all attributes as plain data, ready for JSON."""
        return {**asdict(self), "kinds": list(self.kinds)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Origin:
        """Read the output of `to_dict`.

        Raises
        ------
        TypeError, ValueError
            If it is anything else.
        """
        return cls(**{**plain, "kinds": tuple(plain.get("kinds", ()))})


def likely(ranked: Sequence[Ranked[T]], within: float | None) -> Sequence[Ranked[T]]:
    """Return the trees, the most probable first, whose log-probability is at most ``within`` below the first one's.

    Examples
    --------
    >>> [one.tree for one in likely([Ranked("a", -1.0), Ranked("b", -3.0), Ranked("c", -6.5)], 4.0)]
    ['a', 'b']
    """
    if within is None or not ranked:
        return ranked
    lowest = ranked[0].log_probability - within
    return [one for one in ranked if one.log_probability >= lowest]
