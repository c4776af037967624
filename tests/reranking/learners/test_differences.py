"""The features in which pairs differ, against tables."""

import numpy as np
import pytest

from tests.reranking.random_candidates import brute_force_pairs, dense, random_candidates
from treewright.reranking.learners.differences import find_differences


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_differences_are_those_of_the_tables(seed, ties):
    candidates = random_candidates(seed)
    differences, table = find_differences(candidates, ties=ties), dense(candidates)
    pairs = brute_force_pairs(candidates, ties)
    assert len(differences) == len(pairs)
    by_feature = [[] for _ in range(candidates.feature_count)]
    for p, (i, best, other, importance) in enumerate(pairs):
        assert differences.offsets[i] <= p < differences.offsets[i + 1]
        assert differences.importance[p] == importance
        change = table[best] - table[other]
        entries = differences.entries[slice(*differences.pair_offsets[p : p + 2])]
        assert entries.tolist() == [2 * k + (change[k] < 0) for k in np.flatnonzero(change)]
        for k in np.flatnonzero(change):
            by_feature[k].append(2 * p + (change[k] < 0))
    for k, places in enumerate(by_feature):
        assert differences.places[slice(*differences.feature_offsets[k : k + 2])].tolist() == places
