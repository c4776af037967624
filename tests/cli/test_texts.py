"""Raw text as it comes: decoded, cut into sentences, numbered."""

import io

import pytest

from treewright.cli.texts import CHUNK, TextReader
from treewright.errors import TreebankError
from treewright.tokenization import Rules

TEXT = "Mr. Brown slept. Why?\nHe was\nill.\n\nNew one.\n"


def read(text, format="text", **more):
    stream = io.BytesIO(text if isinstance(text, bytes) else text.encode())
    return list(TextReader(format, Rules("en"), more.pop("on_error", "raise"), **more).read(stream, "name"))


def texts(sentences):
    return [sentence.text for sentence in sentences]


def test_running_text_lines_and_tokens():
    assert texts(read(TEXT)) == ["Mr. Brown slept.", "Why?", "He was ill.", "New one."]
    assert texts(read(TEXT, "lines")) == ["Mr. Brown slept. Why?", "He was", "ill.", "New one."]
    [first, second] = read("A dog do n't bark .\n\n  It  sleeps", "tokens")
    assert first.forms == ["A", "dog", "do", "n't", "bark", "."]
    assert (second.forms, second.text) == (["It", "sleeps"], "It sleeps")


def test_what_is_typed_is_not_held_back_to_the_end_of_a_paragraph():
    def typed():
        yield from (b"The dog", b" sleeps. It\n")
        raise AssertionError("the first line was not parsed before the second was asked for")

    class Terminal(io.RawIOBase):
        pieces = typed()

        def read1(self, size):
            return next(self.pieces)

    reader = TextReader("text", Rules("en"), "raise", typed=True).read(Terminal(), "<stdin>")
    assert [next(reader).text, next(reader).text] == ["The dog sleeps.", "It"]
    with pytest.raises(AssertionError):
        next(reader)


def test_documents_paragraphs_and_sentences_are_noted():
    comments = [sentence.comments[:-1] for sentence in read(TEXT, document="a")]
    assert comments == [
        ["# newdoc id = a", "# newpar", "# sent_id = a-1"],
        ["# sent_id = a-2"],
        ["# sent_id = a-3"],
        ["# newpar", "# sent_id = a-4"],
    ]
    long = "word " * (CHUNK // 4) + "\n\nEnd."
    starts = [number for number, one in enumerate(read(long, document="a"), 1) if "# newpar" in one.comments]
    assert starts == [1, len(read(long))]


@pytest.mark.parametrize("before", ["", "ok\nd\u00e9j\u00e0 ", "x\n" * CHUNK, "\u00e9" * CHUNK])
def test_what_is_not_utf_8_is_reported_where_it_is(before):
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    for format in ("text", "lines", "tokens"):
        with pytest.raises(TreebankError, match="byte 0xe9 is not UTF-8") as error:
            read(before.encode() + b"\xe9 x", format)
        assert (error.value.path, error.value.line, error.value.column) == ("name", line, column)
    assert read(b"caf\xe9 x", on_error="skip")[0].text == "caf\ufffd x"
