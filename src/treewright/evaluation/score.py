"""A score: counts of correct, gold and system items, and the percentages that follow from them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from treewright.evaluation.result import Plain

__all__ = ["Score"]


@dataclass(frozen=True, slots=True)
class Score(Plain):
    """Counts, and the percentages that follow from them.

    If both sides have the same number of items (attachment and tags over the same words), precision, recall and F1 are
    all equal to the accuracy.

    Attributes
    ----------
    correct : int
        Items on which the system agrees with the gold standard.
    gold, system : int
        Items in the gold standard and in the output of the system.
    aligned : int or None
        Items of the gold standard whose word the system has, too; None if that can be said of all.

    Examples
    --------
    >>> score = Score(correct=3, gold=4, system=6)
    >>> score.precision, score.recall, score.f1
    (50.0, 75.0, 60.0)
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    def __repr__(self) -> str:
        shown = (field.name for field in fields(self) if getattr(self, field.name) is not None)
        return f"Score({', '.join(f'{name}={getattr(self, name)}' for name in shown)})"

    @property
    def precision(self) -> float:
        """The percentage of the system's items that are correct; 0 if the system has none."""
        return 100 * (self.correct / self.system) if self.system else 0.0

    @property
    def recall(self) -> float:
        """The percentage of the gold items that were found; 0 if there are none."""
        return 100 * (self.correct / self.gold) if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, in percent; 0 if there are no items."""
        total = self.gold + self.system
        return 100 * (2 * self.correct / total) if total else 0.0

    @property
    def aligned_accuracy(self) -> float:
        """The percentage of the aligned items that are correct; 0 if there are none."""
        aligned = self.gold if self.aligned is None else self.aligned
        return 100 * (self.correct / aligned) if aligned else 0.0

    @property
    def given(self) -> bool:
        """Whether both sides have items; if not, there was nothing to compare."""
        return self.gold > 0 and self.system > 0

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and percentages as plain numbers; those of alignment where there is something to say.

        Examples
        --------
        >>> Score(1, 2, 2).to_dict()
        {'correct': 1, 'gold': 2, 'system': 2, 'precision': 50.0, 'recall': 50.0, 'f1': 50.0}
        >>> list(Score(1, 2, 4, aligned=1).to_dict())
        ['correct', 'gold', 'system', 'aligned', 'precision', 'recall', 'f1', 'aligned_accuracy']
        """
        counts = {name: number for name, number in Plain.to_dict(self).items() if number is not None}
        plain = {**counts, "precision": self.precision, "recall": self.recall, "f1": self.f1}
        return plain if self.aligned is None else {**plain, "aligned_accuracy": self.aligned_accuracy}
