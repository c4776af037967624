"""Parsers: what goes in, what comes out, and what is refused."""

import itertools
import json

import numpy as np
import pytest

import treewright
from treewright.dependency.parser import Parser
from treewright.errors import ModelError, UsageError
from treewright.model.container import load_model, save_model
from treewright.treebank import Sentence, format_sentence

TAGS = ("upos", "xpos", "feats")


def texts(sentences):
    return [format_sentence(sentence) for sentence in sentences]


@pytest.fixture(scope="module")
def saved(text_parser, tmp_path_factory):
    path = tmp_path_factory.mktemp("parser") / "tiny.tw"
    text_parser.save(path)
    return path


def test_a_model_parses_after_saving_and_opening_as_before(ewt, alksnis, text_parser, gold_parser, saved, tmp_path):
    opened = Parser.open(saved)
    sentences = ewt + alksnis
    assert texts(opened.parse_all(sentences, threads=1)) == texts(text_parser.parse_all(sentences, threads=1))
    assert opened.info == json.loads(json.dumps(text_parser.info))
    assert opened.trees == text_parser.trees
    gold_parser.save(tmp_path / "gold.tw")
    opened = Parser.open(tmp_path / "gold.tw")
    assert opened.tagger is None
    before, after = (parser.parse_all(ewt, keep_tags=True, threads=1) for parser in (gold_parser, opened))
    assert texts(before) == texts(after)


def test_scores_are_the_same_bit_for_bit_after_opening(ewt, text_parser, saved):
    opened = Parser.open(saved)
    for sentence in ewt[:5]:
        one, two = (
            p.scorer.features.score(p.scorer.features.hash(sentence), p.scorer.weights) for p in (text_parser, opened)
        )
        assert one.arc.tobytes() == two.arc.tobytes()
        assert one.label.tobytes() == two.label.tobytes()


def test_saving_an_opened_model_gives_the_same_file(saved, tmp_path):
    Parser.open(saved).save(tmp_path / "again.tw")
    assert (tmp_path / "again.tw").read_bytes() == saved.read_bytes()


def test_something_is_learned(ewt, gold_parser):
    parsed = gold_parser.parse_all(ewt[:30], keep_tags=True, threads=1)
    pairs = [
        pair for gold, found in zip(ewt, parsed, strict=False) for pair in zip(gold.heads, found.heads, strict=True)
    ]
    assert np.mean([gold == found for gold, found in pairs]) > 0.9


@pytest.mark.parametrize("keep_tags", [False, True])
def test_the_result_does_not_depend_on_threads(ewt, text_parser, keep_tags):
    sentences = [*ewt, *ewt, *ewt]  # several batches
    one, two, three = (
        texts(text_parser.parse_all(sentences, keep_tags=keep_tags, threads=threads)) for threads in (1, 2, 3)
    )
    assert one == two == three
    assert len(one) == len(sentences)
    assert [s.forms for s in text_parser.parse_all(sentences, threads=3)] == [s.forms for s in sentences]


