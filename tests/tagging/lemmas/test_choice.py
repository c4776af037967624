"""The best candidate is the best of all, by the sum of its features' weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.features import Weights
from treewright.learning.online import Mira
from treewright.learning.training import train
from treewright.tagging.lemmas.choice import Choices, best_candidates
from treewright.tagging.lemmas.problem import LemmaProblem

MASK = np.uint32(63)
SIZE = 64 + 9


def random_choices(seed, words):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 5, words)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return Choices(
        rng.integers(0, 1 << 28, (words + 1, 3), np.uint32),
        rng.integers(0, 1 << 32, (starts[-1], 2), np.uint32),
        np.concatenate([rng.choice(9, count, replace=False) for count in counts]).astype(np.int32),
        starts,
    )


def score(choices, weights, word, candidate):
    emission = ((choices.emission[word + 1] & MASK) + choices.candidates[candidate]).tolist()
    outcome = (choices.outcome[candidate] & MASK).tolist()
    return sum(float(weights[place]) for place in emission + outcome)


@settings(deadline=None)
@given(st.integers(0, 1 << 32), st.integers(1, 6), st.booleans())
def test_the_best_candidate_is_the_best_of_all(seed, words, is_augmented):
    choices = random_choices(seed, words)
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=SIZE).astype(np.float32)
    gold = np.array([rng.integers(*pair) for pair in zip(choices.starts, choices.starts[1:], strict=False)], np.int32)
    cost = 1.5 if is_augmented else 0.0
    found = best_candidates(choices, Weights(weights).table, MASK, gold, cost)
    for word in range(words):
        of_word = range(choices.starts[word], choices.starts[word + 1])
        scores = {c: score(choices, weights, word, c) + cost * (c != gold[word]) for c in of_word}
        assert scores[found[word]] == pytest.approx(max(scores.values()), abs=1e-5)


@settings(deadline=None)
@given(st.integers(0, 1 << 32))
def test_a_mistake_has_the_margin_of_what_is_right_over_what_was_found(seed):
    choices = random_choices(seed, 4)
    weights = Weights(np.random.default_rng(seed).normal(size=SIZE).astype(np.float32))
    gold = choices.starts[:-1]
    found = best_candidates(choices, weights.table, MASK, gold, 0.0)
    mistake = LemmaProblem([(choices, gold)], SIZE, MASK).mistake(0, weights, 0.0)
    if (found == gold).all():
        assert mistake is None
        return
    assert mistake.loss == (found != gold).sum()
    margin = sum(
        score(choices, weights.values, word, gold[word]) - score(choices, weights.values, word, found[word])
        for word in range(4)
    )
    assert mistake.margin == pytest.approx(margin, abs=1e-4)
    assert mistake.margin <= 0
    assert mistake.values @ weights.values[mistake.places] == pytest.approx(margin, abs=1e-4)


def test_what_can_be_told_apart_is_learned():
    choices = [random_choices(seed, 3) for seed in range(6)]
    mask, size = np.uint32((1 << 16) - 1), (1 << 16) + 9
    examples = [(one, one.starts[1:] - np.int32(1)) for one in choices]
    weights = train(LemmaProblem(examples, size, mask), Mira(), epochs=300).weights
    for one, gold in examples:
        assert best_candidates(one, weights.table, mask, gold, 0.0).tolist() == gold.tolist()
