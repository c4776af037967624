"""Calibration: of the heads that a parser predicts with probability 0.9, nine in ten should be correct.

``treewright parse --confidence`` writes probabilities, and here they are compared with the gold standard:

- ``heads``: ``Confidence`` in MISC, the probability that the head is correct;
- ``relations``: ``LabelConfidence``, the probability that the relation is correct if the head is; judged on the words
  whose head is correct;
- ``arcs``: the product of both, the probability that head and relation are correct;
- ``tags``: ``TagConfidence``, the probability that the tag (UPOS) is correct;
- ``trees``: ``# probability`` among the comments, the probability that all heads and relations of a sentence are
  correct; punctuation always counts.

Each is judged by a *reliability table*, which groups cases of similar confidence and counts the correct ones among
them, and by three numbers.

- The *expected calibration error* (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017) is the distance between the
  mean confidence and the share that is correct, averaged over the bins of the table, weighted by their cases.
  The bins are of equal width; in a second one they have equal numbers of cases (Nguyen and O'Connor 2015).  On few
  cases it is too large even for a perfectly calibrated parser: the *floor* is its mean if what is correct is drawn with
  the stated probabilities.
- The *Brier score* (Brier 1950) is the mean of (confidence - correct)², where correct is 1 or 0.
- The *log loss* is the mean of -ln(the probability of what happened): the confidence if the case is correct, and
  1 - confidence if it is wrong.  Confidences have four decimals, so 1.0000 stands for anything from 0.99995 on;
  probabilities below 0.00005, including 0, therefore count as 0.00005, and cost 9.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from treewright.arrays import Floats, Mask
from treewright.errors import UsageError
from treewright.evaluation.alignment import Alignment, align, place
from treewright.evaluation.punctuation import Punctuation, punctuation_mask
from treewright.evaluation.result import Plain, Result
from treewright.treebank import Sentence

__all__ = ["Calibration", "ReliabilityBin", "Subject", "measure_calibration", "measure_calibrations"]

#: What probabilities are about.
Subject: TypeAlias = Literal["heads", "relations", "arcs", "tags", "trees"]

_BINS: Final = 10

#: The smallest probability in the log loss: half a unit of the last decimal that is written.
_SMALLEST: Final = 0.00005

#: Where the probabilities of words are written in MISC.
_KEYS: Final[dict[Subject, tuple[str, ...]]] = {
    "heads": ("Confidence",),
    "relations": ("LabelConfidence",),
    "arcs": ("Confidence", "LabelConfidence"),
    "tags": ("TagConfidence",),
}


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
    ece_floor : float
        The mean of that of perfectly calibrated parsers with the same confidences, over 100 draws.
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
    ece_equal_mass: float
    brier: float
    log_loss: float
    bins: tuple[ReliabilityBin, ...]


def measure_calibration(
    gold: Iterable[Sentence], system: Iterable[Sentence], punctuation: Punctuation = "keep", of: Subject = "heads"
) -> Calibration:
    """Compare the probabilities that a system writes with what is correct.

    Parameters
    ----------
    gold, system, punctuation
        As for `treewright.evaluation.evaluate`.  Every word of the system has a confidence, punctuation included.
    of : {"heads", "relations", "arcs", "tags", "trees"}
        What the probabilities are about.

    Raises
    ------
    UsageError
        As `evaluate` does; also if there is no probability from 0 to 1 where one must be, or if no case is left.

    Examples
    --------
    >>> gold = Sentence.from_forms(["Trees", "grow", "very", "tall"], heads=[2, 0, 4, 2])
    >>> system = gold.replace(heads=[2, 0, 2, 3], misc=["Confidence=0.9"] * 4)
    >>> calibration = measure_calibration([gold], [system])
    >>> calibration.accuracy, round(calibration.ece, 4), round(calibration.brier, 4), round(calibration.log_loss, 4)
    (0.5, 0.4, 0.41, 1.204)
    >>> calibration.bins[9].cases, calibration.bins[9].correct
    (4, 2)
    """
    return _measure(align(gold, system), punctuation, of)


def measure_calibrations(
    gold: Iterable[Sentence], system: Iterable[Sentence], punctuation: Punctuation = "keep"
) -> dict[Subject, Calibration]:
    """Measure the calibration of heads, and of everything else that the system writes probabilities of.

    See `measure_calibration` for the parameters.
    """
    pair = align(gold, system)
    first = next(sentence for sentence in pair.system if len(sentence))
    subjects = [of for of in get_args(Subject) if of == "heads" or _is_noted(first, of)]
    return {of: _measure(pair, punctuation, of) for of in subjects}


def _measure(pair: Alignment, punctuation: Punctuation, of: Subject) -> Calibration:
    scored = ~punctuation_mask(pair.gold, punctuation)
    if of == "trees":
        confidences, correct = _trees(pair)
    else:
        confidences, (judged, right) = _confidences(pair, _KEYS[of]), _judged(pair, of)
        confidences, correct = confidences[judged & scored], right[judged & scored]
    if not len(correct):
        raise UsageError(
            f"there is nothing to evaluate: the punctuation rule '{punctuation}' leaves out every word; choose 'keep'"
            if not scored.any()
            else f"there are no {of} to evaluate: no head is correct"
        )
    bins = tuple(_bins(confidences, correct))
    gaps = [abs(group.cases * group.confidence - group.correct) for group in bins if group.confidence is not None]
    happened = np.where(correct, confidences, 1 - confidences)
    return Calibration(
        *pair.sizes(int(np.count_nonzero(scored))),
        punctuation=punctuation,
        of=of,
        cases=len(correct),
        correct=int(np.count_nonzero(correct)),
        confidence=float(confidences.mean()),
        accuracy=float(correct.mean()),
        ece=sum(gaps) / len(correct),
        ece_floor=_floor(confidences),
        ece_equal_mass=_equal_mass(confidences, correct),
        brier=float(np.square(1 - happened).mean()),
        log_loss=abs(float(np.log(np.maximum(happened, _SMALLEST)).mean())),
        bins=bins,
    )


def _judged(pair: Alignment, of: Subject) -> tuple[Mask, Mask]:
    """Find the words to judge, and those that are correct."""
    gold, system = pair.heads()
    heads, relations = gold == system, _same(pair, "deprels")
    everything = np.ones(len(heads), bool)
    cases = {"heads": (everything, heads), "relations": (heads, relations), "arcs": (everything, heads & relations)}
    return cases[of] if of in cases else (everything, _same(pair, "upos"))


def _same(pair: Alignment, column: str) -> Mask:
    pairs = zip(*pair.columns(lambda sentence: getattr(sentence, column)), strict=True)
    return np.fromiter((gold == system for gold, system in pairs), bool, len(pair.sentence))


def _trees(pair: Alignment) -> tuple[Floats, Mask]:
    """Read the probability of each tree, and find the correct ones; sentences without words are no cases."""
    wrong = np.zeros(len(pair.gold), bool)
    wrong[pair.sentence[~_judged(pair, "arcs")[1]]] = True
    confidences = np.full(len(wrong), np.nan)
    for k in np.unique(pair.sentence).tolist():
        values = _of_tree(pair.system[k])
        confidences[k] = _single(values, place(k, pair.gold[k]), "probability", "the comments")
    used = ~np.isnan(confidences)
    return confidences[used], ~wrong[used]


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


def _floor(confidences: Floats, draws: int = 100) -> float:
    """Compute the mean expected calibration error of outcomes that are drawn with the stated probabilities."""
    generator = np.random.default_rng(0)
    indices = np.minimum((confidences * _BINS).astype(int), _BINS - 1)
    gaps = 0.0
    for _ in range(draws):
        surplus = confidences - (generator.random(len(confidences)) < confidences)
        gaps += float(np.abs(np.bincount(indices, surplus, _BINS)).sum())
    return gaps / draws / len(confidences)


def _equal_mass(confidences: Floats, correct: Mask) -> float:
    """Compute the expected calibration error over bins of equal numbers of cases."""
    order = np.argsort(confidences, kind="stable")
    surplus = (confidences - correct)[order]
    return sum(abs(float(some.sum())) for some in np.array_split(surplus, _BINS)) / len(confidences)


def _confidences(pair: Alignment, keys: tuple[str, ...]) -> Floats:
    """Read the confidence of every word of the system: the product of some entries of MISC."""
    confidences = np.ones(len(pair.sentence))
    number = 0
    for k, sentence in enumerate(pair.system):
        for i, misc in enumerate(sentence.misc):
            for key in keys:
                word = f"{place(k, pair.gold[k])}: word {i + 1}, {sentence.forms[i]!r},"
                confidences[number] *= _single(_of_word(misc, key), word, key, "the MISC column")
            number += 1
    return confidences


def _of_word(misc: str, key: str) -> list[str]:
    return [entry.removeprefix(f"{key}=") for entry in misc.split("|") if entry.startswith(f"{key}=")]


def _of_tree(sentence: Sentence) -> list[str]:
    found = (re.fullmatch(r"#\s*probability\s*=\s*(\S+)\s*", comment) for comment in sentence.comments)
    return [match[1] for match in found if match]


def _is_noted(sentence: Sentence, of: Subject) -> bool:
    """Decide whether a sentence has probabilities of something."""
    if of == "trees":
        return bool(_of_tree(sentence))
    return all(_of_word(sentence.misc[0], key) for key in _KEYS[of])


def _single(values: list[str], what: str, key: str, where: str) -> float:
    """Read the only value of a key, a probability."""
    confidence = _number(values[0]) if len(values) == 1 else None
    if confidence is None:
        found = f"has the {key} {' and '.join(map(repr, values))}, not one number from 0 to 1,"
        raise UsageError(
            f"{what} {found if values else f'has no {key}'} in {where} of the system: "
            "parse with --confidence and write CoNLL-U"
        )
    return confidence


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
