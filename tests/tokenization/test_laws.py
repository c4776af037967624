"""What holds for every text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright.tokenization
from treewright.tokenization import (
    sentence_spans,
    split_sentences,
    tokenize,
    tokenize_stream,
    tokenize_words,
)
from treewright.tokenization.characters import SPACE

LANGUAGES = ["en", "fr", "pt", "es", "de", "fi", "gd", "ja", "zh", "xx"]
BLANK = re.compile(f"[{SPACE}]")

SNIPPETS = (
    "don't|U.S.|http://a.b/c|a@b.c|l'|-|...|'|’s|:)|1,000|5pm| |\n|\n\n|。|日本語|ひらがな|カタカナ|👩‍👩‍👧"
    "|e\u0301|\u200f|\ud800|\x00|(|\"|.|Mr.|-il|s'|A"
)
pieces = st.sampled_from(SNIPPETS.split("|"))
texts = st.one_of(st.text(st.characters(codec=None, exclude_categories=())), st.lists(pieces, max_size=30).map("".join))
languages = st.sampled_from(LANGUAGES)


@given(texts, languages)
def test_tokens_tile_the_text(text, language):
    position = 0
    for token in tokenize_words(text, language):
        assert BLANK.sub("", text[position : token.start]) == ""
        assert position <= token.start < token.end
        assert not BLANK.search(text[token.start : token.end])
        assert all(token.words)
        position = token.end
    assert BLANK.sub("", text[position:]) == ""


@given(texts, languages)
def test_single_words_are_written_as_in_the_text(text, language):
    for token in tokenize_words(text, language):
        if not token.is_multiword:
            assert token.words == (text[token.start : token.end],)


@given(texts, languages)
def test_sentences_cover_the_text(text, language):
    position = 0
    for start, end in sentence_spans(text, language):
        assert BLANK.sub("", text[position:start]) == ""
        assert position <= start < end
        assert not BLANK.match(text[start])
        assert not BLANK.match(text[end - 1])
        position = end
    assert BLANK.sub("", text[position:]) == ""


def surface_tokens(sentence):
    """List forms and MISC as they stand in the text: a multiword token instead of its words."""
    tokens = list(zip(sentence.forms, sentence.misc, strict=True))
    for _, line in reversed(sentence.asides):
        words, form, *_, space = line.split("\t")
        first, last = map(int, words.split("-"))
        tokens[first - 1 : last] = [(form, space)]
    return tokens


@given(texts)
def test_english_sentences_spell_their_text(text):
    for sentence in tokenize(text):
        spelled = "".join(form if space == "SpaceAfter=No" else form + " " for form, space in surface_tokens(sentence))
        assert sentence.comments == ["# text = " + spelled.rstrip(" ")]
        assert "\n" not in spelled
        spelled.encode("utf-8")


@given(texts, languages)
def test_a_stream_of_lines_gives_the_same_sentences(text, language):
    text = text.replace("\r", " ").replace("\u2029", " ")
    whole = [list(sentence.forms) for sentence in tokenize(text, language)]
    assert [list(s.forms) for s in tokenize_stream(text.split("\n"), language)] == whole
    assert [list(s.forms) for s in tokenize_stream(text.splitlines(keepends=True), language)] == whole or (
        set(text) & set("\v\f\x1c\x1d\x1e\x85\u2028")
    )


@pytest.mark.parametrize("unit", ["a", "a ", "Trees grow. ", "(", "。", ".\n"])
def test_long_paragraphs_of_a_stream_keep_their_characters(unit):
    text = (unit * 70_000)[:70_000]  # more than a stream keeps of a paragraph
    forms = [form for sentence in tokenize_stream([text] * 3) for form in sentence.forms]
    assert "".join(forms) == BLANK.sub("", text) * 3


def test_a_stream_is_read_as_it_is_needed():
    def lines():
        yield "Trees grow.\n"
        yield "\n"
        pytest.fail("read too far")

    assert next(tokenize_stream(lines())).forms == ["Trees", "grow", "."]


def test_a_long_stream_without_blank_lines_is_cut_at_sentences():
    sentences = list(tokenize_stream("Trees grow, and we write. \n" for _ in range(10_000)))
    assert {" ".join(sentence.forms) for sentence in sentences} == {"Trees grow , and we write ."}
    assert len(sentences) == 10_000


def test_public_names_are_sorted():
    names = treewright.tokenization.__all__
    assert names == sorted(names)
    assert split_sentences.__name__ in names
