"""Calibration: of the heads that a parser predicts with probability 0.9, nine in ten should be correct.

``treewright parse --confidence`` writes probabilities, and here they are compared with the gold standard:

- ``heads``: ``Confidence`` in MISC, the probability that the head is correct;
- ``relations``: ``LabelConfidence``, the probability that the relation is correct if the head is; judged on the words
  whose head is correct;
- ``arcs``: the product of both, the probability that head and relation are correct;
- ``tags``: ``TagConfidence``, the probability that the tag (UPOS) is correct;
- ``trees``: ``# probability`` among the comments, the probability that all heads and relations of a sentence are
  correct; punctuation always counts.

`treewright.evaluation.reliability` says how they are judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, get_args

import numpy as np

from treewright.arrays import Floats, Mask
from treewright.errors import UsageError
from treewright.evaluation.alignment import Alignment, align
from treewright.evaluation.place import place
from treewright.evaluation.punctuation import Punctuation, punctuation_mask
from treewright.evaluation.reliability import Calibration, Subject, judge_confidences
from treewright.treebank import Sentence

__all__ = ["measure_calibration", "measure_calibrations"]

_REASON: Final = "calibration is measured where both have the same words"

#: Where the probabilities of words are written in MISC.
_KEYS: Final[dict[Subject, tuple[str, ...]]] = {
    "heads": ("Confidence",),
    "relations": ("LabelConfidence",),
    "arcs": ("Confidence", "LabelConfidence"),
    "tags": ("TagConfidence",),
}


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
    return _measure(align(gold, system, reason=_REASON), punctuation, of)


def measure_calibrations(
    gold: Iterable[Sentence], system: Iterable[Sentence], punctuation: Punctuation = "keep"
) -> dict[Subject, Calibration]:
    """Measure the calibration of heads, and of everything else that the system writes probabilities of.

    See `measure_calibration` for the parameters.
    """
    pair = align(gold, system, reason=_REASON)
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
    sizes = pair.sizes(int(np.count_nonzero(scored)))
    return Calibration(*sizes, punctuation=punctuation, of=of, **judge_confidences(confidences, correct))


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
