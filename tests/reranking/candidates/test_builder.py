"""Building candidates: cut-offs, frozen vocabularies, values."""

import pytest

from treewright.reranking import CandidatesBuilder, Strings


def test_a_feature_must_occur_in_enough_sentences_not_candidates():
    builder = CandidatesBuilder()
    builder.add([0, 0, 0], [0, 0, 0], [["rare", "common"], ["rare"], ["rare", "once"]])
    builder.add([0], [0], [["common"]])
    candidates = builder.build(cutoff=2)
    assert list(candidates.names) == ["common"]
    assert candidates.features.tolist() == [0, 0]
    assert candidates.feature_offsets.tolist() == [0, 1, 1, 1, 2]
    assert builder.build(cutoff=1).feature_count == 3
    assert builder.build(cutoff=3).feature_count == 0


def test_a_frozen_vocabulary_ignores_new_names():
    builder = CandidatesBuilder(Strings.of(["a", "b", "c"]))
    builder.add([0, 0], [0, 0], [["c", "new", "a", "c"], {"b": 1, "newer": 3}])
    candidates = builder.build(cutoff=5)
    assert list(candidates.names) == ["a", "b", "c"]
    assert candidates.features.tolist() == [0, 2, 1]
    assert candidates.values is None


def test_values_come_when_one_is_not_one():
    builder = CandidatesBuilder()
    builder.add([0, 0, 0], [0, 0, 0], [["a", "b"], {"c": 2.5, "a": 1.0, "zero": 0.0}, ["b", "b"]])
    candidates = builder.build()
    assert candidates.values.tolist() == [1, 1, 1, 2.5, 1]
    assert candidates.features.tolist() == [0, 1, 0, 2, 1]
    once = builder.build(cutoff=2)
    assert once.values.tolist() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [], []), "at least one candidate"),
        (([0], [0, 1], [[]]), "1 candidates need 1 entries of gold, not 2"),
        (([0], [0], [[], []]), "features"),
    ],
)
def test_a_builder_refuses_lists_that_do_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        CandidatesBuilder().add(*arguments)
