"""The dynamic programs by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from treewright.inference.charts import carreras, eisner, grand_sibling, grandchild, sibling, tri_sibling
from treewright.inference.charts.eisner import Spans
from treewright.inference.charts.g_layout import GSpans
from treewright.inference.charts.sibling import SiblingSpans
from treewright.inference.charts.walks import Function, Walk

__all__ = ["Program", "Shape"]

#: What the rules of a program are told about the shape of a problem.
Shape = Spans | SiblingSpans | GSpans

_TEXTS: Mapping[str, Callable[..., Function]] = {
    "arc": eisner.program,
    "sibling": sibling.program,
    "grandchild": grandchild.program,
    "carreras": carreras.program,
    "grand-sibling": grand_sibling.program,
    "tri-sibling": tri_sibling.program,
}


@dataclass(frozen=True)
class Program:
    """A dynamic program."""

    factorization: str
    last: bool = False  # whether last modifiers are scored; only ``sibling`` and ``grand-sibling`` can

    def rules(self, walk: Walk) -> Function:
        """Write the rules for a walk: a function ``(chart, shape, single_root)``."""
        text = _TEXTS[self.factorization]
        return text(walk, True) if self.last else text(walk)
