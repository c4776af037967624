"""Lazy ranking of derivations against the list of all of them, on random forests."""

import itertools

import numpy as np
import pytest

from treewright.inference.charts.k_best import Forest, best_first, rank


def random_forest(rng, items, most, *, tied=False):
    """Make a forest whose items are made of later items, each of one item at most, so that none comes twice."""
    owner = {item: int(rng.integers(0, item)) for item in range(1, items)}
    tails, weights, adds, starts = [], [], [], [0]
    for item in range(items):
        children = [child for child, parent in owner.items() if parent == item]
        pairs = [(child, -1) for child in children] + list(itertools.combinations(children, 2))
        for _ in range(int(rng.integers(1, most + 1))):
            chosen = pairs[int(rng.integers(len(pairs)))] if pairs and rng.random() < 0.9 else (-1, -1)
            tails.append(chosen)
            weights.append(float(rng.integers(0, 3)) if tied else float(rng.normal()))
            adds.append(len(adds) if rng.random() < 0.8 else -1)
        starts.append(len(tails))
    best, scores = {}, [0.0] * len(tails)
    for item in reversed(range(items)):
        for alternative in range(starts[item], starts[item + 1]):
            scores[alternative] = weights[alternative] + sum(best[tail] for tail in tails[alternative] if tail >= 0)
        best[item] = max(scores[starts[item] : starts[item + 1]])
    return Forest(np.array(starts), np.array(tails), np.array(weights), np.array(scores), np.array(adds))


def all_derivations(forest, item=0):
    """List scores with what is added, in preorder."""
    found = []
    for alternative in range(forest.starts[item], forest.starts[item + 1]):
        own = [int(forest.adds[alternative])] if forest.adds[alternative] >= 0 else []
        lists = [all_derivations(forest, int(tail)) for tail in forest.tails[alternative] if tail >= 0]
        for below in itertools.product(*lists):
            score = float(forest.weights[alternative]) + sum(score for score, _ in below)
            found.append((score, tuple(own + [one for _, added in below for one in added])))
    return found


def ranked(forest, k):
    scores, starts, added = rank(forest, k)
    return [(float(scores[r]), tuple(added[starts[r] : starts[r + 1]].tolist())) for r in range(len(scores))]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_the_k_best_are_those_of_all(seed, tied):
    rng = np.random.default_rng(seed)
    forest = random_forest(rng, int(rng.integers(1, 9)), 4, tied=tied)
    expected = sorted(all_derivations(forest), key=lambda derivation: -derivation[0])
    for k in (1, 2, 7, len(expected), len(expected) + 3):
        found = ranked(forest, k)
        assert len(found) == min(k, len(expected))
        np.testing.assert_allclose([score for score, _ in found], [score for score, _ in expected[:k]], atol=1e-12)
    scored = {}
    for score, added in expected:
        scored.setdefault(added, []).append(score)
    for score, added in ranked(forest, len(expected)):  # each derivation comes once
        matching = min(scored[added], key=lambda other: abs(other - score))
        assert matching == pytest.approx(score)
        scored[added].remove(matching)
    assert not any(scored.values())


@pytest.mark.parametrize("seed", range(10))
def test_fewer_are_a_prefix_of_more(seed):
    forest = random_forest(np.random.default_rng(seed), 8, 4, tied=True)
    many = ranked(forest, 60)
    for k in range(len(many)):
        assert ranked(forest, k) == many[:k]


def test_more_than_there_is_space_for_at_first():
    """A chain of thirty choices: thousands of candidates, and calls as deep as the chain."""
    items = 30
    rng = np.random.default_rng(1)
    tails = [(item + 1 if item + 1 < items else -1, -1) for item in range(items) for _ in range(3)]
    weights = rng.normal(size=3 * items)
    best = np.cumsum(weights.reshape(items, 3).max(axis=1)[::-1])[::-1]
    scores = weights + np.repeat(np.append(best[1:], 0.0), 3)
    forest = Forest(np.arange(0, 3 * items + 1, 3), np.array(tails), weights, scores, np.arange(3 * items))
    found = ranked(forest, 3000)
    assert len(set(found)) == 3000
    assert all(one[0] >= two[0] for one, two in itertools.pairwise(found))
    assert all(score == pytest.approx(weights[list(added)].sum()) for score, added in found)


def test_asking_on_ranks_more():
    forest = random_forest(np.random.default_rng(3), 8, 4)
    asked = []

    def list_forest(k):
        asked.append(k)
        return forest

    found = [(score, tuple(added.tolist())) for score, added in best_first(list_forest, 2)]
    assert found == ranked(forest, 10_000)
    assert asked[:2] == [2, 4]
    assert list(best_first(lambda k: None, 3)) == []
