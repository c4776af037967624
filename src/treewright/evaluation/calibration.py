"""Are the probabilities of a parser honest?  Of the heads given with 0.9, nine in ten should be right.

``treewright parse --confidence`` notes in MISC the probability that each head is right, ``Confidence=0.9700``.
Here they are held against the gold standard: in a *reliability table*, which puts words of similar confidence
together and counts the right heads among them, and in three numbers.

- The *expected calibration error* (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017) is the distance between the
  mean confidence and the share of right heads, averaged over the bins of the table by their number of words.
- The *Brier score* (Brier 1950) is the mean of (confidence - right)², where right is 1 or 0.
- The *log loss* is the mean of -ln(the probability given to what happened): the confidence where the head is right,
  and 1 - confidence where it is wrong.  Confidences have four decimals, so that 1.0000 stands for anything from
  0.99995 on; a probability below 0.00005, 0 included, therefore counts as 0.00005, and costs 9.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewright.errors import UsageError
from treewright.evaluation.agreement import Mask
from treewright.evaluation.alignment import Alignment, align, place
from treewright.evaluation.punctuation import Punctuation, punctuation_mask
from treewright.treebank import Sentence

__all__ = ["Calibration", "ReliabilityBin", "measure_calibration"]

_BINS: Final = 10

#: What a smaller probability counts as in the log loss: half a unit of the last decimal that is written.
_SMALLEST: Final = 0.00005

_KEY: Final = "Confidence="


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The words of similar confidence.

    Attributes
    ----------
    low, high : float
        The confidences that belong here: from ``low`` up to but not including ``high``; 1 is in the last bin.
    words, correct : int
        How many words, and how many of them have the right head.
    confidence, accuracy : float or None
        Their mean confidence and the share of right heads, both from 0 to 1; None where there are no words.
    """

    low: float
    high: float
    words: int
    correct: int
    confidence: float | None
    accuracy: float | None

    def to_dict(self) -> dict[str, int | float | None]:
        """Give everything as plain numbers; what an empty bin lacks is None."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What :func:`measure_calibration` found.

    Attributes
    ----------
    sentences, words, scored : int
        All sentences and words, and the words that the punctuation rule keeps.
    punctuation : str
        The rule that was applied.
    correct : int
        Scored words with the right head.
    confidence, accuracy : float
        The mean confidence of the scored words and the share of right heads, both from 0 to 1.
    ece : float
        The expected calibration error, from 0 (best) to 1.
    brier : float
        The Brier score, from 0 (best) to 1.
    log_loss : float
        The log loss for each word, in nats: 0 is best, and no word costs more than 9.9.
    bins : tuple of ReliabilityBin
        Ten bins of equal width, from the lowest confidences to the highest.
    """

    sentences: int
    words: int
    scored: int
    punctuation: Punctuation
    correct: int
    confidence: float
    accuracy: float
    ece: float
    brier: float
    log_loss: float
    bins: tuple[ReliabilityBin, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dictionaries, lists, strings and numbers, ready for JSON."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**plain, "bins": [group.to_dict() for group in self.bins]}


def measure_calibration(
    gold: Iterable[Sentence], system: Iterable[Sentence], punctuation: Punctuation = "keep"
) -> Calibration:
    """Hold the confidences that a system notes in MISC against the gold heads.

    Parameters
    ----------
    gold, system : iterable of Sentence
        The same sentences with the same words; every word of the system has a confidence, punctuation included.
        A head that the system does not give is wrong.
    punctuation : {"keep", "ud", "penn", "unicode"}
        Which words to leave out, as in :func:`treewright.evaluation.evaluate`.

    Raises
    ------
    UsageError
        If sentences or words differ, a gold head is missing, a word has no confidence or one that is not a number
        from 0 to 1, the punctuation rule cannot be applied, or it leaves no word.

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
    right = (gold_heads == system_heads)[scored]
    if not len(right):
        raise UsageError(
            f"no word is left to judge: the punctuation rule '{punctuation}' leaves out all of them; choose 'keep'"
        )
    bins = tuple(_bins(confidences, right))
    gaps = [abs(group.words * group.confidence - group.correct) for group in bins if group.confidence is not None]
    happened = np.where(right, confidences, 1 - confidences)
    return Calibration(
        sentences=len(pair.gold),
        words=len(pair.sentence),
        scored=len(right),
        punctuation=punctuation,
        correct=int(np.count_nonzero(right)),
        confidence=float(confidences.mean()),
        accuracy=float(right.mean()),
        ece=sum(gaps) / len(right),
        brier=float(np.square(1 - happened).mean()),
        log_loss=abs(float(np.log(np.maximum(happened, _SMALLEST)).mean())),
        bins=bins,
    )


def _bins(confidences: npt.NDArray[np.float64], right: Mask) -> Iterator[ReliabilityBin]:
    """Put words of similar confidence together."""
    borders = [k / _BINS for k in range(_BINS + 1)]
    indices = np.digitize(confidences, borders[1:-1])  # a border belongs to the bin above it, and 1 to the last
    for k in range(_BINS):
        inside = indices == k
        words, correct = int(np.count_nonzero(inside)), int(np.count_nonzero(right[inside]))
        yield ReliabilityBin(
            low=borders[k],
            high=borders[k + 1],
            words=words,
            correct=correct,
            confidence=float(confidences[inside].mean()) if words else None,
            accuracy=correct / words if words else None,
        )


def _confidences(pair: Alignment) -> Iterator[float]:
    """Read the confidence of every word of the system, all words in a row."""
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
    """Read a probability; give None where the text is none.

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
