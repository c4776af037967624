"""Lemmatizers know the words of their treebank, and do to others what is usual with such tags and endings."""

import json
import threading

import numpy as np
import pytest

from treewright.learning import Perceptron
from treewright.tagging.lemmas import Lemmatizer
from treewright.tagging.lemmas.training import has_lemmas, train_lemmatizer
from treewright.treebank import Sentence

GIVEN = ("upos", "xpos", "feats")


def bare(sentence):
    return sentence.replace(lemmas=("_",) * len(sentence))


def sentence(forms, lemmas, upos):
    return Sentence.from_forms(forms.split(), lemmas=lemmas.split(), upos=upos.split())


PLURALS = [
    sentence("Cats chase dogs", "cat chase dog", "NOUN VERB NOUN"),
    sentence("birds chased cars", "bird chase car", "NOUN VERB NOUN"),
    sentence("tables baked walls", "table bake wall", "NOUN VERB NOUN"),
    sentence("Paris is nice", "Paris be nice", "PROPN AUX ADJ"),
    sentence("London and Athens", "London and Athens", "PROPN CCONJ PROPN"),
    sentence("saw saw saw saws", "saw see see saw", "NOUN VERB VERB NOUN"),
]


@pytest.fixture(scope="module")
def lemmatizer():
    return train_lemmatizer(PLURALS, ["upos"])


@pytest.mark.parametrize("language", ["ewt", "alksnis"])
@pytest.mark.parametrize("learner", [None, Perceptron()], ids=["mira", "perceptron"])
def test_the_words_of_a_treebank_are_known(language, learner, request):
    sentences = request.getfixturevalue(language)
    lemmatizer = train_lemmatizer(sentences, GIVEN, learner=learner, epochs=2)
    pairs = [pair for s in sentences for pair in zip(s.lemmas, lemmatizer.lemmatize(bare(s)).lemmas, strict=True)]
    assert sum(gold == found for gold, found in pairs) > 0.99 * len(pairs)


def test_unknown_words_are_treated_like_those_with_such_tags_and_endings(lemmatizer):
    found = lemmatizer.lemmatize(Sentence.from_forms(["Stones", "Stones", "stones"], upos=["NOUN", "PROPN", "NOUN"]))
    assert found.lemmas == ["stone", "Stones", "stone"]


def test_tags_decide(lemmatizer):
    tagged = Sentence.from_forms(["saw", "saw"], upos=["NOUN", "VERB"])
    assert lemmatizer.lemmatize(tagged).lemmas == ["saw", "see"]


def test_lemmas_of_the_sentence_are_not_looked_at(ewt):
    lemmatizer = train_lemmatizer(ewt[:20], GIVEN, epochs=2)
    for one in ewt[20:]:
        assert lemmatizer.lemmatize(one).lemmas == lemmatizer.lemmatize(bare(one)).lemmas


def test_more_is_right_than_forms_in_lower_case(alksnis):
    lemmatizer = train_lemmatizer(alksnis[:-15], GIVEN)
    gold = [lemma for s in alksnis[-15:] for lemma in s.lemmas]
    found = [lemma for s in alksnis[-15:] for lemma in lemmatizer.lemmatize(s).lemmas]
    forms = [form.lower() for s in alksnis[-15:] for form in s.forms]
    right = sum(a == b for a, b in zip(gold, found, strict=True))
    assert right > 1.2 * sum(a == b for a, b in zip(gold, forms, strict=True))


def test_given_lemmas_stay(lemmatizer):
    tagged = Sentence.from_forms(["Cats", "Cats"], upos=["NOUN", "NOUN"], lemmas=["_", "own"])
    assert lemmatizer.lemmatize(tagged, np.array([False, True])).lemmas == ["cat", "own"]
    assert lemmatizer.lemmatize(tagged, np.array([True, True])).lemmas == ["_", "own"]


def test_a_word_with_its_tags_has_one_lemma_in_whatever_company(ewt):
    lemmatizer = train_lemmatizer(ewt[:20], GIVEN, epochs=2)
    alone = {}
    for one in ewt[20:]:
        for i in range(len(one)):
            word = Sentence.from_forms(one.forms[i : i + 1], **{c: getattr(one, c)[i : i + 1] for c in GIVEN})
            alone[one.forms[i], one.upos[i], one.xpos[i], one.feats[i]] = lemmatizer.lemmatize(word).lemmas[0]
    lemmatizer = train_lemmatizer(ewt[:20], GIVEN, epochs=2)  # which remembers nothing
    for one in ewt[20:]:
        words = zip(one.forms, one.upos, one.xpos, one.feats, strict=True)
        assert lemmatizer.lemmatize(one).lemmas == [alone[word] for word in words]


