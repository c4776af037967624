"""Scores of candidates, F(x) = α₀ L(x) + Σ α_k h_k(x), and sums of their features."""

from __future__ import annotations

import numpy as np

from treewright.arrays import Floats, Ints, Places, Singles
from treewright.kernels import inner_kernel, kernel
from treewright.reranking.candidates.candidates import Candidates

__all__ = ["add_features", "add_scores", "feature_values", "score_candidates"]


def score_candidates(candidates: Candidates, alpha: float, weights: Floats) -> Floats:
    """Compute the score of every candidate (Collins and Koo 2005, section 4.1)."""
    if len(weights) != candidates.feature_count:
        raise ValueError(f"{candidates.feature_count} features need as many weights, not {len(weights)}")
    scores = alpha * candidates.log_probability
    values = feature_values(candidates)
    add_scores(candidates.feature_offsets, candidates.features, values, np.ascontiguousarray(weights), scores)
    return scores


def feature_values(candidates: Candidates) -> Singles:
    """Return the values of the features; an empty array means that all are 1."""
    return np.zeros(0, np.float32) if candidates.values is None else np.array(candidates.values)


@kernel
def add_scores(offsets: Ints, features: Places, values: Singles, weights: Floats, scores: Floats) -> None:
    """Add to each score the weights of the candidate's features, times their values."""
    for c in range(len(scores)):
        total = 0.0
        if len(values):
            for place in range(offsets[c], offsets[c + 1]):
                total += weights[features[place]] * values[place]
        else:
            for place in range(offsets[c], offsets[c + 1]):
                total += weights[features[place]]
        scores[c] += total


@inner_kernel
def add_features(offsets: Ints, features: Places, values: Singles, c: int, scale: float, table: Floats) -> None:
    """Add ``scale`` times the features of a candidate to a table."""
    for place in range(offsets[c], offsets[c + 1]):
        table[features[place]] += scale * (values[place] if len(values) else 1.0)
