"""Random candidates that features tell something about, small enough to check everything by brute force."""

import numpy as np

from treewright.reranking import CandidatesBuilder


def random_candidates(
    seed, sentences=30, features=40, most=6, *, values=False, one_sided=False, tied=False, vocabulary=None
):
    """Make lists of 1 to ``most`` candidates; of ``one_sided`` ones only bad candidates have the last ten features.

    Of ``tied`` ones, half of the lists have several best candidates.
    """
    random = np.random.default_rng(seed)
    truth = np.random.default_rng(99).normal(size=features)
    builder = CandidatesBuilder(vocabulary or [f"f{k}" for k in range(features)])
    for _ in range(sentences):
        count = random.integers(1, most + 1)
        rows = random.random((count, features)) < 0.15
        gold = np.round(rows @ truth + random.normal(size=count), 1)
        if tied:
            gold = np.clip(np.round(gold / 2), -1, 1)
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


def brute_force_pairs(candidates, pairing="one-worse"):
    """List (i, best, other, S) straight from the definitions."""
    found = []
    for i in range(candidates.sentences):
        rows = range(candidates.offsets[i], candidates.offsets[i + 1])
        best = max(rows, key=lambda c: (candidates.score[c], candidates.log_probability[c], -c))
        tops = [c for c in rows if candidates.score[c] == candidates.score[best]]
        found += [
            (i, b, c, candidates.score[b] - candidates.score[c])
            for b in (tops if pairing == "each-worse" else [best])
            for c in rows
            if (c != best if pairing == "one-other" else c not in tops)
        ]
    return found


def negative_log_likelihood(candidates, alpha, weights, ties="all"):
    """Compute −Σ log P of the best candidates from the definition."""
    scores, loss = alpha * candidates.log_probability + dense(candidates) @ weights, 0.0
    for i, best in enumerate(candidates.oracle()):
        rows = range(candidates.offsets[i], candidates.offsets[i + 1])
        tops = [best] if ties == "one" else [c for c in rows if candidates.score[c] == candidates.score[best]]
        loss += np.logaddexp.reduce(scores[list(rows)]) - np.logaddexp.reduce(scores[tops])
    return loss