@pytest.mark.parametrize("address", ["https://a.org/stones", "www.stones", "two.stones@bones", "ftp://Cars"])
def test_addresses_are_their_own_lemmas(lemmatizer, address):
    found = lemmatizer.lemmatize(Sentence.from_forms([address, "stones"], upos=["NOUN", "NOUN"]))
    assert found.lemmas == [address, "stone"]


@pytest.mark.parametrize("form", ["", "_", "x", "Q" * 2_000, "İ", "\U0001f600", "ﬃ", "\udc80", "s", "1999"])
@pytest.mark.parametrize("tag", ["NOUN", "PROPN", "NEW", "_"])
def test_odd_words_have_lemmas(lemmatizer, form, tag):
    [lemma] = lemmatizer.lemmatize(Sentence.from_forms([form], upos=[tag])).lemmas
    assert isinstance(lemma, str)
    assert bool(lemma) == bool(form)


def test_refusals_are_learned():
    noisy = [sentence(f"w{i} .", f"w{i} _", "X PUNCT") for i in range(4)]
    noisy += [sentence(f"w{i} !", f"w{i} _", "X PUNCT") for i in range(4)]
    lemmatizer = train_lemmatizer(noisy, ["upos"])
    found = lemmatizer.lemmatize(Sentence.from_forms(["?", ".", "w9"], upos=["PUNCT", "PUNCT", "X"]))
    assert found.lemmas == ["_", "_", "w9"]


def test_a_treebank_has_lemmas_if_two_are_not_blank():
    assert has_lemmas(PLURALS)
    assert not has_lemmas([sentence("a b", "_ _", "X X")])
    assert not has_lemmas([sentence("a b", "_ b", "X X")])


def test_without_tags_the_word_alone_decides():
    lemmatizer = train_lemmatizer(PLURALS, [])
    assert lemmatizer.lemmatize(Sentence.from_forms(["dogs", "saw", "Stones"])).lemmas[:2] == ["dog", "see"]


def test_a_word_that_is_often_tagged_wrongly_keeps_its_lemma():
    gold = [sentence(f"Wolf {name}", f"Wolf {name}", "PROPN X") for name in "abc"]
    wrong = [one.replace(upos=["NOUN", "X"]) for one in gold]
    found = train_lemmatizer(gold, ["upos"], tagged=wrong).lemmatize(wrong[0])
    assert found.lemmas == ["Wolf", "a"]


def test_the_description_is_plain_and_gives_the_same_lemmas(ewt):
    lemmatizer = train_lemmatizer(ewt[:20], GIVEN, epochs=2)
    manifest, arrays = lemmatizer.describe()
    again = Lemmatizer.restore(json.loads(json.dumps(manifest)), arrays, None)
    for one in ewt[20:]:
        assert again.lemmatize(one).lemmas == lemmatizer.lemmatize(one).lemmas


@pytest.mark.parametrize(
    "damage",
    [
        lambda settings: settings["scripts"].pop(),
        lambda settings: settings["scripts"].__setitem__(0, "x\t\t"),
        lambda settings: settings["endings"]["NOUN"].__setitem__("s", [10_000]),
        lambda settings: settings["endings"]["NOUN"].__setitem__("s", [-1]),
        lambda settings: settings.__setitem__("bits", 12),
    ],
)
def test_damaged_descriptions_are_refused(lemmatizer, damage):
    manifest, arrays = lemmatizer.describe()
    manifest = json.loads(json.dumps(manifest))
    damage(manifest["settings"])
    with pytest.raises((ValueError, KeyError)):
        Lemmatizer.restore(manifest, arrays, None)


def test_the_same_seed_gives_the_same_lemmatizer(ewt):
    first, again = (train_lemmatizer(ewt[:10], GIVEN, epochs=2, seed=3) for _ in range(2))
    assert np.array_equal(first.weights.values, again.weights.values)
    assert first.features.settings == again.features.settings


def test_an_interruption_is_passed_on(ewt):
    def interrupt(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_lemmatizer(ewt[:5], GIVEN, on_progress=interrupt)


def test_threads_share_a_lemmatizer(ewt, monkeypatch):
    monkeypatch.setattr("treewright.tagging.lemmas.lemmatizer.CACHE_LIMIT", 5)
    lemmatizer = train_lemmatizer(ewt[:20], GIVEN, epochs=1)
    wanted = [lemmatizer.lemmatize(one).lemmas for one in ewt]
    found = [[] for _ in range(3)]

    def work(own):
        own += [lemmatizer.lemmatize(one).lemmas for one in ewt]

    threads = [threading.Thread(target=work, args=(own,)) for own in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 3
