"""Malformed files are refused, with the line, the column and the reason."""

import io
import random
import tracemalloc

import pytest

from tests.paths import DATA
from treewright.errors import TreebankError, UsageError
from treewright.treebank import read, read_string
from treewright.treebank.conllu import blocks as blocks_module

BAD = DATA / "bad"
ROWS = [row.split("\t") for row in (BAD / "expected.tsv").read_text("utf-8").splitlines()[1:]]
WORD = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n"


def test_every_bad_file_is_expected():
    assert {row[0] for row in ROWS} == {path.name for path in BAD.iterdir()} - {"expected.tsv"}


@pytest.mark.parametrize(("file", "line", "column", "reason"), ROWS, ids=[row[0] for row in ROWS])
def test_bad_file_is_refused(file, line, column, reason):
    path = BAD / file
    with pytest.raises(TreebankError) as caught:
        list(read(path, path.suffix[1:]))
    error = caught.value
    assert (error.path, error.line, error.column, error.reason) == (str(path), int(line), int(column), reason)
    assert str(error) == f"{path}:{line}:{column}: {reason}"


@pytest.mark.parametrize(("file", "line", "column", "reason"), ROWS, ids=[row[0] for row in ROWS])
def test_bad_sentence_is_skipped_and_no_other(file, line, column, reason):
    path = BAD / file
    errors = []
    reader = read(path, path.suffix[1:], on_error="skip", on_skip=errors.append)
    good = [sentence for sentence in reader if sentence.comments == ["# sent_id = good"]]
    assert [(error.line, error.column, error.reason) for error in errors] == [(int(line), int(column), reason)]
    assert reader.skipped == 1
    assert len(good) == path.read_bytes().count(b"# sent_id = good")


def test_sentences_before_the_bad_one_are_read():
    reader = read(BAD / "cycle.conllu")
    assert next(reader).comments == ["# sent_id = good"]
    with pytest.raises(TreebankError, match="cycle"):
        next(reader)


def test_skipping_is_counted_without_a_callback():
    reader = read(BAD / "cycle.conllu", on_error="skip")
    assert len(list(reader)) == 2
    assert reader.skipped == 1


def test_a_long_cycle_is_not_listed_in_full():
    n = 50
    text = "".join(f"{i}\ta\t_\t_\t_\t_\t{i % n + 1}\t_\t_\t_\n" for i in range(1, n + 1))
    with pytest.raises(TreebankError, match=r"words 1, 2, 3, 4, 5, 6, 7, 8, \.\.\. form a cycle$"):
        read_string(text)


def test_a_deep_tree_is_read():
    n = blocks_module.MAX_LINES
    text = "".join(f"{i}\ta\t_\t_\t_\t_\t{i - 1}\t_\t_\t_\n" for i in range(1, n + 1))
    assert len(read_string(text)[0]) == n
    assert len(read_string(text + "\n\n" + WORD)[0]) == n


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_too_many_lines_are_refused(end):
    n = blocks_module.MAX_LINES + 1
    text = WORD + "\n" + "\n".join(f"{i}\ta\t_\t_\t_\t_\t0\t_\t_\t_" for i in range(1, n + 1)) + end
    with pytest.raises(TreebankError, match="a sentence of more than 10,000 lines") as caught:
        read_string(text)
    assert caught.value.line == n + 2


def test_a_long_line_is_refused():
    limit = blocks_module.MAX_LINE_BYTES
    line = WORD.replace("a", "a" * (limit - len(WORD) + 2))
    assert len(read_string(line)) == 1
    with pytest.raises(TreebankError, match="a line of more than 1,048,576 bytes") as caught:
        read_string(WORD + "\n# comment\n" + line.replace("a", "aa", 1))
    assert caught.value.line == 4


class Endless(io.RawIOBase):
    """A stream of many bytes that are never all in memory."""

    def __init__(self, head, piece, times, tail):
        self.parts = iter([head, *[piece] * times, tail])

    def read(self, size=-1):
        return next(self.parts, b"")


@pytest.mark.parametrize(
    ("piece", "reason", "skipped"),
    [
        (b"x" * (1 << 20), "a line of more than 1,048,576 bytes", 1),
        (b"x" * 1000 + b"\n", "a sentence of more than 10,000 lines", 1),
        ((b"#" + b"x" * 100_000 + b"\n") * 10, "a sentence of more than 16,777,216 bytes", 1),
    ],
    ids=["line", "lines", "bytes"],
)
def test_memory_is_bounded(piece, reason, skipped):
    times = 100_000_000 // len(piece)
    tail = b"\n\n" + WORD.encode()
    errors = []
    reader = read(Endless(WORD.encode() + b"\n", piece, times, tail), on_error="skip", on_skip=errors.append)
    tracemalloc.start()
    try:
        assert [len(sentence) for sentence in reader] == [1, 1]
        assert tracemalloc.get_traced_memory()[1] < 80_000_000
    finally:
        tracemalloc.stop()
    assert reader.skipped == skipped
    assert errors[0].reason.startswith(reason)


def test_lines_are_counted_across_a_sentence_too_big_to_keep():
    bad = b"2" + WORD.encode()[1:]
    tail = b"\n\n" + bad
    errors = []
    list(read(Endless(b"x\n", b"x" * 1000 + b"\n", 19_999, tail), on_error="skip", on_skip=errors.append))
    assert [error.line for error in errors] == [10_001, 20_003]


def test_blank_lines_without_end_are_refused(monkeypatch):
    monkeypatch.setattr(blocks_module, "MAX_SENTENCE_BYTES", 1000)
    reader = read(Endless(WORD.encode() + b"\n", b"\n" * 100, 15, WORD.encode()), on_error="skip")
    assert [len(sentence) for sentence in reader] == [1, 1]
    assert reader.skipped == 1


def test_a_deviation_at_any_place_is_placed():
    """Break one character of a sound sentence at a time: the line of the error is that of the break."""
    text = (BAD.parent / "nonprojective.conllu").read_text("utf-8")
    generator = random.Random(0)
    places = [i for i, character in enumerate(text) if character == "\t"]
    for place in generator.sample(places, 30):
        with pytest.raises(TreebankError, match=r"columns? instead of 10") as caught:
            read_string(text[:place] + " " + text[place + 1 :])
        assert caught.value.line == text.count("\n", 0, place) + 1


@pytest.mark.parametrize("arguments", [{"format": "conll"}, {"on_error": "ignore"}], ids=["format", "on_error"])
def test_wrong_arguments_are_refused_at_once(arguments):
    with pytest.raises(UsageError):
        read(BAD / "cycle.conllu", **arguments)


def test_a_text_stream_is_refused():
    with pytest.raises(UsageError, match="binary mode"):
        list(read(io.StringIO(WORD)))


def test_the_name_of_a_stream_can_be_given():
    with pytest.raises(TreebankError) as caught:
        list(read(io.BytesIO(b"x"), name="<stdin>"))
    assert str(caught.value).startswith("<stdin>:1:2: 1 column ")
