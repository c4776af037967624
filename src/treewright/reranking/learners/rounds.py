"""The rounds of boosting, as kernels (Collins and Koo 2005, Figures 3 and 4, and Appendix B).

Every pair has a weight, and W⁺_k and W⁻_k are the sums of the weights of the pairs in A⁺_k and A⁻_k.  A round chooses
the feature with the highest gain |√W⁺ − √W⁻|, adds δ = ½ log[(W⁺ + εZ) / (W⁻ + εZ)] to its weight (equation 17), and so
changes the margins of the pairs in A⁺_k and A⁻_k.  The weight of a pair is

    S_{i,j} exp(−M_{i,j})                      for ExpLoss (equations 13 and 14)
    exp(−M_{i,j}) / (1 + Σ_q exp(−M_{i,q}))    for the bound on LogLoss (equation B.1).

With LogLoss the weights of all pairs of a sentence change when the margin of one does.

**Ties.**  If several candidates b of a sentence are equally good, its LogLoss is log(1 + Σ_j 1 / Σ_b exp(M_{b,j})) over
the worse ones j.  Let p_j be the probability of j, and r_b that of b among the best.  As 1/x is convex,

    1 / Σ_b r_b exp(δ d_{b,j}) ≤ Σ_b r_b exp(−δ d_{b,j}),        d_{b,j} = h_k(x_b) − h_k(x_j)

so the bound of Appendix B holds with a pair for each b and j, of weight r_b p_j.  With one best candidate it is (B.1).

**Whole numbers.**  Weights are rounded to multiples of a small unit and stored as integers.  So sums do not depend on
the order of their terms: those that the efficient algorithm keeps up to date equal those that the naive one recomputes,
bit for bit, and ties are ties.  With Z = 2⁶⁰ units at the beginning, a unit is as small as the last bit of a
double-precision sum; and since ExpLoss never rises, nothing overflows.  For the same reason all kernels here add up in
the order in which they are written: otherwise two kernels could round the same weight differently.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Ints, Places
from treewright.kernels import exact_inner_kernel, exact_kernel
from treewright.reranking.learners.champions import Champions, crown, place
from treewright.reranking.learners.losses import pair_chances

__all__ = ["Pairs", "State", "gain", "naive_rounds", "rounds", "start", "weigh_all"]


class Pairs(NamedTuple):
    """The arrays of `Differences` that rounds read."""

    offsets: Ints
    best_count: Ints
    pair_offsets: Ints
    entries: Places
    feature_offsets: Ints
    places: Places
    scaled: Floats  # ExpLoss: the importance of each pair in units; LogLoss: the units in 1
    sentence: Places  # LogLoss: the sentence of each pair; ExpLoss: empty


class State(NamedTuple):
    """What rounds change."""

    margins: Floats
    weights: Ints  # of pairs, in units
    masses: Ints  # 2k → W⁺_k, 2k + 1 → W⁻_k
    totals: Ints  # Z
    seen: Ints  # the round in which each feature was last touched
    touched: Places  # the features touched in this round


@exact_kernel
def gain(masses: Ints, k: int) -> float:
    """Return |√W⁺ − √W⁻|, by which features are ranked (section 4.4)."""
    return abs(sqrt(float(masses[2 * k])) - sqrt(float(masses[2 * k + 1])))


@exact_inner_kernel
def _step(masses: Ints, k: int, total: int, smoothing: float) -> float:
    """Return δ (equation 17); at least one unit is added, so that it is finite even without smoothing."""
    more = max(smoothing * float(total), 1.0)
    return 0.5 * log((float(masses[2 * k]) + more) / (float(masses[2 * k + 1]) + more))


@exact_inner_kernel
def _weigh_sentence(pairs: Pairs, margins: Floats, i: int, out: Ints) -> None:
    """Compute the weights of the pairs of a sentence for LogLoss, without overflow."""
    first, end = pairs.offsets[i], pairs.offsets[i + 1]
    if first < end:
        chances = pair_chances(margins, first, end, pairs.best_count[i])
        for p in range(first, end):
            out[p] = np.int64(np.rint(pairs.scaled[p] * chances[p - first]))


@exact_inner_kernel
def _weigh_pair(scaled: float, margin: float) -> int:
    """Compute the weight of a pair for ExpLoss."""
    weight: int = np.int64(np.rint(scaled * exp(-margin)))  # type: ignore[assignment]
    return weight


@exact_kernel
def weigh_all(pairs: Pairs, margins: Floats, out: Ints) -> None:
    """Compute the weights of all pairs."""
    if len(pairs.sentence):
        for i in range(len(pairs.offsets) - 1):
            _weigh_sentence(pairs, margins, i, out)
    else:
        for p in range(len(margins)):
            out[p] = _weigh_pair(pairs.scaled[p], margins[p])


@exact_kernel
def start(pairs: Pairs, state: State, values: Floats) -> None:
    """Compute Z, all W⁺ and W⁻ from the weights of pairs, and the gains."""
    state.masses[:] = 0
    state.totals[0] = 0
    for p in range(len(state.weights)):
        state.totals[0] += state.weights[p]
        for at in range(pairs.pair_offsets[p], pairs.pair_offsets[p + 1]):
            state.masses[pairs.entries[at]] += state.weights[p]
    for k in range(len(values)):
        values[k] = gain(state.masses, k)


@exact_kernel
def naive_rounds(
    pairs: Pairs,
    state: State,
    values: Floats,
    smoothing: float,
    chosen: Places,
    steps: Floats,
    losses: Ints,
    floor: int,
) -> int:
    """Run rounds as in Figure 3, which recomputes everything in each; return their number, as `rounds` does."""
    for t in range(len(chosen)):
        start(pairs, state, values)
        losses[t] = state.totals[0]
        best = 0
        for k in range(len(values)):
            if values[k] > values[best]:
                best = k
        if values[best] <= 0 or losses[t] < floor:
            return t
        chosen[t] = best
        steps[t] = _step(state.masses, best, state.totals[0], smoothing)
        for p in range(len(state.margins)):
            for at in range(pairs.pair_offsets[p], pairs.pair_offsets[p + 1]):
                if pairs.entries[at] >> 1 == best:
                    state.margins[p] += -steps[t] if pairs.entries[at] & 1 else steps[t]
        weigh_all(pairs, state.margins, state.weights)
    return len(chosen)


@exact_kernel
def _spread(pairs: Pairs, state: State, p: int, change: int, stamp: int, touched: int) -> int:
    """Add the change of a pair's weight to Z and the masses of its features; return how many features are touched."""
    state.totals[0] += change
    for at in range(pairs.pair_offsets[p], pairs.pair_offsets[p + 1]):
        entry = pairs.entries[at]
        state.masses[entry] += change
        k = entry >> 1
        if state.seen[k] != stamp:
            state.seen[k] = stamp
            state.touched[touched] = k
            touched += 1
    return touched


