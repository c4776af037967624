"""Which tags a parser sees: those given, those predicted, and both in one sentence."""

import pytest

from treewright.errors import UsageError
from treewright.parsing.tags import tagged, taggings
from treewright.tagging.given import given_tags
from treewright.tagging.training import train_tagger
from treewright.treebank import Sentence

COLUMNS = ("upos", "xpos", "feats")


@pytest.fixture(scope="module")
def tagger(ewt):
    return train_tagger(ewt[:30], epochs=4)


def tags_of(sentence):
    return [list(getattr(sentence, column)) for column in COLUMNS]


def test_tags_are_predicted_unless_they_are_kept(ewt, tagger):
    changed = ewt[31].replace(upos=["X"] * len(ewt[31]))
    assert tags_of(tagged(changed, tagger, keep_tags=False)) == tags_of(tagger.tag(ewt[31]))
    assert tagged(changed, tagger, keep_tags=True) is changed
    assert tagged(changed, None, keep_tags=True) is changed


def test_kept_tags_leave_features_that_a_word_does_not_have(ewt, tagger):
    sentence = next(one for one in ewt[30:] if "_" in one.feats)
    assert tagged(sentence, tagger, keep_tags=True) is sentence


def test_words_without_a_tag_are_tagged(ewt, tagger):
    for sentence in ewt[30:]:
        half = {column: [*getattr(sentence, column)[::2]] for column in COLUMNS}
        columns = {column: ["_"] * len(sentence) for column in COLUMNS}
        for column in COLUMNS:
            columns[column][::2] = half[column]
        kept = tagged(sentence.replace(**columns), tagger, keep_tags=True)
        assert [[*getattr(kept, column)[::2]] for column in COLUMNS] == list(half.values())
        assert "_" not in kept.upos
        assert "_" not in kept.xpos


def test_completion_fills_in_features_too(ewt, tagger):
    bare = ewt[31].replace(feats=["_"] * len(ewt[31]))
    [one] = taggings(bare, tagger, given_tags(bare, blank_features=True))
    assert tags_of(one.sentence)[:2] == tags_of(bare)[:2]
    assert set(one.sentence.feats) > {"_"}
    assert tagged(bare, tagger, keep_tags=True) is bare


def test_several_taggings_keep_what_is_given(ewt, tagger):
    half = len(ewt[31]) // 2
    shown = ewt[31].replace(upos=[*ewt[31].upos[:half], *["_"] * (len(ewt[31]) - half)])
    found = taggings(shown, tagger, given_tags(shown, blank_features=True), 4)
    assert len(found) == 4
    assert found[0].log_probability < 0
    for one in found:
        assert list(one.sentence.upos[:half]) == list(ewt[31].upos[:half])
        assert list(one.sentence.xpos) == list(ewt[31].xpos)


def test_without_a_tagger_tags_must_be_given():
    with pytest.raises(UsageError, match="has no tagger"):
        taggings(Sentence.from_forms(["Go"]), None, None)
    given = Sentence.from_forms(["Go"], xpos=["VB"])
    assert taggings(given, None, given_tags(given, blank_features=True))[0].sentence is given
