"""Feature selection for LogLoss (Collins and Koo 2005, section 4.6): each round chooses the best feature of all.

For a feature k let q_i be the probability, under the model, of the candidates of sentence i that differ from the best
one in k, and s_i = ±1 the sign of the difference, the same for all of them.  Then

    LogLoss(Upd(α, k, δ)) = LogLoss(α) + Σ_i log(1 − q_i + q_i exp(−s_i δ))                            (see B.5)

so after one pass over the pairs of k, its best weight depends on two numbers per sentence.  The article uses iterative
scaling, δ ← δ + log(h̃_k / p̃_k), where h̃_k counts the sentences whose best candidate has k, and p̃_k is the expected
count under the model; safeguarded Newton steps find the same weight in fewer steps.  A sentence whose candidates all
have k adds 1 to both counts and does not affect LogLoss, so it is left out of both.

If several candidates are best, one of them stands for "the best one" above, and r_i is the probability of those that
differ from it in k, under the model, among the best.  The loss of the sentence falls by log(1 − r_i + r_i exp(−s_i δ)),
and h̃_k is an expected count like p̃_k.  LogLoss is no longer convex in δ: the weight found is a local minimum, below the
loss without the feature.

Iterative scaling approaches the best weight from one side, by ever smaller steps: it takes some e¹⁰ of them to get to
δ = 10.  So steps are lengthened by a factor that doubles as long as they stay on that side (adaptive overrelaxation,
Salakhutdinov and Roweis 2003).

After a round only the features in the pairs of the sentences with the chosen one are tried again.  That is still far
more work than boosting on the bound of Appendix B (``boost(..., loss="log")``).
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, log, log1p
from typing import Literal

import numpy as np

from treewright.arrays import Floats, Ints, Mask, Places
from treewright.errors import UsageError
from treewright.kernels import inner_kernel, kernel
from treewright.reranking.candidates.candidates import Candidates
from treewright.reranking.learners.champions import Champions, crown, make_champions, place
from treewright.reranking.learners.differences import Differences, find_differences
from treewright.reranking.learners.losses import fit_log_alpha
from treewright.reranking.learners.stagewise import Boosted, Record, joined, run_rounds
from treewright.reranking.options import Ties

__all__ = ["LogLossSelector", "select_features"]

#: The largest step; without it a feature of the best candidates alone would get an infinite weight.
LIMIT = 20.0

#: The search for the best weight ends when it is nearer than this; this many steps are more than it ever takes.
_TOLERANCE, _TRIALS = 1e-7, 10_000

#: Rounds between two reports.
_PORTION = 10


def select_features(
    candidates: Candidates,
    rounds: int,
    *,
    dev: Candidates | None = None,
    patience: int | None = None,
    report: Callable[[int], None] | None = None,
    alpha: float | Literal["fit"] = 1.0,
    ties: Ties = "all",
    method: Literal["newton", "scaling"] = "newton",
    algorithm: Literal["efficient", "naive"] = "efficient",
) -> Boosted:
    """Choose features one by one, each the one that lowers LogLoss most, with its best weight.

    Parameters
    ----------
    candidates, rounds, dev, patience, report
        As for `boost`.
    alpha : float or "fit"
        α₀: 1 in the article, or with ``"fit"`` the minimum of LogLoss without features.
    ties : {"all", "one"}
        As for `boost`.
    method : {"newton", "scaling"}
        How to find the best weight of a feature: by Newton steps, or by iterative scaling.  The results are the same
        where there is one minimum.
    algorithm : {"efficient", "naive"}
        Whether each round tries only the features whose best weight may have changed, or all.  The results are the
        same.

    Returns
    -------
    Boosted
        Its ``totals`` are LogLoss before each round, and its ``work`` the number of pairs read.
    """
    if rounds < 0:
        raise UsageError(f"rounds must be at least 0, not {rounds}")
    candidates.require_choices(ties)
    differences, is_best = find_differences(candidates, "uniform", "one-other"), candidates.is_best(ties)
    alpha = fit_log_alpha(candidates, is_best) if alpha == "fit" else alpha
    selector = LogLossSelector(differences, is_best[differences.others], alpha, method, algorithm)
    return run_rounds(selector, rounds, alpha, differences, dev, patience, report, _PORTION)


class LogLossSelector:
    """Selection under way; see `treewright.reranking.learners.boosting.Booster`.

    ``differences`` are those of one best candidate with all others, and ``is_tied`` says which of these are as good.
    """

    def __init__(
        self,
        differences: Differences,
        is_tied: Mask,
        alpha: float,
        method: str = "newton",
        algorithm: str = "efficient",
    ) -> None:
        self._differences, self._is_tied = differences, is_tied
        self._is_scaling, self._is_naive = method == "scaling", algorithm == "naive"
        self.margins, self.number = alpha * differences.log_probability, 0
        sentences = np.arange(len(differences.offsets) - 1, dtype=np.int32)
        self._sentence = np.repeat(sentences, np.diff(differences.offsets))
        self._chances, self._shares = np.zeros(len(differences)), np.zeros(len(differences))
        self._losses = np.zeros(len(sentences))
        self._find_chances(sentences)
        self._steps = np.zeros(differences.feature_count)
        self._champions = make_champions(np.zeros(differences.feature_count))
        self._records: list[Record] = []
        self._work = self._try(np.arange(differences.feature_count, dtype=np.int32))

    def _find_chances(self, sentences: Places) -> None:
        offsets, outputs = self._differences.offsets, (self._chances, self._shares, self._losses)
        _find_chances(offsets, self.margins, self._is_tied, sentences, *outputs)

    def _try(self, features: Places) -> int:
        """Find the best step of each feature, and its gain; return the number of pairs read."""
        d = self._differences
        arrays = (d.feature_offsets, d.places, self._sentence, self._chances, self._shares)
        _best_steps(*arrays, features, self._steps, self._champions, self._is_scaling)
        return int((d.feature_offsets[features + 1] - d.feature_offsets[features]).sum())

    def advance(self, count: int) -> tuple[Places, Floats]:
        """Run this many rounds, or fewer if no feature helps; return their features and steps."""
        first = len(self._records)
        while count and self._differences.feature_count:
            best, before = crown(self._champions), float(self._losses.sum())
            if self._champions.values[best] <= 0:
                break
            step = self._steps[best]
            changed = self._take(best, step)
            self._work = self._try(changed)
            row = (np.array([best], np.int32), np.array([step]), np.array([before]), np.array([self._work]))
            self._records.append(row)
            self.number += 1
            count -= 1
        return joined(self._records[first:])[:2]

    def _take(self, k: int, step: float) -> Places:
        """Add a step to the weight of a feature; return the features to try again."""
        d = self._differences
        places = d.places[d.feature_offsets[k] : d.feature_offsets[k + 1]]
        self.margins[places >> 1] += np.where(places & 1, -step, step)
        touched = np.unique(self._sentence[places >> 1])
        self._find_chances(touched)
        if self._is_naive:
            return np.arange(d.feature_count, dtype=np.int32)
        begins, ends = d.pair_offsets[d.offsets[touched]], d.pair_offsets[d.offsets[touched + 1]]
        pieces = [d.entries[begin:end] >> 1 for begin, end in zip(begins, ends, strict=True)]
        return np.unique(np.concatenate(pieces)).astype(np.int32)

    def records(self) -> Record:
        """Return the record of all rounds: features, steps, LogLoss before each, and pairs read."""
        return joined(self._records)


@kernel
def _find_chances(
    offsets: Ints, margins: Floats, is_tied: Mask, sentences: Places, chances: Floats, shares: Floats, losses: Floats
) -> None:
    """Compute the probability of each candidate but the best, its share of that of all best ones, and the losses."""
    for i in sentences:
        highest, top = 0.0, 0.0
        for p in range(offsets[i], offsets[i + 1]):
            highest = max(highest, -margins[p])
            if is_tied[p]:
                top = max(top, -margins[p])
        total, best = exp(-highest), exp(-top)
        for p in range(offsets[i], offsets[i + 1]):
            total += exp(-margins[p] - highest)
            if is_tied[p]:
                best += exp(-margins[p] - top)
        for p in range(offsets[i], offsets[i + 1]):
            chances[p] = exp(-margins[p] - highest) / total
            shares[p] = exp(-margins[p] - top) / best if is_tied[p] else 0.0
        losses[i] = highest - top + log(total) - log(best)


@kernel
def _best_steps(
    feature_offsets: Ints,
    places: Places,
    sentence: Places,
    chances: Floats,
    shares: Floats,
    features: Places,
    steps: Floats,
    champions: Champions,
    is_scaling: bool,
) -> None:
    """Find the best δ of each of these features, and how much it lowers LogLoss."""
    for k in features:
        number = 0
        first, end = feature_offsets[k], feature_offsets[k + 1]
        sums, own, signs = np.zeros(end - first), np.zeros(end - first), np.zeros(end - first)
        for at in range(first, end):
            p = places[at] >> 1
            if at == first or sentence[p] != sentence[places[at - 1] >> 1]:
                number += 1
                signs[number - 1] = -1.0 if places[at] & 1 else 1.0
            sums[number - 1] = min(sums[number - 1] + chances[p], 1.0)
            own[number - 1] = min(own[number - 1] + shares[p], 1.0)
        sums, own, signs = sums[:number], own[:number], signs[:number]
        step = _scaling(sums, own, signs) if is_scaling else _newton(sums, own, signs)
        change = _change(sums, own, signs, step)
        while change > 0 and abs(step) > _TOLERANCE:  # beyond a maximum, which only ties can make
            step *= 0.5
            change = _change(sums, own, signs, step)
        steps[k] = step
        place(champions, k, max(-change, 0.0))


@kernel
def _change(sums: Floats, own: Floats, signs: Floats, step: float) -> float:
    """Return the change of LogLoss by a step."""
    change = 0.0
    for i in range(len(sums)):
        grown = expm1(-signs[i] * step)
        change += log1p(max(sums[i] * grown, -1.0 + 1e-300))
        if own[i]:
            change -= log1p(max(own[i] * grown, -1.0 + 1e-300))
    return change


@inner_kernel
def _slope(sums: Floats, own: Floats, signs: Floats, step: float) -> tuple[float, float, float]:
    """Return the first and second derivatives of LogLoss after a step, p̃_k − h̃_k the first, and h̃_k."""
    first, second, held = 0.0, 0.0, 0.0
    for i in range(len(sums)):
        grown = exp(-signs[i] * step)
        share = sums[i] * grown / (1.0 - sums[i] + sums[i] * grown)
        second += share * (1.0 - share)
        best = own[i]
        if best:
            best = best * grown / (1.0 - best + best * grown)
            second -= best * (1.0 - best)
        first -= signs[i] * (share - best)
        held += best if signs[i] < 0 else 1.0 - best
    return first, second, held


@inner_kernel
def _scaling(sums: Floats, own: Floats, signs: Floats) -> float:
    """Find the best δ by iterative scaling, with steps that are lengthened as long as they do not pass it."""
    step, factor = 0.0, 1.0
    first, second, held = _slope(sums, own, signs, step)
    if first < 0 and _slope(sums, own, signs, LIMIT)[0] <= 0:
        return LIMIT
    if first > 0 and _slope(sums, own, signs, -LIMIT)[0] >= 0:
        return -LIMIT
    for _ in range(_TRIALS):
        if abs(first) <= _TOLERANCE * abs(second):
            break
        scaled = -log1p(max(first / held, -1.0 + 1e-16))  # log(h̃_k / p̃_k)
        further = min(max(step + factor * scaled, -LIMIT), LIMIT)
        there, curvature, count = _slope(sums, own, signs, further)
        if there * first < 0 and factor > 1:
            factor = max(0.25 * factor, 1.0)
        else:
            step, first, second, held, factor = further, there, curvature, count, 2.0 * factor
    return step


@inner_kernel
def _newton(sums: Floats, own: Floats, signs: Floats) -> float:
    """Find the best δ by Newton steps that stay within a bracket around it."""
    low, high, step = -LIMIT, LIMIT, 0.0
    for _ in range(_TRIALS):
        first, second = _slope(sums, own, signs, step)[:2]
        if first > 0:
            high = step
        else:
            low = step
        before = step
        step = before - first / second if second > 0 else low
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - before) < _TOLERANCE:
            break
    return step
