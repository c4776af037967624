"""Reliability: of the cases that are stated with probability 0.9, nine in ten should be correct.

Cases of similar confidence are grouped into a *reliability table*, and judged by three numbers.

- The *expected calibration error* (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017) is the distance between the
  mean confidence and the share that is correct, averaged over the bins of the table, weighted by their cases.
  The bins are of equal width; in a second one they have equal numbers of cases (Nguyen and O'Connor 2015).  On few
  cases it is too large even for a perfectly calibrated parser: the *floor* is its mean if what is correct is drawn with
  the stated probabilities, and the *ceiling* is what 95 of 100 such draws stay below (Bröcker and Smith 2007).
- The *Brier score* (Brier 1950) is the mean of (confidence - correct)², where correct is 1 or 0.
- The *log loss* is the mean of -ln(the probability of what happened): the confidence if the case is correct, and
  1 - confidence if it is wrong.  Confidences have four decimals, so 1.0000 stands for anything from 0.99995 on;
  probabilities below 0.00005, including 0, therefore count as 0.00005, and cost 9.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from treewright.arrays import Floats, Mask
from treewright.evaluation.result import Plain, Result

__all__ = ["Calibration", "ReliabilityBin", "Subject", "judge_confidences"]

#: What probabilities are about.
Subject: TypeAlias = Literal["heads", "relations", "arcs", "tags", "trees"]

_BINS: Final = 10

#: Outcomes that are drawn to see what chance alone does.
_DRAWS: Final = 200

#: The smallest probability in the log loss: half a unit of the last decimal that is written.
_SMALLEST: Final = 0.00005


@dataclass(frozen=True, slots=True)
class ReliabilityBin(Plain):
    """Cases of similar confidence.

    Attributes
    ----------
    low, high : float
        The range of confidences, including ``low`` but not ``high``; 1 is in the last bin.
    cases, correct : int
        The number of cases, and of correct ones.
    confidence, accuracy : float or None
        The mean confidence and the share that is correct, both from 0 to 1; None if there are no cases.
    """

    low: float
    high: float
    cases: int
    correct: int
    confidence: float | None
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class Calibration(Result):
    """The measures of `measure_calibration`, in addition to what every `Result` has.

    Attributes
    ----------
    of : str
        What the probabilities are about.
    cases, correct : int
        The number of cases that were judged, words or sentences, and of correct ones.
    confidence, accuracy : float
        The mean confidence and the share that is correct, both from 0 to 1.
    ece : float
        The expected calibration error, from 0 (best) to 1.
    ece_floor, ece_ceiling : float
        Those of a perfectly calibrated parser with the same confidences: the mean of 200 draws, and what 95 % of them
        stay below.
    ece_equal_mass : float
        The expected calibration error over ten bins of equal numbers of cases.
    brier : float
        The Brier score, from 0 (best) to 1.
    log_loss : float
        The log loss per case, in nats: 0 is best, and no case costs more than 9.9.
    bins : tuple of ReliabilityBin
        Ten bins of equal width, from the lowest confidences to the highest.
    """

    of: Subject
    cases: int
    correct: int
    confidence: float
    accuracy: float
    ece: float
    ece_floor: float
    ece_ceiling: float
    ece_equal_mass: float
    brier: float
    log_loss: float
    bins: tuple[ReliabilityBin, ...]


def judge_confidences(confidences: Floats, correct: Mask) -> dict[str, Any]:
    """Compute the measures of a `Calibration` from the confidence of each case, and whether it is correct."""
    bins = tuple(_bins(confidences, correct))
    gaps = [abs(group.cases * group.confidence - group.correct) for group in bins if group.confidence is not None]
    happened = np.where(correct, confidences, 1 - confidences)
    chance = _eces_by_chance(confidences)
    return {
        "cases": len(correct),
        "correct": int(np.count_nonzero(correct)),
        "confidence": float(confidences.mean()),
        "accuracy": float(correct.mean()),
        "ece": sum(gaps) / len(correct),
        "ece_floor": float(chance.mean()),
        "ece_ceiling": float(np.quantile(chance, 0.95)),
        "ece_equal_mass": _equal_mass(confidences, correct),
        "brier": float(np.square(1 - happened).mean()),
        "log_loss": abs(float(np.log(np.maximum(happened, _SMALLEST)).mean())),
        "bins": bins,
    }


def _bins(confidences: Floats, correct: Mask) -> Iterator[ReliabilityBin]:
    """Group cases of similar confidence."""
    borders = [k / _BINS for k in range(_BINS + 1)]
    indices = np.digitize(confidences, borders[1:-1])  # a border belongs to the bin above it, and 1 to the last
    for k in range(_BINS):
        inside = indices == k
        cases, right = int(np.count_nonzero(inside)), int(np.count_nonzero(correct[inside]))
        yield ReliabilityBin(
            low=borders[k],
            high=borders[k + 1],
            cases=cases,
            correct=right,
            confidence=float(confidences[inside].mean()) if cases else None,
            accuracy=right / cases if cases else None,
        )


def _eces_by_chance(confidences: Floats) -> Floats:
    """Draw outcomes with the stated probabilities, and compute the expected calibration error of each draw."""
    generator = np.random.default_rng(0)
    indices = np.minimum((confidences * _BINS).astype(int), _BINS - 1)
    found = np.empty(_DRAWS)
    for draw in range(_DRAWS):
        surplus = confidences - (generator.random(len(confidences)) < confidences)
        found[draw] = np.abs(np.bincount(indices, surplus, _BINS)).sum()
    return found / len(confidences)


def _equal_mass(confidences: Floats, correct: Mask) -> float:
    """Compute the expected calibration error over bins of equal numbers of cases."""
    order = np.argsort(confidences, kind="stable")
    surplus = (confidences - correct)[order]
    return sum(abs(float(some.sum())) for some in np.array_split(surplus, _BINS)) / len(confidences)
