"""One score: how many are correct, of how many, and the percentages that follow."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Score"]


@dataclass(frozen=True, slots=True)
class Score:
    """Counts, and the percentages made of them.

    Where both sides have the same number of items (attachment and tags over the same words) precision,
    recall and F1 are one number, the accuracy.

    Attributes
    ----------
    correct : int
        Items on which the system agrees with the gold standard.
    gold, system : int
        Items in the gold standard and in the output of the system.

    Examples
    --------
    >>> score = Score(correct=3, gold=4, system=6)
    >>> score.precision, score.recall, score.f1
    (50.0, 75.0, 60.0)
    """

    correct: int
    gold: int
    system: int

    @property
    def precision(self) -> float:
        """Percentage of the system's items that are correct; 0 where the system has none."""
        return 100 * (self.correct / self.system) if self.system else 0.0

    @property
    def recall(self) -> float:
        """Percentage of the gold items that were found; 0 where there are none."""
        return 100 * (self.correct / self.gold) if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in percent; 0 where there is nothing to find."""
        total = self.gold + self.system
        return 100 * (2 * self.correct / total) if total else 0.0

    @property
    def given(self) -> bool:
        """Whether both sides have items: False means that there was nothing to compare."""
        return self.gold > 0 and self.system > 0

    def to_dict(self) -> dict[str, int | float]:
        """Give the counts and percentages as plain numbers.

        Examples
        --------
        >>> Score(1, 2, 2).to_dict()
        {'correct': 1, 'gold': 2, 'system': 2, 'precision': 50.0, 'recall': 50.0, 'f1': 50.0}
        """
        return {
            "correct": self.correct,
            "gold": self.gold,
            "system": self.system,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }
