"""Is one system better than another, or was it luck?  Two paired tests over sentences.

The *sign test* asks only which system has more correct words in each sentence, drops the ties, and compares
the rest with a fair coin (used by Koo, Globerson, Carreras and Collins 2007; Koo, Carreras and Collins 2008).
The *Wilcoxon signed-rank test* also asks by how many words (Suzuki, Isozaki, Carreras and Collins 2009, on
error rates).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from treewright.evaluation.agreement import Mask, agreement
from treewright.evaluation.alignment import align
from treewright.evaluation.punctuation import Punctuation
from treewright.evaluation.score import Score
from treewright.treebank import Sentence

__all__ = ["Comparison", "PairedTest", "compare", "paired_test"]

# Up to so many differing sentences the Wilcoxon test is exact, equal sizes included.
_EXACT: Final = 50


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The outcome of both tests on one measure.

    Attributes
    ----------
    better, worse, tied : int
        Sentences in which system *a* has more correct words than system *b*, fewer, as many.
    sign_p : float
        Two-sided p-value of the exact sign test; 1 where no sentence differs.
    wilcoxon_p : float
        Two-sided p-value of the Wilcoxon signed-rank test; 1 where no sentence differs.  It is exact where at
        most 50 sentences differ, and by the normal approximation beyond.
    """

    better: int
    worse: int
    tied: int
    sign_p: float
    wilcoxon_p: float

    def to_dict(self) -> dict[str, int | float]:
        """Give counts and p-values as plain numbers."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What :func:`compare` found.

    Attributes
    ----------
    sentences, words, scored : int
        All sentences and words, and the words that the punctuation rule keeps.
    punctuation : str
        The rule that was applied.
    subtypes : bool
        Whether relations were compared with their subtypes.
    uas_a, uas_b, las_a, las_b : Score
        The scores of the two systems.
    uas, las : PairedTest
        The tests on the number of correct heads, and of correct heads and relations, in each sentence.
    """

    sentences: int
    words: int
    scored: int
    punctuation: Punctuation
    subtypes: bool
    uas_a: Score
    uas_b: Score
    uas: PairedTest
    las_a: Score
    las_b: Score
    las: PairedTest

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dictionaries, strings and numbers, ready for JSON."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            "scored": self.scored,
            "punctuation": self.punctuation,
            "subtypes": self.subtypes,
            "uas": {"a": self.uas_a.to_dict(), "b": self.uas_b.to_dict(), **self.uas.to_dict()},
            "las": {"a": self.las_a.to_dict(), "b": self.las_b.to_dict(), **self.las.to_dict()},
        }


def compare(
    gold: Iterable[Sentence],
    a: Iterable[Sentence],
    b: Iterable[Sentence],
    punctuation: Punctuation = "keep",
    *,
    subtypes: bool = True,
) -> Comparison:
    """Compare two systems on the same gold standard.

    Parameters
    ----------
    gold, a, b : iterable of Sentence
        The gold standard and the output of the two systems: the same sentences with the same words.
    punctuation, subtypes
        As in :func:`treewright.evaluation.evaluate`.

    Raises
    ------
    UsageError
        As :func:`treewright.evaluation.evaluate` does.

    Examples
    --------
    >>> gold = Sentence.from_forms(["Trees", "grow"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> wrong = gold.replace(heads=[0, 1])
    >>> comparison = compare([gold] * 8, [gold] * 8, [wrong] * 8)
    >>> comparison.uas.better, comparison.uas.sign_p
    (8, 0.0078125)
    """
    gold = list(gold)
    pair_a, pair_b = align(gold, a, "first system"), align(gold, b, "second system")
    words_a, words_b = agreement(pair_a, punctuation, subtypes), agreement(pair_b, punctuation, subtypes)
    return Comparison(
        sentences=len(gold),
        words=len(pair_a.sentence),
        scored=len(words_a.sentence),
        punctuation=punctuation,
        subtypes=subtypes,
        uas_a=words_a.score_heads(),
        uas_b=words_b.score_heads(),
        uas=_test(words_a.sentence, words_a.attached, words_b.attached, len(gold)),
        las_a=words_a.score_arcs(),
        las_b=words_b.score_arcs(),
        las=_test(words_a.sentence, words_a.labelled, words_b.labelled, len(gold)),
    )


def paired_test(a: Sequence[float] | npt.ArrayLike, b: Sequence[float] | npt.ArrayLike) -> PairedTest:
    """Test two systems on any number for each sentence (more is better), such as bracket scores.

    Raises
    ------
    ValueError
        If the two systems do not have one number for each of the same sentences, or a number is NaN.

    Examples
    --------
    >>> paired_test([3, 5, 4, 6], [3, 4, 4, 7])
    PairedTest(better=1, worse=1, tied=2, sign_p=1.0, wilcoxon_p=1.0)
    """
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"paired tests need two vectors of one length, got {first.shape} and {second.shape}")
    difference = first - second
    if np.isnan(difference).any():
        raise ValueError("paired tests need numbers, got NaN")
    better, worse = int(np.count_nonzero(difference > 0)), int(np.count_nonzero(difference < 0))
    return PairedTest(
        better=better,
        worse=worse,
        tied=len(difference) - better - worse,
        sign_p=_sign_p(better, worse),
        wilcoxon_p=_wilcoxon_p(difference[difference != 0]),
    )


def _test(sentence: npt.NDArray[np.intp], a: Mask, b: Mask, sentences: int) -> PairedTest:
    """Test the number of correct words in each sentence."""
    return paired_test(*(np.bincount(sentence[mask], minlength=sentences) for mask in (a, b)))


def _sign_p(better: int, worse: int) -> float:
    from scipy.stats import binomtest

    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0


def _wilcoxon_p(differences: npt.NDArray[np.float64]) -> float:
    from scipy.stats import rankdata, wilcoxon

    if len(differences) > _EXACT:
        return float(wilcoxon(differences).pvalue)  # by the normal approximation, corrected for equal sizes
    ranks = np.rint(2 * rankdata(np.abs(differences))).astype(np.int64)  # twice the mid-ranks: whole numbers
    total = int(ranks.sum())
    chances = np.zeros(total + 1)  # of each sum of the ranks whose sign is positive, signs being fair coins
    chances[0] = 1
    for rank in ranks:
        chances[rank:] += chances[: total + 1 - rank].copy()
        chances /= 2
    distances = np.abs(2 * np.arange(total + 1) - total)
    seen = distances[ranks[differences > 0].sum()]
    return min(1.0, float(chances[distances >= seen].sum()))
