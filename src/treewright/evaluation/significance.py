"""Significance: is one system better than another, or was it luck?  Two paired tests over sentences.

The *sign test* only considers which system has more correct words in each sentence, drops the ties, and compares the
rest with a fair coin (used by Koo, Globerson, Carreras and Collins 2007; Koo, Carreras and Collins 2008).  The
*Wilcoxon signed-rank test* also considers by how many words they differ (Suzuki, Isozaki, Carreras and Collins 2009, on
error rates).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Ints, Mask
from treewright.evaluation.agreement import agreement
from treewright.evaluation.alignment import align
from treewright.evaluation.punctuation import Punctuation
from treewright.evaluation.result import Plain, Result
from treewright.evaluation.score import Score
from treewright.treebank import Sentence

__all__ = ["Comparison", "PairedTest", "compare", "paired_test"]

# The Wilcoxon test is exact, also with tied ranks, if at most this many sentences differ.
_EXACT: Final = 50


@dataclass(frozen=True, slots=True)
class PairedTest(Plain):
    """The outcome of both tests on one measure.

    Attributes
    ----------
    better, worse, tied : int
        The number of sentences in which system *a* has more correct words than system *b*, fewer, and equally many.
    sign_p : float
        The two-sided p-value of the exact sign test; 1 if no sentence differs.
    wilcoxon_p : float
        The two-sided p-value of the Wilcoxon signed-rank test; 1 if no sentence differs.  It is exact if at most 50
        sentences differ, and uses the normal approximation otherwise.
    """

    better: int
    worse: int
    tied: int
    sign_p: float
    wilcoxon_p: float


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """The scores and tests of `compare`, in addition to what every `Result` has.

    Attributes
    ----------
    uas_a, uas_b, las_a, las_b : Score
        The scores of the two systems.
    uas, las : PairedTest
        Tests on the number of correct heads, and of correct heads and relations, in each sentence.
    subtypes : bool
        See `Evaluation`.
    """

    subtypes: bool
    uas_a: Score
    uas_b: Score
    uas: PairedTest
    las_a: Score
    las_b: Score
    las: PairedTest

    def to_dict(self) -> dict[str, Any]:
        """Return everything in a form ready for JSON; the scores of the systems are with the tests."""
        plain = Plain.to_dict(self)
        for measure in ("uas", "las"):
            test = plain.pop(measure)
            plain[measure] = {"a": plain.pop(f"{measure}_a"), "b": plain.pop(f"{measure}_b"), **test}
        return plain


def compare(
    gold: Iterable[Sentence],
    a: Iterable[Sentence],
    b: Iterable[Sentence],
    punctuation: Punctuation = "keep",
    *,
    subtypes: bool = True,
) -> Comparison:
    """Compare two systems on the same gold standard.

    The gold standard and the output of the two systems are the same sentences with the same words; the other arguments,
    and the errors, are those of `treewright.evaluation.evaluate`.

    Examples
    --------
    >>> gold = Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> wrong = gold.replace(heads=[0, 1])
    >>> comparison = compare([gold] * 8, [gold] * 8, [wrong] * 8)
    >>> comparison.uas.better, comparison.uas.sign_p
    (8, 0.0078125)
    """
    gold = list(gold)
    reason = "tests of significance need the same words in the same sentences"
    pair_a, pair_b = align(gold, a, "first system", reason), align(gold, b, "second system", reason)
    words_a, words_b = agreement(pair_a, punctuation, subtypes), agreement(pair_b, punctuation, subtypes)
    return Comparison(
        *pair_a.sizes(len(words_a.attached)),
        punctuation=punctuation,
        subtypes=subtypes,
        uas_a=words_a.score_heads(),
        uas_b=words_b.score_heads(),
        uas=_test(words_a.gold.sentence, words_a.attached, words_b.attached, len(gold)),
        las_a=words_a.score_arcs(),
        las_b=words_b.score_arcs(),
        las=_test(words_a.gold.sentence, words_a.labelled, words_b.labelled, len(gold)),
    )


def paired_test(a: Sequence[float] | npt.ArrayLike, b: Sequence[float] | npt.ArrayLike) -> PairedTest:
    """Test two systems on any measure of each sentence (more is better), such as bracket scores.

    Raises
    ------
    ValueError
        If the systems do not have the same number of sentences, or a value is NaN.

    Examples
    --------
    >>> paired_test([3, 5, 4, 6], [3, 4, 4, 7])
    PairedTest(better=1, worse=1, tied=2, sign_p=1.0, wilcoxon_p=1.0)
    """
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"paired tests need two vectors of the same length, not {first.shape} and {second.shape}")
    difference = first - second
    if np.isnan(difference).any():
        raise ValueError("paired tests need numbers, not NaN")
    better, worse = int(np.count_nonzero(difference > 0)), int(np.count_nonzero(difference < 0))
    return PairedTest(
        better=better,
        worse=worse,
        tied=len(difference) - better - worse,
        sign_p=_sign_p(better, worse),
        wilcoxon_p=_wilcoxon_p(difference[difference != 0]),
    )


def _test(sentence: Ints, a: Mask, b: Mask, sentences: int) -> PairedTest:
    """Test the number of correct words in each sentence."""
    return paired_test(*(np.bincount(sentence[mask], minlength=sentences) for mask in (a, b)))


def _sign_p(better: int, worse: int) -> float:
    from scipy.stats import binomtest

    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0


def _wilcoxon_p(differences: Floats) -> float:
    from scipy.stats import rankdata, wilcoxon

    if len(differences) > _EXACT:
        return float(wilcoxon(differences).pvalue)  # the normal approximation, corrected for ties
    ranks = np.rint(2 * rankdata(np.abs(differences))).astype(np.int64)  # twice the mid-ranks: whole numbers
    total = int(ranks.sum())
    chances = np.zeros(total + 1)  # of each sum of the positive ranks, if signs are fair coins
    chances[0] = 1
    for rank in ranks:
        chances[rank:] += chances[: total + 1 - rank].copy()
        chances /= 2
    distances = np.abs(2 * np.arange(total + 1) - total)
    observed = distances[ranks[differences > 0].sum()]
    return min(1.0, float(chances[distances >= observed].sum()))
