"""Three ways to find the weights of a mixture, tested on sentences that they were not found on.

The score of what is chosen, as Koo and Collins (2005, section 4.3) do; the score that is expected when candidates are
drawn (Smith and Eisner 2006); and the probability of the best candidates, as `treewright.reranking.tune_mixture`
does.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from treewright.reranking import tune_mixture

#: Parts of the slice, and how often it is cut into them.
FOLDS, REPETITIONS = 5, 3
#: The weights that are tried for one model while those of the others stay.
TRIED = (0.0, *np.geomspace(0.02, 20, 61).tolist())


def compare(rows, candidates) -> dict[str, float]:
    """Give the mean score, in percent, of what mixtures choose in the parts that they were not tuned on."""
    spreads = np.array([np.std(row - _means(row, candidates)) for row in rows])
    scaled = rows / spreads[:, None]
    ways = {"score": by_score, "expected score": by_expected_score, "likelihood": by_likelihood}
    found = {name: [] for name in ways}
    random = np.random.default_rng(1)
    for _ in range(REPETITIONS):
        parts = np.array_split(random.permutation(candidates.sentences), FOLDS)
        for part in parts:
            rest = np.setdiff1d(np.arange(candidates.sentences), part)
            for name, tune in ways.items():
                weights = tune(scaled[:, _places(rest, candidates)], candidates.take(rest))
                held_out = candidates.take(part)
                chosen = held_out.best(weights @ scaled[:, _places(part, candidates)])
                found[name].append((held_out.score[chosen].sum(), held_out.size[chosen].sum()))
    return {name: float(100 * np.divide(*np.sum(pairs, axis=0))) for name, pairs in found.items()}


def by_score(rows, candidates):
    """Set one weight after the other to the best of many."""

    def score(weights):
        return candidates.score[candidates.best(weights @ rows)].sum()

    best = max((_climb(start, score) for start in (np.ones(len(rows)), *np.eye(len(rows)))), key=score)
    return best


def _climb(weights, score):
    highest = score(weights)
    while True:
        before = highest
        for m in range(len(weights)):
            for value in TRIED:
                other = weights.copy()
                other[m] = value
                if other.any() and (found := score(other)) > highest:
                    weights, highest = other, found
        if highest == before:
            return weights


def by_expected_score(rows, candidates):
    """Minimise the expected loss of score, from several starts."""
    begins, lengths = candidates.offsets[:-1], np.diff(candidates.offsets)

    def loss(weights):
        scores = weights @ rows
        chances = np.exp(scores - np.repeat(np.maximum.reduceat(scores, begins), lengths))
        chances /= np.repeat(np.add.reduceat(chances, begins), lengths)
        expected = np.add.reduceat(chances * candidates.score, begins)
        slopes = chances * (candidates.score - np.repeat(expected, lengths))
        return -expected.mean(), -(rows @ slopes) / len(lengths)

    bounds = [(0.0, None)] * len(rows)
    starts = (np.ones(len(rows)), *np.eye(len(rows)))
    found = [minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds) for start in starts]
    return min(found, key=lambda one: one.fun).x


def by_likelihood(rows, candidates):
    """Tune as the package does."""
    return np.array(tune_mixture([str(m) for m in range(len(rows))], rows, candidates).weights)


def _means(row, candidates):
    lengths = np.diff(candidates.offsets)
    return np.repeat(np.add.reduceat(row, candidates.offsets[:-1]) / lengths, lengths)


def _places(sentences, candidates):
    """Give the places of the candidates of these sentences."""
    return np.concatenate([np.arange(*candidates.offsets[i : i + 2]) for i in sentences])
