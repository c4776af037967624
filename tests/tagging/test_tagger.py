"""Taggers: they learn, they keep columns consistent, they leave alone what they do not know."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from treewright.features import Lexicon, Weights
from treewright.learning import Perceptron
from treewright.tagging import ColumnFeatures, ColumnSettings, Tagger
from treewright.tagging.column_tagger import ColumnTagger
from treewright.tagging.training import TaggingProblem, train_tagger
from treewright.treebank import Sentence

COLUMNS = ("upos", "xpos", "feats")


def blank(sentences, *columns):
    return [s.replace(**{column: ("_",) * len(s) for column in columns}) for s in sentences]


@pytest.fixture(scope="module")
def tagger(ewt):
    return train_tagger(ewt[:30], epochs=6)


@pytest.mark.parametrize("language", ["ewt", "alksnis"])
@pytest.mark.parametrize("learner", [None, Perceptron()], ids=["mira", "perceptron"])
def test_a_small_treebank_is_learned_by_heart(language, learner, request):
    sentences = request.getfixturevalue(language)[:8]
    tagger = train_tagger(sentences, learner=learner, epochs=15)
    for sentence, bare in zip(sentences, blank(sentences, *COLUMNS), strict=True):
        tagged = tagger.tag(bare)
        for column in COLUMNS:
            assert list(getattr(tagged, column)) == list(getattr(sentence, column))


def test_the_tags_of_a_sentence_are_not_looked_at(ewt, tagger):
    for sentence, bare in zip(ewt[30:], blank(ewt[30:], *COLUMNS), strict=True):
        once, again = tagger.tag(bare), tagger.tag(sentence)
        assert [getattr(once, column) for column in COLUMNS] == [getattr(again, column) for column in COLUMNS]


def test_unseen_words_get_tags_that_were_seen_together(ewt, alksnis, tagger):
    seen = {tags for s in ewt[:30] for tags in zip(s.upos, s.xpos, s.feats, strict=True)}
    tagged = [tagger.tag(sentence) for sentence in ewt[30:] + alksnis]
    assert {tags for s in tagged for tags in zip(s.upos, s.xpos, s.feats, strict=True)} <= seen


def test_something_is_learned(ewt, tagger):
    pairs = [pair for s in ewt[30:] for pair in zip(s.upos, tagger.tag(s).upos, strict=True)]
    most_frequent = max(sum(gold == tag for gold, _ in pairs) for tag in {gold for gold, _ in pairs})
    assert sum(gold == found for gold, found in pairs) > 2 * most_frequent


@pytest.mark.parametrize("missing", [["xpos"], ["feats"], ["upos", "feats"], ["upos", "xpos", "feats"]])
def test_columns_that_a_treebank_does_not_have_are_left_alone(ewt, missing):
    tagger = train_tagger(blank(ewt[:10], *missing), epochs=2)
    assert tagger.names == [*(column.name for column in tagger.columns), "lemmas"]
    assert [column.name for column in tagger.columns] == [c for c in COLUMNS if c not in missing]
    tagged = tagger.tag(ewt[20])
    for column in missing:
        assert getattr(tagged, column) == getattr(ewt[20], column)


def test_everything_else_is_left_alone(ewt, tagger):
    for sentence in ewt:
        tagged = tagger.tag(sentence)
        for name in ("forms", "heads", "deprels", "deps", "misc", "comments", "asides", "layout"):
            assert getattr(tagged, name) is getattr(sentence, name)


def test_a_sentence_without_words_is_left_alone(tagger):
    empty = Sentence.from_forms([], comments=["# nothing"])
    assert tagger.tag(empty).comments == ["# nothing"]
    assert len(tagger.tag(empty)) == 0


def test_the_same_seed_gives_the_same_tagger(ewt):
    first, again, other = (train_tagger(ewt[:10], epochs=2, seed=seed) for seed in (1, 1, 2))
    for one, two in zip(first.columns, again.columns, strict=True):
        assert np.array_equal(one.weights.values, two.weights.values)
        assert one.weights.scale == two.weights.scale
    assert any(
        not np.array_equal(one.weights.values, two.weights.values)
        for one, two in zip(first.columns, other.columns, strict=True)
    )


def test_progress_goes_from_column_to_column(ewt):
    shares = []
    train_tagger(ewt[:5], epochs=2, on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(set(shares)) >= 7  # two epochs for each of three columns, and lemmas


def test_an_interruption_is_passed_on(ewt):
    def interrupt(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_tagger(ewt[:5], on_progress=interrupt)


def test_usual_tags_are_those_of_a_fair_share_of_occurrences():
    words = ["May"] * 30 + ["may"] * 9 + ["MAY", "once"]
    tags = ["PROPN"] * 30 + ["AUX"] * 9 + ["X", "NOUN"]
    settings = ColumnSettings.of([Sentence.from_forms(words, upos=tags)], "upos", [], 16)
    assert settings.usual == {"PROPN AUX": ["may"]}
    assert settings.tags == ["AUX", "NOUN", "PROPN", "X"]
    assert settings.candidates == {"": [0, 1, 2, 3]}


def test_candidates_are_the_tags_seen_with_the_given_ones():
    sentence = Sentence.from_forms(["a", "b", "c", "d"], upos=["V", "N", "V", "N"], xpos=["VB", "NN", "VBZ", "NN"])
    settings = ColumnSettings.of([sentence], "xpos", ["upos"], 16)
    assert settings.candidates == {"V": [1, 2], "N": [0]}
    features = ColumnFeatures(settings)
    hashed = features.hash(sentence.replace(upos=["N", "V", "?", "N"]))
    assert hashed.candidates.tolist() == [0, 1, 2, 0, 1, 2, 0]  # all of them where the given tag is new
    assert hashed.starts.tolist() == [0, 1, 3, 6, 7]
    assert features.tag_indices(sentence.replace(xpos=["VB", "?", "VBZ", "NN"])).tolist() == [1, -1, 2, 0]


def test_unknown_signs_have_the_tags_of_known_ones():
    words = ["a", "b", *".,;?", "%"] * 2 + ["§"]
    tags = ["N", "V", *["P"] * 4, "S"] * 2 + ["N"]
    treebank = Sentence.from_forms(words, upos=tags)
    features = ColumnFeatures(ColumnSettings.of([treebank], "upos", [], 16))

    def candidates(text, of=features):
        sentence = Sentence.from_forms(text.split(), upos=["N"] * len(text.split()))
        return [[of.tags[number] for number in numbers] for numbers in of.candidates(sentence)]

    every = ["N", "P", "S", "V"]
    assert candidates("a . « « 😀 §") == [every, every, ["P", "S"], ["P", "S"], ["P", "S"], ["P", "S"]]
    assert candidates("«a 1» c") == [every] * 3  # letters or digits
    assert [len(numbers) for numbers in features.seen(treebank)] == [4] * len(words)
    few = ColumnFeatures(ColumnSettings.of([Sentence.from_forms([*"a.a."], upos=["N", "P"] * 2)], "upos", [], 16))
    assert candidates("«", few) == [["N", "P"]]
    later = ColumnFeatures(ColumnSettings.of([treebank], "xpos", ["upos"], 16))
    assert candidates("«", later) == [["_"]]


def test_a_mistake_counts_wrong_tags_and_gives_their_margin(ewt):
    features = ColumnFeatures(ColumnSettings.of(ewt, "upos", [], 16))
    problem = TaggingProblem(ewt, features)
    rng = np.random.default_rng(1)
    weights = Weights(rng.normal(size=features.size).astype(np.float32))
    for index, sentence in enumerate(ewt[:10]):
        tags = ColumnTagger(features, weights).tag(sentence)
        found = problem.mistake(index, weights, 0.0)
        assert problem.words(index) == len(sentence)
        assert found.loss == sum(gold != tag for gold, tag in zip(sentence.upos, tags, strict=True))
        assert found.margin == pytest.approx(found.values @ weights.values[found.places], rel=1e-4)
        assert found.margin < 0


def test_more_tags_than_transitions_are_made_for():
    """With very many tags the transitions are simpler; it still learns."""
    forms = [f"w{i}" for i in range(100)]
    tags = [f"T{i:03}" for i in range(100)]
    sentences = [Sentence.from_forms(forms[i : i + 10], upos=tags[i : i + 10]) for i in range(0, 100, 10)]
    tagger = train_tagger(sentences, epochs=10)
    assert all(tagger.tag(sentence).upos == sentence.upos for sentence in sentences)
    [column] = tagger.columns
    assert column.features.hash(sentences[0]).transition.shape == (11, 1)


@pytest.mark.parametrize("k", [1, 3, 10_000])
def test_the_k_best_taggings_are_the_best_products_of_the_k_best_of_each_column(ewt, tagger, k):
    names = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc")
    sentence = ewt[31].replace(**{name: getattr(ewt[31], name)[:2] for name in names})
    products = [(0.0, sentence)]
    for column in tagger.columns:
        products = [
            (product + log, one.replace(**{column.name: tags}))
            for product, one in products
            for tags, log in column.k_best(one, k)
        ]
    logs = sorted((product for product, _ in products), reverse=True)
    found = [one.log_probability for one in tagger.k_best(sentence, k)]
    assert found == pytest.approx(logs[:k])
    if len(found) < k:  # these are all
        assert np.exp(found).sum() == pytest.approx(1, abs=1e-4)


def test_the_k_best_taggings_differ_and_begin_with_the_best(ewt, tagger):
    for sentence in ewt[30:]:
        best = tagger.k_best(sentence, 4)
        tags = [tuple(tuple(getattr(one.sentence, column)) for column in COLUMNS) for one in best]
        assert len(set(tags)) == 4
        logs = [one.log_probability for one in best]
        assert logs == sorted(logs, reverse=True)
        assert logs[0] <= 0


def test_a_sentence_without_words_has_one_tagging(tagger):
    [only] = tagger.k_best(Sentence.from_forms([]), 3)
    assert only.log_probability == 0
    assert tagger.confidence(only.sentence) == {}


def test_the_temperature_is_kept_in_the_file_and_1_in_old_ones(ewt, tagger):
    heated = Tagger([replace(column, temperature=2.5) for column in tagger.columns])
    manifest, arrays = heated.describe()
    columns = manifest["columns"]
    again = Tagger.restore(manifest, arrays, Lexicon())
    assert [column.temperature for column in again.columns] == [2.5, 2.5, 2.5]
    assert again.tag(ewt[31]).feats == tagger.tag(ewt[31]).feats
    old = [{name: value for name, value in about.items() if name != "temperature"} for about in columns]
    assert [column.temperature for column in Tagger.restore(old, arrays, Lexicon()).columns] == [1, 1, 1]


def test_lemmas_are_found_unless_the_treebank_has_none(ewt, tagger):
    assert tagger.names == ["upos", "xpos", "feats", "lemmas"]
    assert train_tagger(blank(ewt[:5], "lemmas"), epochs=1).names == ["upos", "xpos", "feats"]
    assert train_tagger(ewt[:5], epochs=1, lemmas=False).names == ["upos", "xpos", "feats"]
    pairs = [pair for s in ewt[30:] for pair in zip(s.lemmas, tagger.tag(s).lemmas, strict=True)]
    assert sum(gold == found for gold, found in pairs) > 0.7 * len(pairs)


def test_lemmas_change_no_tags_and_no_probabilities(ewt, tagger):
    alone = Tagger(tagger.columns)
    for sentence in ewt[30:]:
        tagged = tagger.tag(sentence)
        bare = alone.tag(sentence)
        assert [getattr(tagged, column) for column in COLUMNS] == [getattr(bare, column) for column in COLUMNS]
        best, others = tagger.k_best(sentence, 3), alone.k_best(sentence, 3)
        assert [one.log_probability for one in best] == [one.log_probability for one in others]
        assert set(tagger.confidence(tagged)) == set(COLUMNS)


def test_lemmas_follow_the_tags_of_each_tagging(tagger):
    for one in tagger.k_best(Sentence.from_forms(["I", "saw", "it"]), 8):
        assert one.sentence.lemmas == tagger.lemmatizer.lemmatize(one.sentence).lemmas


def test_the_file_keeps_lemmas_and_old_ones_have_none(ewt, tagger):
    manifest, arrays = tagger.describe()
    again = Tagger.restore(json.loads(json.dumps(manifest)), arrays, Lexicon())
    assert all(again.tag(sentence).lemmas == tagger.tag(sentence).lemmas for sentence in ewt[30:])
    old = Tagger.restore(manifest["columns"], arrays, Lexicon())
    assert old.names == ["upos", "xpos", "feats"]
    assert old.tag(ewt[31]).upos == tagger.tag(ewt[31]).upos


def test_columns_alone_come_without_lemmas_and_temperatures_keep_them(tagger):
    assert tagger.of_columns("upos").names == ["upos"]
    assert tagger.calibrated({"upos": 2.0}).names == tagger.names


@pytest.mark.parametrize("language", ["ewt", "alksnis"])
def test_one_pass_finds_what_the_columns_find_one_after_the_other(language, request):
    sentences = request.getfixturevalue(language)
    known = Sentence.from_forms([*".,;:!?"] * 2, upos=["PUNCT"] * 12, xpos=["."] * 12)
    tagger = train_tagger([*sentences[:12], known], epochs=3, lemmas=False)
    signs = Sentence.from_forms(["«", *sentences[0].forms, "»", "😀"])
    assert tagger.columns[0].features.unknown_signs(signs) == [0, len(signs) - 2, len(signs) - 1]
    for sentence in [*sentences, signs]:
        one_by_one = sentence
        for column in tagger.columns:
            one_by_one = one_by_one.replace(**{column.name: column.tag(one_by_one)})
        found = tagger.tag(sentence)
        for column in COLUMNS:
            assert list(getattr(found, column)) == list(getattr(one_by_one, column))


def test_one_pass_considers_all_tags_after_one_that_was_not_seen(ewt):
    """The column of UPOS may find what the column of XPOS has not seen, as when it comes from another treebank."""
    others = [s.replace(upos=["X", *["Y"] * (len(s) - 1)], xpos=["_"] * len(s)) for s in ewt[:4]]
    first = train_tagger(others, epochs=1, lemmas=False).of_columns("upos")
    second = train_tagger(ewt[:12], epochs=3, lemmas=False).of_columns("xpos")
    tagger = Tagger([*first.columns, *second.columns])
    for sentence in ewt[:12]:
        tags = first.tag(sentence).upos
        assert set(tags) <= {"X", "Y"}
        assert list(tagger.tag(sentence).xpos) == second.columns[0].tag(sentence.replace(upos=tags))


def test_a_tagger_that_was_sent_to_a_worker_finds_the_same(ewt, tagger):
    before = [tagger.tag(sentence) for sentence in ewt[:5]]
    copy = pickle.loads(pickle.dumps(tagger))
    assert [one.xpos for one in map(copy.tag, ewt[:5])] == [one.xpos for one in before]


def test_sentences_for_which_there_is_no_room_are_hashed_again(ewt, monkeypatch):
    kept = train_tagger(ewt[:10], epochs=3, lemmas=False)
    monkeypatch.setattr("treewright.learning.kept.ROOM", 20_000)  # that of a few sentences
    for one, other in zip(kept.columns, train_tagger(ewt[:10], epochs=3, lemmas=False).columns, strict=True):
        assert np.array_equal(one.weights.values, other.weights.values)
