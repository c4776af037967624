"""The best tags against all sequences of tags."""

import itertools

import numpy as np
import pytest

from treewright.features import Weights
from treewright.tagging.differences import score_difference, tag_features
from treewright.tagging.sequence import (
    HashedWords,
    best_tags,
    emission_scores,
    link_scores,
    promising,
    transition_scores,
)

MASK = np.uint32(255)
TAGS, VALUES = 4, 3
NOBODY = np.empty(0, np.int32)


def random_words(rng, n):
    """Words with random hashes, each with some of the tags as candidates; tags with values, or all without."""
    having = rng.integers(0, 2, (TAGS, VALUES)) * rng.integers(0, 2)
    candidates = [
        np.sort(rng.choice(TAGS, rng.integers(1, TAGS + 1), replace=False)).astype(np.int32) for _ in range(n)
    ]
    starts = np.cumsum([0, *map(len, candidates)]).astype(np.int32)
    return HashedWords(
        rng.integers(0, 1 << 32, (n + 1, 3), np.uint32),
        rng.integers(0, 1 << 32, (n + 1, 2), np.uint32),
        rng.integers(0, 1 << 32, TAGS + 1, np.uint32),
        np.concatenate(candidates),
        starts,
        np.nonzero(having)[1].astype(np.int32),
        np.cumsum([0, *having.sum(axis=1)]).astype(np.int32),
        rng.integers(0, 1 << 32, VALUES * having.any(), np.uint32),
    )


def best_of(x, weights, gold=NOBODY, cost=0.0, most=TAGS):
    """Find the best sequence."""
    return best_tags(x, weights.values, MASK, most, gold, cost)


def sequences(x):
    """List all sequences of candidates."""
    return itertools.product(*(x.candidates[a:b].tolist() for a, b in itertools.pairwise(x.starts.tolist())))


def features_of(x, tags):
    """List the places of the features of a sequence, from the definition."""
    places, before, mask = [], TAGS, int(MASK)
    values = [x.values[a:b].tolist() for a, b in itertools.pairwise(x.value_starts.tolist())] + [[]]
    for word, tag in enumerate(tags, 1):
        for unit in (tag, *(TAGS + value for value in values[tag])):
            places += [(int(h) & mask) + unit for h in x.emission[word]]
        places += [((int(h) ^ int(x.seeds[before])) & mask) + tag for h in x.transition[word]]
        places += [(int(x.value_seeds[u]) & mask) + TAGS + v for u in values[before] for v in values[tag]]
        before = tag
    return places


def score_of(x, tags, weights):
    return float(weights.decoded()[features_of(x, tags)].astype(np.float64).sum())


def problems(compressed):
    rng = np.random.default_rng(compressed)
    for n in (1, 2, 3, 5):
        for _ in range(25):
            values = rng.normal(size=256 + TAGS + VALUES).astype(np.float32)
            yield rng, random_words(rng, n), Weights.compress(values) if compressed else Weights(values)


@pytest.mark.parametrize("compressed", [False, True], ids=["float32", "int8"])
def test_the_best_tags_are_the_best_of_all_sequences(compressed):
    for _, x, weights in problems(compressed):
        found = best_of(x, weights)
        assert tuple(found) in set(sequences(x))
        best = max(score_of(x, tags, weights) for tags in sequences(x))
        assert score_of(x, found, weights) == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize("cost", [0.7, 3.0])
def test_with_cost_every_error_adds_to_the_score(cost):
    changed = 0
    for rng, x, weights in problems(False):
        gold = np.array(list(sequences(x))[rng.integers(len(list(sequences(x))))], np.int32)
        found = best_of(x, weights, gold, cost)

        def augmented(tags, gold=gold, x=x, weights=weights):
            return score_of(x, tags, weights) + cost * np.count_nonzero(np.array(tags) != gold)

        assert augmented(found) == pytest.approx(max(map(augmented, sequences(x))), abs=1e-4)
        changed += not np.array_equal(found, best_of(x, weights, gold))
    assert changed > 5


def test_the_features_of_a_mistake_are_those_of_the_right_tags_less_those_found():
    for rng, x, weights in problems(False):
        all_sequences = list(sequences(x))
        gold, found = (np.array(all_sequences[rng.integers(len(all_sequences))], np.int32) for _ in range(2))
        places, values = tag_features(x, gold, found, MASK)
        difference = np.zeros(256 + TAGS + VALUES)
        np.add.at(difference, places, values)
        expected = np.zeros(256 + TAGS + VALUES)
        np.add.at(expected, features_of(x, gold.tolist()), 1)
        np.add.at(expected, features_of(x, found.tolist()), -1)
        assert np.array_equal(difference, expected)
        margin = score_of(x, gold.tolist(), weights) - score_of(x, found.tolist(), weights)
        assert score_difference(places, values, weights.values) == pytest.approx(margin, abs=1e-4)


