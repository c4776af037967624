"""Attributes, templates, lexicon."""

import numpy as np
import pytest

from treewright.features import Lexicon
from treewright.features.arc_templates import INSTEAD
from treewright.features.attributes import ATTRIBUTES, PAD, AttributeReader, informative_attributes
from treewright.features.templates import hash_side, parse_templates, usable_templates
from treewright.treebank import Sentence


def hashed(sentence, *templates, salt="salt"):
    names = ["word", "upos"]
    [side] = parse_templates(templates, names, salt)
    return hash_side(AttributeReader(names).read(sentence), side)


SENTENCE = Sentence.from_forms(["the", "cat", "the", "cat"], upos=["DET", "NOUN", "DET", "X"])


def test_a_template_sees_its_attributes_and_nothing_else():
    word, both = hashed(SENTENCE, "word", "word upos").T
    assert word[1] == word[3]
    assert word[2] == word[4]
    assert word[1] != word[2]
    assert both[1] == both[3]
    assert both[2] != both[4]


def test_offsets_look_left_and_right():
    before, after, far = hashed(SENTENCE, "word-1", "upos+1", "word+2").T
    assert before[2] == before[4]  # after "the"
    assert before[2] != before[3]
    assert after[1] != after[3]  # before NOUN, before X
    assert far[1] != far[2]
    assert far[3] == far[4]  # both look beyond the end


def test_beyond_the_ends_is_not_the_root():
    rows = AttributeReader(["word"]).read(SENTENCE)
    before, root, after = rows[0, 0], rows[PAD, 0], rows[-1, 0]
    assert len({int(before), int(root), int(after)}) == 3


def test_the_order_of_attributes_counts():
    same = Sentence.from_forms(["x", "y", "x"])
    forward, backward = hashed(same, "word word+1", "word+1 word").T
    assert len({int(h) for h in (*forward[1:3], *backward[1:3])}) == 4


def test_lists_of_templates_are_kept_apart_by_their_salt():
    assert not np.intersect1d(hashed(SENTENCE, "word", salt="arc"), hashed(SENTENCE, "word", salt="label")).size


def test_sides_come_in_order():
    first, second = parse_templates(["word | upos+1", "upos | word-2"], ["word", "upos"], "")
    assert first.attributes[:, 0].tolist() == [0, 1]
    assert second.attributes[:, 0].tolist() == [1, 0]
    assert second.offsets[:, 0].tolist() == [1, -2]


@pytest.mark.parametrize("template", ["word-", "word*2", "Word", "word+-1", "word+12", "word | +1"])
def test_malformed_fields_are_named(template):
    with pytest.raises(ValueError, match="is not an attribute with an offset such as upos-1"):
        parse_templates([template], ["word"], "")


@pytest.mark.parametrize("template", ["word+3", "word-3", "word-1 word word+1 word+2 word-2"])
def test_templates_that_look_too_far_are_refused(template):
    with pytest.raises(ValueError, match="looks too far or names too many attributes"):
        parse_templates([template], ["word"], "")


@pytest.mark.parametrize(
    ("templates", "count"), [(["word | word", "word"], 0), (["word"], 2), (["word | word | word"], 2)]
)
def test_templates_have_as_many_sides_as_a_part_has_words(templates, count):
    with pytest.raises(ValueError, match="sides instead of 2"):
        parse_templates(templates, ["word"], "", count)


def test_four_attributes_are_not_too_many():
    [side] = parse_templates(["word-1 word word+1 word+2"], ["word"], "")
    assert side.attributes[0].tolist() == [0, 0, 0, 0]


def test_an_unknown_attribute_is_refused():
    with pytest.raises(ValueError, match="upos"):
        parse_templates(["upos"], ["word"], "")


# Usable templates ------------------------------------------------------------------------------------------------


def test_what_is_missing_is_replaced_or_dropped():
    templates = ["xpos | xpos-1 xpos", "upos | upos", "xpos | xpos", "lemma feats", "lemma", "word"]
    assert usable_templates(templates, {"upos", "word", "lower"}, INSTEAD) == [
        "upos | upos-1 upos",
        "upos | upos",
        "lower",
        "word",
    ]


