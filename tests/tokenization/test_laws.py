"""What holds for every text."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright.tokenization
from treewright import Parser
from treewright.model import embedded_models
from treewright.model.container import read_manifest
from treewright.tokenization import (
    Rules,
    byte_ranges,
    sentence_spans,
    split_sentences,
    tokenize,
    tokenize_pieces,
    tokenize_stream,
    tokenize_words,
)
from treewright.tokenization.characters import SPACE
from treewright.tokenization.learned.tokenizer import _BLOCK, _LONGEST_BLOCK, _blocks
from treewright.tokenization.stream import blocks_of

LANGUAGES = ["en", "fr", "pt", "es", "de", "fi", "gd", "ja", "zh", "xx"]
BLANK = re.compile(f"[{SPACE}]")

SNIPPETS = (
    "don't|U.S.|http://a.b/c|a@b.c|l'|-|...|'|’s|:)|1,000|5pm| |\n|\n\n|。|日本語|ひらがな|カタカナ|👩‍👩‍👧"
    "|e\u0301|\u200f|\ud800|\x00|(|\"|.|Mr.|-il|s'|A"
)
pieces = st.sampled_from(SNIPPETS.split("|"))
texts = st.one_of(st.text(st.characters(codec=None, exclude_categories=())), st.lists(pieces, max_size=30).map("".join))
languages = st.sampled_from(LANGUAGES)


@pytest.fixture(scope="module")
def splitters(english, unspaced):
    """The rules of languages, and what was learned from treebanks."""
    return [*map(Rules, LANGUAGES), english, unspaced]


def tiles(text, tokens):
    """Check that tokens, one after the other, are all that is in a text but white space."""
    position = 0
    for start, end, words in tokens:
        assert BLANK.sub("", text[position:start]) == ""
        assert position <= start < end
        assert not BLANK.search(text[start:end])
        assert all(words)
        assert len(words) > 1 or words == (text[start:end],)
        position = end
    assert BLANK.sub("", text[position:]) == ""


@given(texts, st.integers(min_value=0))
@settings(deadline=None)  # kernels are compiled
def test_every_splitter_tiles_the_text(splitters, text, which):
    splitter = splitters[which % len(splitters)]
    tiles(text, splitter.tokens(text))
    sentences = list(splitter.split(text))
    assert all(sentences)
    tiles(text, [token for tokens in sentences for token in tokens])


STRANGE = [
    "",
    "\ufeffa\x00b\r\nc",
    "\u2028x\u2029y",
    "http://a.b/" + "(a)" * 200 + ")" * 200,
    "😀",
    "]" * 400,
    "a" * 100_000,
    "。" * 5_000,
    "a\u0301" * 300,
    "русский日本語عربيabc",
    "\u200b",
    "a\r\n\r\nb\r\n",
    "\ud800x",
]


@pytest.mark.parametrize("text", STRANGE, ids=range(len(STRANGE)))
def test_nothing_is_lost_of_strange_texts(splitters, text):
    for splitter in splitters[-2:]:
        tiles(text, [token for tokens in splitter.split(text) for token in tokens])
        sentences = list(tokenize_stream(re.findall(r"[^\n]*\n|[^\n]+", text), splitter))
        assert "".join(text[a:b] for a, b in ranges_of(sentences)) == BLANK.sub("", text)


def ranges_of(sentences):
    """List the ranges of tokens: the words of a multiword token have the same."""
    ranges = [tuple(one) for sentence in sentences for one in sentence.ranges.tolist()]
    return [one for i, one in enumerate(ranges) if i == 0 or ranges[i - 1] != one]


@settings(deadline=None)
@given(st.lists(texts, max_size=4), st.integers(min_value=0), st.sampled_from(["text", "paragraph", "sentence"]))
def test_ranges_point_back_into_a_stream(splitters, texts, which, a_line_is):
    """However a text is cut into pieces, ranges give back all that is not white space."""
    splitter, text = splitters[which % len(splitters)], "".join(texts)
    pieces = [piece for one in texts for piece in re.findall(r"[^\n]*\n|[^\n]+", one)]
    ranges = ranges_of(tokenize_pieces(pieces, splitter, a_line_is=a_line_is))
    tiles(text, [(a, b, (text[a:b],)) for a, b in ranges])
    for (a, b), (c, d) in zip(ranges, byte_ranges(text, np.array(ranges, np.int64).reshape(-1, 2)), strict=True):
        assert text.encode("utf-8", "surrogatepass")[c:d] == text[a:b].encode("utf-8", "surrogatepass")


class Counting(Rules):
    """Counts the characters that it splits."""

    def split(self, text):
        counts.append(len(text))
        return super().split(text)


counts: list[int] = []


@pytest.mark.parametrize("unit", ["a", "a ", "Trees grow. ", "a\n", "\n", "a\n\n"])
def test_to_cut_a_stream_it_is_split_at_most_once(unit):
    text = unit * (200_000 // len(unit))
    for pieces in (text.splitlines(keepends=True), [text[at : at + 50_000] for at in range(0, len(text), 50_000)]):
        counts.clear()
        blocks = list(blocks_of(pieces, Counting("en")))
        assert sum(counts) <= len(text)
        assert all(block.text == text[block.start : block.start + len(block.text)] for block in blocks)
        assert max((len(block.text) for block in blocks), default=0) < 130_000 or len(pieces) == 1


@given(st.integers(0, 6), st.integers(0, 1_000_000), st.sampled_from(["a", "a ", "a\n", "a.\n\n", "\n"]))
@settings(max_examples=20)
def test_long_texts_are_read_in_blocks(before, size, unit):
    text = "b" * before + (unit * size)[:size]
    blocks = list(_blocks(text))
    assert [a for a, _ in blocks[1:]] == [b for _, b in blocks[:-1]]
    assert not text or (blocks[0][0], blocks[-1][1]) == (0, len(text))
    assert all(a < b <= a + _LONGEST_BLOCK for a, b in blocks)
    assert all(b - a > _BLOCK for a, b in blocks[:-1])


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


NAMES = sorted(name for name, path in embedded_models().items() if read_manifest(path)["kind"] == "dependency-parser")


@pytest.fixture(scope="module", params=NAMES)
def embedded(request):
    """The tokenizer of each embedded parser that has one."""
    return Parser.open(request.param).splitter


def test_every_embedded_tokenizer_tiles_random_unicode(embedded):
    """Whatever the characters, and however strange the text: no token overlaps, and no character is lost."""

    @settings(deadline=None, max_examples=40, database=None)
    @given(texts)
    def check(text):
        tiles(text, embedded.tokens(text))
        tiles(text, [token for tokens in embedded.split(text) for token in tokens])

    check()


@pytest.mark.parametrize("text", STRANGE, ids=range(len(STRANGE)))
def test_embedded_tokenizers_lose_nothing_of_strange_texts(embedded, text):
    tiles(text, [token for tokens in embedded.split(text) for token in tokens])
    sentences = list(tokenize(text, embedded))
    assert "".join(text[a:b] for a, b in ranges_of(sentences)) == BLANK.sub("", text)
