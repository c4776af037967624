"""The accuracy of chosen candidates, against the base model and the best candidates, with tests of significance."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arrays import Ints
from treewright.evaluation.significance import PairedTest, paired_test
from treewright.reranking.candidates.candidates import Candidates

__all__ = ["RerankingReport", "evaluate_choices"]


@dataclass(frozen=True)
class RerankingReport:
    """The result of `evaluate_choices`.

    Attributes
    ----------
    sentences, candidates : int
    chosen, base, oracle, worst : float
        The mean accuracy, weighted by size if there are sizes, of the chosen candidates, of the most probable ones
        under the base model, of the best and of the worst.
    changed : int
        The number of sentences whose chosen candidate is not that of the base model.
    against_base : PairedTest
        A test of the choices against those of the base model, sentence by sentence.
    other : float, optional
        The mean accuracy of the choices of another system.
    against_other : PairedTest, optional
        A test of the choices against those of the other system.
    """

    sentences: int
    candidates: int
    chosen: float
    base: float
    oracle: float
    worst: float
    changed: int
    against_base: PairedTest
    other: float | None = None
    against_other: PairedTest | None = None

    @property
    def recovered(self) -> float:
        """The share of the gap between the base model and the best candidates that is closed."""
        return (self.chosen - self.base) / (self.oracle - self.base) if self.oracle > self.base else 0.0

    def summary(self) -> dict[str, float]:
        """Return the mean accuracies that a model file records."""
        return {"chosen": self.chosen, "base": self.base, "oracle": self.oracle}

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain dictionaries and numbers, ready for JSON."""
        return {**asdict(self), "recovered": self.recovered}


def evaluate_choices(
    candidates: Candidates, chosen: npt.ArrayLike, other: npt.ArrayLike | None = None
) -> RerankingReport:
    """Evaluate choices from candidates by their gold scores.

    Parameters
    ----------
    candidates : Candidates
    chosen : (sentences,) int
        The number of the candidate chosen for each sentence, as returned by `Reranker.best`.
    other : (sentences,) int, optional
        The choices of another system to compare with.

    Raises
    ------
    ValueError
        If a choice is not one of the candidates of its sentence.

    Examples
    --------
    >>> from treewright.reranking import CandidatesBuilder
    >>> builder = CandidatesBuilder()
    >>> builder.add([-1.0, -2.0], [0.5, 1.0], [[], []])
    >>> builder.add([-1.0, -3.0], [0.9, 0.3], [[], []])
    >>> report = evaluate_choices(builder.build(), [1, 2])
    >>> report.chosen, report.base, report.oracle, report.recovered
    (0.95, 0.7, 0.95, 1.0)
    """
    picked, base = _checked(candidates, chosen), candidates.base()
    weights = np.ones(len(candidates)) if candidates.size is None else candidates.size
    # Each sentence has one weight, that of its best candidate, which no choice can change.
    weight = weights[candidates.oracle()]
    rivals = None if other is None else _checked(candidates, other)

    def mean(places: Ints) -> float:
        return float(candidates.gold[places] @ weight / weight.sum()) if weight.sum() else 0.0

    score = candidates.score
    return RerankingReport(
        sentences=candidates.sentences,
        candidates=len(candidates),
        chosen=mean(picked),
        base=mean(base),
        oracle=mean(candidates.oracle()),
        worst=mean(candidates.best(-score)),
        changed=int(np.count_nonzero(picked != base)),
        against_base=paired_test(score[picked], score[base]),
        other=None if rivals is None else mean(rivals),
        against_other=None if rivals is None else paired_test(score[picked], score[rivals]),
    )


def _checked(candidates: Candidates, chosen: npt.ArrayLike) -> Ints:
    places = np.asarray(chosen, np.int64)
    if places.shape != (candidates.sentences,):
        raise ValueError(f"{candidates.sentences} sentences need as many choices, not an array of shape {places.shape}")
    if (places < candidates.offsets[:-1]).any() or (places >= candidates.offsets[1:]).any():
        raise ValueError("a choice is not among the candidates of its sentence")
    return places
