"""Where candidates come from: all that a reranker has to do again with the trees of new sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

__all__ = ["Origin", "TreeKind"]

TreeKind = Literal["constituents", "dependencies"]


@dataclass(frozen=True)
class Origin:
    """How candidates were listed.

    Attributes
    ----------
    trees : {"constituents", "dependencies"}
    parser : str
        What the base parser was, such as ``pcfg``.
    k : int
        The number of candidates for each sentence at most.
    kinds : tuple of str
        The kinds of features that were read, of `treewright.reranking.features.KINDS`.
    rules : str
        Head rules of constituents, as `HeadRules.describe` describes them.

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

    def __post_init__(self) -> None:
        if self.trees not in get_args(TreeKind) or not isinstance(self.k, int) or self.k < 1:
            raise ValueError(f"{self.k!r} candidates that are {self.trees!r}")
        if not all(isinstance(text, str) for text in (self.parser, self.rules, *self.kinds)):
            raise ValueError("the parser, kinds of features and head rules must be named")

    def features(self) -> Callable[[Any], list[str]]:
        """Make what reads the features of a tree.

        Raises
        ------
        UsageError
            When there are no such features or head rules.
        """
        from treewright.reranking.features import ConstituentTreeFeatures, DependencyTreeFeatures
        from treewright.treebank import HeadRules

        if self.trees == "dependencies":
            return DependencyTreeFeatures(self.kinds)
        return ConstituentTreeFeatures(HeadRules.of(self.rules), self.kinds)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        return {**asdict(self), "kinds": list(self.kinds)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Origin:
        """Take what `to_dict` gave.

        Raises
        ------
        TypeError, ValueError
            When it is something else.
        """
        return cls(**{**plain, "kinds": tuple(plain.get("kinds", ()))})
