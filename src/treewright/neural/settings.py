"""The settings of a network: its sizes, and what it predicts; chosen for a treebank, and stored with the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from treewright.errors import UsageError
from treewright.inference.kinds import FACTORIZATIONS
from treewright.neural.columns import column_values
from treewright.treebank import Sentence

__all__ = ["NetworkSettings"]


@dataclass(frozen=True)
class NetworkSettings:
    """The settings of a network: plain data, stored in the model file.

    Attributes
    ----------
    width, layers, heads : int
        The size of the vectors of words, how many layers encode them, and how many heads attend in each.
    forward : int
        How many times wider the hidden units of a layer are.
    base : float
        The base of rotary positions: the longest wave is about that many words long.
    arc, label, rank : int
        The sizes of the vectors by which arcs, labels and larger parts are scored.
    tag_width : int
        The size of the hidden layer of tags.
    factorization : str
        Which parts are scored.
    labels : sequence of str
        The relations; none if only heads are predicted.
    columns : mapping
        The values of each column that is predicted (`treewright.neural.columns`).
    """

    width: int = 256
    layers: int = 6
    heads: int = 8
    forward: int = 4
    base: float = 1000.0
    arc: int = 500
    label: int = 100
    rank: int = 64
    tag_width: int = 256
    factorization: str = "arc"
    labels: Sequence[str] = ()
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("width", "layers", "heads", "forward", "arc", "label", "rank", "tag_width"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, and is {getattr(self, name)}")
        if self.width % (2 * self.heads):
            raise UsageError(f"width must be a multiple of twice the heads ({2 * self.heads}), and is {self.width}")
        if self.factorization not in FACTORIZATIONS:
            raise UsageError(f"{self.factorization!r} is no factorization: choose from {', '.join(FACTORIZATIONS)}")

    @classmethod
    def of(cls, sentences: Sequence[Sentence], *, labelled: bool = True, **choices: Any) -> NetworkSettings:
        """Take the relations and the values of columns from a treebank; ``choices`` are the other settings."""
        labels = sorted({label for one in sentences for label in one.deprels} - {"_"}) if labelled else []
        return cls(labels=labels, columns=column_values(sentences), **choices)

    @property
    def head_width(self) -> int:
        """The size of the vectors of one attention head."""
        return self.width // self.heads
