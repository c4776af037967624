"""The features in which pairs differ, against tables."""

import numpy as np
import pytest

from tests.reranking.random_candidates import brute_force_pairs, dense, random_candidates
from treewright.reranking.learners.differences import find_differences


@pytest.mark.parametrize("pairing", ["one-worse", "one-other", "each-worse"])
@pytest.mark.parametrize("seed", range(5))
def test_differences_are_those_of_the_tables(seed, pairing):
    candidates = random_candidates(seed, tied=seed > 1)
    differences, table = find_differences(candidates, pairing=pairing), dense(candidates)
    pairs = brute_force_pairs(candidates, pairing)
    assert len(differences) == len(pairs)
    assert differences.others.tolist() == [other for _, _, other, _ in pairs]
    counts = [len({best for j, best, _, _ in pairs if j == i}) for i in range(candidates.sentences)]
    assert all(differences.best_count[i] == count for i, count in enumerate(counts) if count)
    assert (sum(count > 1 for count in counts) > 5) == (pairing == "each-worse" and seed > 1)
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
