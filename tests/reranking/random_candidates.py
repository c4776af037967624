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
