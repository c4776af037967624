"""Calibration: of the heads that a parser predicts with probability 0.9, nine in ten should be correct.

``treewright parse --confidence`` writes to MISC the probability that each head is correct, ``Confidence=0.9700``.  Here
these confidences are compared with the gold standard, by a *reliability table*, which groups words of similar
confidence and counts the correct heads among them, and by three numbers.

- The *expected calibration error* (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017) is the distance between the
  mean confidence and the share of correct heads, averaged over the bins of the table, weighted by their words.
- The *Brier score* (Brier 1950) is the mean of (confidence - correct)², where correct is 1 or 0.
- The *log loss* is the mean of -ln(the probability of what happened): the confidence if the head is correct, and
  1 - confidence if it is wrong.  Confidences have four decimals, so 1.0000 stands for anything from 0.99995 on;
  probabilities below 0.00005, including 0, therefore count as 0.00005, and cost 9.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from treewright.arrays import Floats, Mask
from treewright.errors import UsageError
from treewright.evaluation.alignment import Alignment, align, place
from treewright.evaluation.punctuation import Punctuation, punctuation_mask
from treewright.evaluation.result import Plain, Result
from treewright.treebank import Sentence

__all__ = ["Calibration", "ReliabilityBin", "measure_calibration"]

_BINS: Final = 10

#: The smallest probability in the log loss: half a unit of the last decimal that is written.
_SMALLEST: Final = 0.00005

_KEY: Final = "Confidence="


@dataclass(frozen=True, slots=True)
class ReliabilityBin(Plain):
    """Words of similar confidence.

    Attributes
    ----------
    low, high : float
        The range of confidences, including ``low`` but not ``high``; 1 is in the last bin.
    words, correct : int
        The number of words, and of words with the correct head.
    confidence, accuracy : float or None
        The mean confidence and the share of correct heads, both from 0 to 1; None if there are no words.
    """

    low: float
    high: float
    words: int
    correct: int
    confidence: float | None
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class Calibration(Result):
    """The measures of `measure_calibration`, in addition to what every `Result` has.

    Attributes
    ----------
    correct : int
        The number of scored words with the correct head.
    confidence, accuracy : float
        The mean confidence of the scored words and the share of correct heads, both from 0 to 1.
    ece : float
        The expected calibration error, from 0 (best) to 1.
    brier : float
        The Brier score, from 0 (best) to 1.
    log_loss : float
        The log loss per word, in nats: 0 is best, and no word costs more than 9.9.
    bins : tuple of ReliabilityBin
        Ten bins of equal width, from the lowest confidences to the highest.
    """

    correct: int
    confidence: float
    accuracy: float
    ece: float
    brier: float
    log_loss: float
    bins: tuple[ReliabilityBin, ...]


def measure_calibration(
    gold: Iterable[Sentence], system: Iterable[Sentence], punctuation: Punctuation = "keep"
) -> Calibration:
    """Compare the confidences that a system writes to MISC with the gold heads.

    Parameters
    ----------
    gold, system, punctuation
        As for `treewright.evaluation.evaluate`.  Every word of the system has a confidence, punctuation included.

    Raises
    ------
    UsageError
        As `evaluate` does; also if a word has no confidence from 0 to 1, or the punctuation rule leaves no word.

    Examples
    --------
    >>> gold = Sentence.from_forms(["Trees", "grow", "very", "tall"], heads=[2, 0, 4, 2])
    >>> system = gold.replace(heads=[2, 0, 2, 3], misc=["Confidence=0.9"] * 4)
    >>> calibration = measure_calibration([gold], [system])
    >>> calibration.accuracy, round(calibration.ece, 4), round(calibration.brier, 4), round(calibration.log_loss, 4)
    (0.5, 0.4, 0.41, 1.204)
    >>> calibration.bins[9].words, calibration.bins[9].correct
    (4, 2)
    """
    pair = align(gold, system)
    scored = ~punctuation_mask(pair.gold, punctuation)
    gold_heads, system_heads = pair.heads()
    confidences = np.fromiter(_confidences(pair), np.float64, len(scored))[scored]
    correct = (gold_heads == system_heads)[scored]
    if not len(correct):
        raise UsageError(
            f"there is nothing to evaluate: the punctuation rule '{punctuation}' leaves out every word; choose 'keep'"
        )
    bins = tuple(_bins(confidences, correct))
    gaps = [abs(group.words * group.confidence - group.correct) for group in bins if group.confidence is not None]
    happened = np.where(correct, confidences, 1 - confidences)
    return Calibration(
        *pair.sizes(len(correct)),
        punctuation=punctuation,
        correct=int(np.count_nonzero(correct)),
        confidence=float(confidences.mean()),
        accuracy=float(correct.mean()),
        ece=sum(gaps) / len(correct),
        brier=float(np.square(1 - happened).mean()),
        log_loss=abs(float(np.log(np.maximum(happened, _SMALLEST)).mean())),
        bins=bins,
    )


def _bins(confidences: Floats, correct: Mask) -> Iterator[ReliabilityBin]:
    """Group words of similar confidence."""
    borders = [k / _BINS for k in range(_BINS + 1)]
    indices = np.digitize(confidences, borders[1:-1])  # a border belongs to the bin above it, and 1 to the last
    for k in range(_BINS):
        inside = indices == k
        words, right = int(np.count_nonzero(inside)), int(np.count_nonzero(correct[inside]))
        yield ReliabilityBin(
            low=borders[k],
            high=borders[k + 1],
            words=words,
            correct=right,
            confidence=float(confidences[inside].mean()) if words else None,
            accuracy=right / words if words else None,
        )


def _confidences(pair: Alignment) -> Iterator[float]:
    """Read the confidence of every word of the system."""
    for k, sentence in enumerate(pair.system):
        for i, misc in enumerate(sentence.misc):
            values = [entry.removeprefix(_KEY) for entry in misc.split("|") if entry.startswith(_KEY)]
            confidence = _number(values[0]) if len(values) == 1 else None
            if confidence is None:
                found = f"has the Confidence {' and '.join(map(repr, values))}, not one number from 0 to 1,"
                raise UsageError(
                    f"{place(k, pair.gold[k])}: word {i + 1}, {sentence.forms[i]!r}, "
                    f"{found if values else 'has no Confidence'} in the MISC column of the system: "
                    "parse with --confidence and write CoNLL-U"
                )
            yield confidence


def _number(text: str) -> float | None:
    """Read a probability; None if the text is not one.

    Examples
    --------
    >>> [_number(text) for text in ["0.9700", "1", "1.5", "nan", "high", ""]]
    [0.97, 1.0, None, None, None, None]
    """
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None
