"""Random candidates that features tell something about, small enough to check everything by brute force."""

import numpy as np

from treewright.reranking import CandidatesBuilder


def random_candidates(seed, sentences=30, features=40, most=6, *, values=False, one_sided=False, vocabulary=None):
    """Make lists of 1 to ``most`` candidates; of ``one_sided`` ones only bad candidates have the last ten features."""
    random = np.random.default_rng(seed)
    truth = np.random.default_rng(99).normal(size=features)
    builder = CandidatesBuilder(vocabulary or [f"f{k}" for k in range(features)])
    for _ in range(sentences):
        count = random.integers(1, most + 1)
        rows = random.random((count, features)) < 0.15
        gold = np.round(rows @ truth + random.normal(size=count), 1)
        if one_sided:
            rows[:, -10:] &= (gold < gold.max())[:, None]
        weights = random.integers(1, 4, (count, features))
        named = [
            {f"f{k}": float(row_values[k]) if values else 1.0 for k in np.flatnonzero(row)}
            for row, row_values in zip(rows, weights, strict=True)
        ]
        builder.add((gold * 0.3 + random.normal(size=count) * 2 - 5).tolist(), gold.tolist(), named)
    return builder.build()


def dense(candidates):
    """Return the features of all candidates as a dense table."""
    table = np.zeros((len(candidates), candidates.feature_count))
    row = np.repeat(np.arange(len(candidates)), np.diff(candidates.feature_offsets))
    table[row, candidates.features] = 1 if candidates.values is None else candidates.values
    return table


def brute_force_pairs(candidates, ties=False):
    """List (i, best, other, S) straight from the definitions."""
    found = []
    for i in range(candidates.sentences):
        rows = range(candidates.offsets[i], candidates.offsets[i + 1])
        best = max(rows, key=lambda c: (candidates.score[c], candidates.log_probability[c], -c))
        found += [
            (i, best, c, candidates.score[best] - candidates.score[c])
            for c in rows
            if c != best and (ties or candidates.score[best] > candidates.score[c])
        ]
    return found


def negative_log_likelihood(candidates, alpha, weights):
    """Compute −Σ log P of the best candidates from the definition."""
    scores, loss = alpha * candidates.log_probability + dense(candidates) @ weights, 0.0
    for i, best in enumerate(candidates.oracle()):
        rows = scores[candidates.offsets[i] : candidates.offsets[i + 1]]
        loss += np.log(np.exp(rows - scores[best]).sum())
    return loss