def test_tags_that_agree_have_no_features_in_a_mistake():
    rng = np.random.default_rng(5)
    x = random_words(rng, 5)._replace(values=NOBODY, value_starts=np.zeros(TAGS + 1, np.int32))
    gold = np.zeros(5, np.int32)
    assert len(tag_features(x, gold, gold, MASK)[0]) == 0
    last = np.array([0, 0, 0, 0, 1], np.int32)
    assert len(tag_features(x, gold, last, MASK)[0]) == 2 * (3 + 2)
    first = np.array([1, 0, 0, 0, 0], np.int32)
    assert len(tag_features(x, gold, first, MASK)[0]) == 2 * (3 + 2 + 2)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_the_most_promising_candidates_are_left(most):
    for rng, x, weights in problems(True):
        emission = emission_scores(x, weights.values, MASK)
        own = rng.integers(0, TAGS, len(x.starts) - 1).astype(np.int32)
        for kept in (NOBODY, own):
            left, scores = promising(x, emission, most, kept)
            for i, (a, b) in enumerate(itertools.pairwise(x.starts.tolist())):
                all_scores = dict(zip(x.candidates[a:b].tolist(), emission[a:b].tolist(), strict=True))
                wanted = set(sorted(all_scores, key=all_scores.get, reverse=True)[:most])
                wanted |= all_scores.keys() & set(kept[i : i + 1].tolist())
                c, d = left.starts[i : i + 2]
                assert left.candidates[c:d].tolist() == sorted(wanted)
                assert scores[c:d].tolist() == [all_scores[tag] for tag in sorted(wanted)]
            assert set(sequences(left)) <= set(sequences(x))
    assert promising(x, emission, TAGS, own)[0] is x


@pytest.mark.parametrize("most", [1, 2])
def test_search_is_exact_over_the_promising_candidates(most):
    thinned = 0
    for rng, x, weights in problems(True):
        emission = emission_scores(x, weights.values, MASK)
        own = rng.integers(0, TAGS, len(x.starts) - 1).astype(np.int32)
        for kept in (NOBODY, own):
            left, _ = promising(x, emission, most, kept)
            found = best_of(x, weights, kept, 0.5 * (len(kept) > 0), most)
            assert found.tolist() == best_of(left, weights, kept, 0.5 * (len(kept) > 0)).tolist()
            thinned += not np.array_equal(found, best_of(x, weights, kept, 0.5 * (len(kept) > 0)))
    assert thinned > 5


def test_scores_are_those_of_the_features():
    """With an unknown tag among the candidates, too, and at the end of the table."""
    for _, x, weights in problems(False):
        word = len(x.starts) - 2
        x = x._replace(candidates=np.append(x.candidates, np.int32(-1)), starts=x.starts + (x.starts == x.starts[-1]))
        emission = emission_scores(x, weights.values, MASK)[x.starts[word] :]
        steps = transition_scores(x, word, links_of(x, weights), weights.values, MASK)
        assert emission[-1] == 0
        assert not steps[:, -1].any()
        firsts = x.candidates[x.starts[word - 1] : x.starts[word]].tolist() if word else [TAGS]
        table = weights.decoded().astype(np.float64)
        for c, tag in enumerate(x.candidates[x.starts[word] : -1].tolist()):
            units = [tag, *(TAGS + x.values[x.value_starts[tag] : x.value_starts[tag + 1]])]
            own = sum(table[(int(h) & 255) + unit] for unit in units for h in x.emission[word + 1])
            assert emission[c] == pytest.approx(own, abs=1e-4)
            for b, before in enumerate(firsts):
                tags = [before, tag] if word else [tag]
                one = HashedWords(
                    x.emission[[0, *([word] if word else []), word + 1]],
                    x.transition[[0, *([word] if word else []), word + 1]],
                    *x[2:],
                )
                alone = score_of(one, tags, weights) - (score_of(one, tags[:1], weights) if word else 0.0)
                assert steps[b, c] == pytest.approx(alone - own, abs=1e-4)


def links_of(x, weights):
    return link_scores(x, weights.values, MASK)


def test_of_equals_no_more_are_left_than_asked_for():
    x = random_words(np.random.default_rng(2), 3)
    left, _ = promising(x, np.zeros(len(x.candidates), np.float32), 1, NOBODY)
    assert np.diff(left.starts).tolist() == [1, 1, 1]
