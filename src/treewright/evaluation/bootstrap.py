"""The paired bootstrap, which tests whether one system has a higher corpus F1 than another by luck.

The sign test and Wilcoxon's consider sentences one by one, but F1 is that of a corpus: long sentences weigh more, and
one with many errors may outweigh many with one.  The bootstrap draws other corpora, of the same size, from the
sentences at hand, the same for both systems, and computes the difference for each (Efron and Tibshirani 1993;
Berg-Kirkpatrick, Burkett and Klein 2012).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.arrays import Floats, Ints
from treewright.evaluation.result import Plain

__all__ = ["Bootstrap", "paired_bootstrap", "percent_f1"]

#: Corpora drawn at once, so that memory stays small.
BLOCK = 500

#: Differences closer than this are the same but for rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Bootstrap(Plain):
    """The outcome of a paired bootstrap.

    Attributes
    ----------
    difference : float
        The F1 of system *a* minus that of system *b*, in points.
    low, high : float
        The middle 95 % of the differences drawn lie between these.
    p : float
        The two-sided p-value: how often the difference drawn is at least as far from the one observed as that is from
        zero.
    samples : int
        The number of corpora drawn.
    """

    difference: float
    low: float
    high: float
    p: float
    samples: int


def percent_f1(counts: npt.ArrayLike) -> Floats:
    """Compute F1, in percent, from rows of counts of correct, gold and system items; 100 where there are no items.

    Examples
    --------
    >>> percent_f1([[3, 4, 6], [0, 1, 0], [0, 0, 0]]).tolist()
    [60.0, 0.0, 100.0]
    """
    correct, gold, system = np.asarray(counts, np.int64).T
    total = gold + system
    found: Floats = 100 * np.where(total > 0, 2 * correct / np.maximum(total, 1), 1.0)
    return found


def paired_bootstrap(a: npt.ArrayLike, b: npt.ArrayLike, *, samples: int = 10_000, seed: int = 1) -> Bootstrap:
    """Test the difference in F1 between two systems on the same sentences.

    Parameters
    ----------
    a, b : int array, shape (sentences, 3)
        For each sentence the numbers of correct, gold and system items, such as `count_brackets` returns; other shapes
        are a `ValueError`.  Where every word is an item of both sides, F1 is the accuracy.
    samples : int
        The number of corpora to draw.
    seed : int
        The same seed draws the same corpora.

    Examples
    --------
    >>> better, worse = [[9, 10, 10]] * 50, [[9, 10, 10]] * 40 + [[5, 10, 10]] * 10
    >>> outcome = paired_bootstrap(better, worse)
    >>> round(outcome.difference, 2), outcome.low < 8 < outcome.high, outcome.p < 0.01
    (8.0, True, True)
    """
    first, second = np.asarray(a, np.int64), np.asarray(b, np.int64)
    if first.shape != second.shape or first.ndim != 2 or first.shape[1] != 3 or not len(first):
        shapes = f"{first.shape} and {second.shape}"
        raise ValueError(
            f"a paired bootstrap needs correct, gold and system counts of the same sentences, not {shapes}"
        )
    observed = float(_difference(first.sum(0, keepdims=True), second.sum(0, keepdims=True))[0])
    drawn = _draw(first, second, samples, np.random.default_rng(seed))
    extreme = np.count_nonzero(np.abs(drawn - observed) >= abs(observed) - ROUNDING)
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    return Bootstrap(observed, low, high, (1 + int(extreme)) / (1 + samples), samples)


def _draw(a: Ints, b: Ints, samples: int, rng: np.random.Generator) -> Floats:
    """Draw corpora, and compute the difference for each."""
    n, found = len(a), np.empty(samples)
    for start in range(0, samples, BLOCK):
        block = found[start : start + BLOCK]
        times = rng.multinomial(n, np.full(n, 1 / n), len(block))  # how often each corpus has each sentence
        block[:] = _difference(times @ a, times @ b)
    return found


def _difference(a: Ints, b: Ints) -> Floats:
    return percent_f1(a) - percent_f1(b)