@exact_inner_kernel
def _update_pairs(pairs: Pairs, state: State, k: int, step: float, stamp: int) -> tuple[int, int]:
    """Update the weights of the pairs with feature k; return the number of features touched, and of sums."""
    touched, work = 0, 0
    for at in range(pairs.feature_offsets[k], pairs.feature_offsets[k + 1]):
        p = pairs.places[at] >> 1
        state.margins[p] += -step if pairs.places[at] & 1 else step
        weight = _weigh_pair(pairs.scaled[p], state.margins[p])
        change = weight - state.weights[p]
        state.weights[p] = weight
        touched = _spread(pairs, state, p, change, stamp, touched)
        work += pairs.pair_offsets[p + 1] - pairs.pair_offsets[p]
    return touched, work


@exact_inner_kernel
def _update_sentences(pairs: Pairs, state: State, k: int, step: float, stamp: int, fresh: Ints) -> tuple[int, int]:
    """Update the weights of all pairs of the sentences with feature k; return the same two numbers."""
    touched, work = 0, 0
    at, end = pairs.feature_offsets[k], pairs.feature_offsets[k + 1]
    while at < end:
        i = pairs.sentence[pairs.places[at] >> 1]
        while at < end and pairs.sentence[pairs.places[at] >> 1] == i:
            state.margins[pairs.places[at] >> 1] += -step if pairs.places[at] & 1 else step
            at += 1
        _weigh_sentence(pairs, state.margins, i, fresh)
        for p in range(pairs.offsets[i], pairs.offsets[i + 1]):
            change = fresh[p] - state.weights[p]
            if change:
                state.weights[p] = fresh[p]
                touched = _spread(pairs, state, p, change, stamp, touched)
                work += pairs.pair_offsets[p + 1] - pairs.pair_offsets[p]
    return touched, work


@exact_kernel
def rounds(
    pairs: Pairs,
    state: State,
    champions: Champions,
    smoothing: float,
    chosen: Places,
    steps: Floats,
    losses: Ints,
    work: Ints,
    first: int,
    floor: int,
) -> int:
    """Run rounds as in Figure 4, counted from ``first``; return how many were run.

    Stops before a round if no feature has a gain, or Z is below ``floor``.
    """
    fresh = np.empty(len(state.weights) if len(pairs.sentence) else 0, np.int64)
    for t in range(len(chosen)):
        losses[t] = state.totals[0]
        best = crown(champions)
        if champions.values[best] <= 0 or losses[t] < floor:
            return t
        chosen[t] = best
        steps[t] = _step(state.masses, best, state.totals[0], smoothing)
        if len(pairs.sentence):
            touched, work[t] = _update_sentences(pairs, state, best, steps[t], first + t, fresh)
        else:
            touched, work[t] = _update_pairs(pairs, state, best, steps[t], first + t)
        for i in range(touched):
            k = state.touched[i]
            place(champions, k, gain(state.masses, k))
    return len(chosen)