def test_what_is_there_is_not_replaced():
    assert usable_templates(["xpos upos | lemma"], {"xpos", "upos", "lemma", "lower"}, INSTEAD) == ["xpos upos | lemma"]


def test_only_whole_names_are_replaced():
    assert usable_templates(["suffix3 suffix"], {"suffix3", "other"}, [("suffix", "other")]) == ["suffix3 other"]


def test_without_any_tag_neither_stands_in_for_the_other():
    assert usable_templates(["xpos", "upos | upos", "word"], {"word"}, INSTEAD) == ["word"]


def test_informative_attributes_are_those_with_two_values():
    rich = Sentence.from_forms(["Ab", "cd"], upos=["X", "Y"], feats=["Case=Nom", "Case=Nom|Foo=1"], lemmas=["a", "a"])
    names = informative_attributes([rich])
    assert {"word", "upos", "feats", "shape", "suffix1"} <= names
    assert not {"xpos", "lemma", "case", "agreement"} & names


# Attributes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "view"),
    [
        ("lower", "Ab12", "ab00"),
        ("shape", "McDonald's", "AaAa'a"),
        ("shape", "2,000-fold", "0,0-a"),
        ("shape", "東京", "a"),
        ("prefix2", "Ab", "ab"),
        ("prefix3", "Ab", "ab"),
        ("suffix2", "aBC", "bc"),
        ("case", "Case=Nom|Number=Sing|VerbForm=Fin", "Case=Nom|VerbForm=Fin"),
        ("agreement", "Case=Nom|Mood=Ind|Number=Sing", "Case=Nom|Number=Sing"),
        ("case", "_", ""),
    ],
)
def test_views(name, value, view):
    assert ATTRIBUTES[name][1](value) == view


def test_attributes_of_the_same_text_differ_by_name():
    row = AttributeReader(["word", "lower", "lemma"]).read(Sentence.from_forms(["a"], lemmas=["a"]))[PAD + 1]
    assert len(set(row.tolist())) == 3


def test_the_memory_of_values_is_bounded(monkeypatch):
    monkeypatch.setattr("treewright.features.attributes.CACHE_LIMIT", 3)
    reader = AttributeReader(["word"])
    words = Sentence.from_forms([f"w{i % 7}" for i in range(50)])
    assert np.array_equal(reader.read(words), AttributeReader(["word"]).read(words))
    assert max(len(rows) for _, _, rows in reader._columns) <= 4


def test_odd_text_is_hashed():
    rows = AttributeReader(sorted(ATTRIBUTES)).read(Sentence.from_forms(["\ud800", "a b", "\U0001f333", "İ"]))
    assert len({int(row[sorted(ATTRIBUTES).index("word")]) for row in rows[PAD + 1 : -PAD]}) == 4


# Lexicon ------------------------------------------------------------------------------------------------------


def test_words_seen_twice_are_known():
    sentences = [Sentence.from_forms(["a", "b"]), Sentence.from_forms(["a", "c", "B"])]
    lexicon = Lexicon.of(sentences)
    assert [form in lexicon for form in "abcB"] == [True, False, False, False]
    assert len(lexicon) == 1


def test_unknown_words_with_the_same_shape_and_ending_are_alike():
    lexicon = Lexicon.of([Sentence.from_forms(["known", "known"])])
    reader = AttributeReader(["word"], lexicon.attributes)
    rows = reader.read(Sentence.from_forms(["Sorting", "Parsing", "parsing", "known", "blown"]))[PAD + 1 :, 0]
    assert rows[0] == rows[1]
    assert rows[1] != rows[2]
    assert rows[3] != rows[4]


def test_a_lexicon_is_its_hashes():
    lexicon = Lexicon.of([Sentence.from_forms(["x", "y", "z", "x", "y", "z"])])
    again = Lexicon(lexicon.known[::-1])
    assert np.array_equal(again.known, lexicon.known)
    assert all(form in again for form in "xyz")
    assert "w" not in again