@pytest.mark.parametrize("threads", [1, 2])
def test_sentences_are_streamed(ewt, text_parser, threads):
    taken = []

    def endless():
        for sentence in itertools.cycle(ewt):
            taken.append(None)
            yield sentence

    stream = text_parser.parse_all(endless(), threads=threads)
    first = [next(stream) for _ in range(3)]
    stream.close()
    assert [s.forms for s in first] == [s.forms for s in ewt[:3]]
    assert len(taken) <= 32 * (2 * threads + 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_a_batch_is_raised(ewt, gold_parser, threads):
    with pytest.raises(UsageError, match="has no tagger"):
        list(gold_parser.parse_all(ewt, threads=threads))


# What goes in ----------------------------------------------------------------------------------------------------


def test_text_is_split_into_sentences_and_words(text_parser):
    first, second = text_parser.parse("The dog sleeps. It dreams.")
    assert first.forms == ["The", "dog", "sleeps", "."]
    assert second.forms == ["It", "dreams", "."]
    assert (first.heads == 0).sum() == 1
    assert "_" not in first.upos
    assert "_" not in first.deprels


def test_words_are_one_sentence(text_parser):
    words = ["A", "sentence", ".", "Two", "of", "them"]
    [from_words] = text_parser.parse(words)
    [from_tuple] = text_parser.parse(tuple(words))
    [from_sentence] = text_parser.parse(Sentence.from_forms(words))
    assert from_words.forms == words
    assert format_sentence(from_words) == format_sentence(from_tuple) == format_sentence(from_sentence)


@pytest.mark.parametrize("nothing", ["", "  \n\n\t ", [], ()])
def test_nothing_gives_nothing(text_parser, nothing):
    assert text_parser.parse(nothing) == []


def test_a_sentence_without_words_passes_through(text_parser, gold_parser):
    empty = Sentence.from_forms([], comments=["# only a comment"])
    for parser in (text_parser, gold_parser):
        assert parser.parse(empty) == [empty]
        assert list(parser.parse_all([empty], threads=2)) == [empty]


def test_one_word(text_parser):
    [sentence] = text_parser.parse(["Yes"])
    assert sentence.heads.tolist() == [0]


def test_a_sentence_that_is_too_long_is_refused(text_parser):
    with pytest.raises(UsageError, match=r"1,001 words is too long to parse \(the limit is 1,000\)"):
        text_parser.parse(["word"] * (Parser.MAX_WORDS + 1))


def test_a_model_without_a_tagger_needs_tags(ewt, gold_parser):
    for text in ("Some text.", ["Some", "words"], ewt[0]):
        with pytest.raises(UsageError, match="this model has no tagger"):
            gold_parser.parse(text)
    assert len(gold_parser.parse(ewt[0], keep_tags=True)) == 1


def test_given_tags_are_used_when_asked_for(ewt, text_parser):
    kept = [text_parser.parse_sentence(s, keep_tags=True) for s in ewt]
    tagged = [text_parser.parse_sentence(s) for s in ewt]
    for gold, sentence in zip(ewt, kept, strict=True):
        assert [getattr(sentence, name) for name in TAGS] == [getattr(gold, name) for name in TAGS]
    assert any(one.upos != two.upos for one, two in zip(kept, tagged, strict=True))
    assert any(one.heads.tolist() != two.heads.tolist() for one, two in zip(kept, tagged, strict=True))
    noun = Sentence.from_forms(["will", "run"], upos=["NOUN", "NOUN"], xpos=["NN", "NN"])
    assert text_parser.parse(noun, keep_tags=True)[0].upos == ["NOUN", "NOUN"]


def test_only_lemmas_tags_heads_and_relations_change(ewt, text_parser):
    assert any(s.asides for s in ewt)
    for sentence, parsed in zip(ewt, text_parser.parse_all(ewt, threads=2), strict=True):
        before, after = format_sentence(sentence).split("\n"), format_sentence(parsed).split("\n")
        for old, new in zip(before, after, strict=True):
            if old.partition("\t")[0].isdigit():
                old_fields, new_fields = old.split("\t"), new.split("\t")
                del old_fields[2:8], new_fields[2:8]
                assert new_fields == old_fields  # ID, FORM, DEPS, MISC
            else:
                assert new == old  # comments, multiword tokens, empty nodes


def test_the_input_is_not_changed(ewt, text_parser):
    before = texts(ewt)
    list(text_parser.parse_all(ewt, threads=2))
    assert texts(ewt) == before


# What is refused -------------------------------------------------------------------------------------------------


def refuse(path, match):
    with pytest.raises(ModelError, match=match) as caught:
        Parser.open(path)
    assert str(caught.value).startswith((f"{path}: ", f"{path} is "))
    assert "\n" not in str(caught.value)


def change(path, target, edit):
    """Write a sound file with other content."""
    manifest, arrays = load_model(path)
    arrays = dict(arrays)
    edit(manifest, arrays)
    save_model(target, manifest, arrays)
    return target


def test_a_model_of_another_kind(tmp_path, saved):
    path = change(saved, tmp_path / "m.tw", lambda manifest, arrays: manifest.update(kind="tagger"))
    refuse(path, r"a model of another kind \('tagger'\)")
    save_model(path, {}, {})
    refuse(path, "a model of another kind")


@pytest.mark.parametrize("name", ["weights", "tagger.upos", "tagger.feats"])
@pytest.mark.parametrize("edit", [lambda a: a[:-1], lambda a: a.astype(np.float32), lambda a: a.reshape(1, -1)])
def test_weights_that_do_not_fit(tmp_path, saved, name, edit):
    path = change(saved, tmp_path / "m.tw", lambda manifest, arrays: arrays.update({name: edit(arrays[name])}))
    refuse(path, "its weights do not fit its features")


@pytest.mark.parametrize(
    "edit",
    [
        lambda manifest, arrays: arrays.pop("vocabulary"),
        lambda manifest, arrays: arrays.pop("weights"),
        lambda manifest, arrays: arrays.pop("tagger.xpos"),
        lambda manifest, arrays: manifest.pop("trees"),
        lambda manifest, arrays: manifest.pop("tagger"),
        lambda manifest, arrays: manifest.update(info=None),
        lambda manifest, arrays: manifest.update(scale="large"),
        lambda manifest, arrays: manifest["features"].update(unknown=1),
        lambda manifest, arrays: manifest["features"].pop("labels"),
        lambda manifest, arrays: manifest["features"].update(arc_pair=["no such | attribute"]),
        lambda manifest, arrays: manifest["features"].update(arc_bits=-3),
        lambda manifest, arrays: manifest["trees"].update(factorization="none"),
        lambda manifest, arrays: manifest["trees"].update(factorization="fourth-order"),
        lambda manifest, arrays: manifest["tagger"]["columns"][0].pop("settings"),
        lambda manifest, arrays: manifest["tagger"]["lemmas"]["settings"].update(scripts=["x"]),
        lambda manifest, arrays: arrays.pop("tagger.lemmas.words.forms"),
    ],
)
def test_content_that_is_not_that_of_a_parser(tmp_path, saved, edit):
    refuse(change(saved, tmp_path / "m.tw", edit), "corrupted")


# Models by name --------------------------------------------------------------------------------------------------


def test_models_are_loaded_by_path(saved, text_parser):
    for path in (saved, str(saved)):
        assert treewright.load(path).info["name"] == "tiny"


def test_an_unknown_model_is_named(tmp_path):
    for name in ("no-such-model", tmp_path / "none.tw", tmp_path):
        with pytest.raises(UsageError, match="there is no model") as caught:
            treewright.load(name)
        assert str(name) in str(caught.value)
