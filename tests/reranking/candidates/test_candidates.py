"""Candidates in columns: what they refuse, which is best, which can be taken."""

import numpy as np
import pytest

from treewright.reranking import Candidates, CandidatesBuilder, Strings


def columns(**changes):
    given = {
        "offsets": np.array([0, 2, 3]),
        "log_probability": np.array([-1.0, -2.0, -1.5]),
        "gold": np.array([0.5, 1.0, 1.0]),
        "feature_offsets": np.array([0, 2, 3, 3]),
        "features": np.array([0, 1, 2], np.int32),
    }
    return given | changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offsets": np.array([0, 2, 2, 3])}, "a list may not be empty"),
        ({"offsets": np.array([0, 2])}, "offsets must begin at 0 and end at 3"),
        ({"offsets": np.array([], np.int64)}, "offsets must begin at 0"),
        ({"feature_offsets": np.array([0, 2, 1, 3])}, "feature_offsets must increase"),
        ({"feature_offsets": np.array([0, 3])}, "feature_offsets must have 4 entries"),
        ({"features": np.array([1, 1, 2])}, "must be numbers in increasing order"),
        ({"features": np.array([-1, 1, 2])}, "must be numbers in increasing order"),
        ({"gold": np.array([0.5, np.nan, 1.0])}, "gold must be finite"),
        ({"log_probability": np.array([-np.inf, 0, 0])}, "log_probability must be finite"),
        ({"size": np.ones(2)}, "size must have 3 entries"),
        ({"values": np.ones(2)}, "values must have 3 entries"),
        ({"ids": Strings.of(["a"])}, "ids must have 3 entries"),
        ({"names": Strings.of(["a", "b"])}, "every feature needs a name"),
        ({"feature_count": 2}, "a number below the number of features"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Candidates(**columns(**changes))


def test_columns_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        Candidates(**columns()).gold[0] = 3


def test_the_best_has_the_highest_score_then_probability_then_comes_first():
    golds = [[1, 3, 3], [1, 2, 2], [5], [0, 0, 0]]
    log_probabilities = [[0, -2, -1], [0, -1, -1], [-9], [-3, -2, -2]]
    builder = CandidatesBuilder()
    for gold, log_probability in zip(golds, log_probabilities, strict=True):
        builder.add(log_probability, gold, [[]] * len(gold))
    candidates = builder.build()
    assert (candidates.oracle() - candidates.offsets[:-1]).tolist() == [2, 1, 0, 1]
    assert (candidates.base() - candidates.offsets[:-1]).tolist() == [0, 0, 0, 1]
    assert (candidates.best(-candidates.gold) - candidates.offsets[:-1]).tolist() == [0, 0, 0, 0]


def test_all_with_the_highest_score_are_best_or_one_of_them():
    builder = CandidatesBuilder()
    for gold, log_probability in (([1, 3, 3], [0, -2, -1]), ([5], [-9]), ([0, 0, 0], [-3, -2, -2])):
        builder.add(log_probability, gold, [[]] * len(gold))
    candidates = builder.build()
    assert candidates.is_best().tolist() == [False, True, True, True, True, True, True]
    assert np.flatnonzero(candidates.is_best("one")).tolist() == candidates.oracle().tolist() == [2, 3, 5]
    assert CandidatesBuilder().build().is_best().tolist() == []


def test_a_score_is_gold_times_size():
    builder = CandidatesBuilder()
    builder.add([0, 0], [0.5, 0.4], [[], []], size=[10, 20])
    assert builder.build().score.tolist() == [5.0, 8.0]
    assert builder.build().oracle().tolist() == [1]


def test_sentences_can_be_taken():
    builder = CandidatesBuilder()
    for i in range(4):
        builder.add([-i, -i - 0.5], [i, i + 0.5], [[f"f{i}", "all"], {"all": i + 1}], ids=[f"{i}a", f"{i}b"])
    taken = builder.build().take([3, 1])
    assert taken.gold.tolist() == [3, 3.5, 1, 1.5]
    assert list(taken.ids) == ["3a", "3b", "1a", "1b"]
    names = [
        [taken.names[k] for k in taken.features[a:b]]
        for a, b in np.c_[taken.feature_offsets, np.roll(taken.feature_offsets, -1)][:-1]
    ]
    assert [set(name) for name in names] == [{"f3", "all"}, {"all"}, {"f1", "all"}, {"all"}]
    assert taken.values.tolist().count(4.0) == 1
    assert taken.sentences == 2
