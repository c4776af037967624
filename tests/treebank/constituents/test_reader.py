"""Bracketed trees: what is read and written again is the same, and what is malformed is refused with its place."""

import gzip
import io
import lzma
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import DATA, TREEBANKS
from tests.treebank.constituents.strategies import PIECES, trees
from treewright.errors import TreebankError, UsageError
from treewright.treebank import ConstituentTree, format_tree, read_trees, read_trees_string, write_trees
from treewright.treebank.constituents import blocks as blocks_module
from treewright.treebank.constituents import reader as reader_module
from treewright.treebank.constituents.brackets import parse_brackets
from treewright.treebank.constituents.diagnosis import find_fault

BAD = DATA / "bad-trees"
ROWS = [row.split("\t") for row in (BAD / "expected.tsv").read_text("utf-8").splitlines()[1:]]


@given(st.lists(trees(), max_size=3), st.sampled_from(["", " ", "\n", "\r\n\n", "\n\t"]))
def test_trees_survive(given_trees, between):
    text = between + between.join(map(format_tree, given_trees)) + between
    assert read_trees_string(text) == given_trees


@given(trees())
def test_white_space_means_nothing(tree):
    assert read_trees_string(format_tree(tree).replace("(", "\n ( ").replace(")", " )\r\n ")) == [tree]


@given(PIECES, st.sampled_from(["refuse", "keep"]))
def test_what_is_refused_has_a_reason_and_nothing_else_has(text, spaces):
    body = text.lstrip(" \n")
    fault = find_fault(body, spaces)
    assert (parse_brackets(body, spaces) is None) == (fault is not None)
    if fault is not None:
        assert 0 <= fault[0] < len(body)


@given(PIECES, st.integers(1, 9))
def test_any_text_is_refused_or_survives(text, size):
    error = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks_module, "CHUNK", size)
        skipping = read_trees(io.BytesIO(text.encode()), on_error="skip")
        kept = list(skipping)
        try:
            found = read_trees_string(text)
        except TreebankError as refusal:
            error = refusal
    if error is None:
        assert found == kept
        assert "".join(map(format_tree, found)).replace(" ", "") == "".join(text.split())
        return
    lines = text.split("\n")
    assert skipping.skipped >= 1
    assert 1 <= error.line <= len(lines)
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1


def test_every_tree_of_the_data_survives():
    paths = sorted(TREEBANKS.glob("*/*.mrg.gz"))
    if not paths:
        pytest.skip("the treebanks are not here")
    for path in paths:
        with gzip.open(path) as file:
            raw = file.read()
        stream = io.BytesIO()
        assert write_trees(read_trees(path, spaces="keep"), stream) == raw.count(b"\n")
        assert stream.getvalue() == raw, path


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_file_survives_compression(tmp_path, suffix):
    path = tmp_path / f"out.mrg{suffix}"
    assert write_trees(read_trees(DATA / "trees.mrg"), path) == 2
    with {"": open, ".gz": gzip.open, ".xz": lzma.open}[suffix](path, "rb") as file:
        assert file.read() == (DATA / "trees.mrg").read_bytes()
    assert list(read_trees(path)) == list(read_trees(DATA / "trees.mrg"))


def test_a_tree_of_any_depth():
    n = 100_000
    text = "(X " * (n - 1) + "(X x)" + ")" * (n - 1)
    [tree] = read_trees_string(text)
    assert tree.parents.tolist() == list(range(-1, n - 1))
    assert set(tree.ends.tolist()) == {1}
    assert format_tree(tree) == text
    assert ConstituentTree(tree.labels, tree.parents, tree.words) == tree


def test_no_break_spaces_are_no_spaces():
    [tree] = read_trees_string("(NP (NN a\u00a0b\u2028c))")
    assert tree.words == ("a\u00a0b\u2028c",)


def test_words_with_spaces_are_kept_on_request():
    [tree] = read_trees_string("(NP (NN a  b\nc) (NN d))", spaces="keep")
    assert tree.words == ("a  b\nc", "d")
    [tree] = read_trees_string("(NP (NN a b) (NN d))", spaces="keep")
    assert format_tree(tree) == "(NP (NN a b) (NN d))"


def test_every_bad_file_is_expected():
    assert {row[0] for row in ROWS} == {path.name for path in BAD.iterdir()} - {"expected.tsv"}


@pytest.mark.parametrize(("file", "line", "column", "good", "reason"), ROWS, ids=[row[0] for row in ROWS])
def test_bad_file_is_refused(file, line, column, good, reason):
    path = BAD / file
    with pytest.raises(TreebankError) as caught:
        list(read_trees(path))
    assert str(caught.value) == f"{path}:{line}:{column}: {reason}"
    errors = []
    reader = read_trees(path, on_error="skip", on_skip=errors.append)
    assert [tree.words[0] for tree in reader].count("good") == int(good)
    assert (errors[0].line, errors[0].column, errors[0].reason) == (int(line), int(column), reason)
    assert reader.skipped == len(errors) == 1


def test_a_cut_file_is_an_error_in_any_case(tmp_path):
    path = tmp_path / "cut.mrg.gz"
    path.write_bytes(gzip.compress((DATA / "trees.mrg").read_bytes() * 50)[:-20])
    with pytest.raises(TreebankError, match="cut short"):
        list(read_trees(path, on_error="skip"))


def test_memory_is_bounded(monkeypatch):
    for module in (blocks_module, reader_module):
        monkeypatch.setattr(module, "MAX_TREE_BYTES", 1 << 20)

    class Endless(io.RawIOBase):
        def __init__(self):
            self.parts = iter([b"(NN good)\n(NP ", *[b"(X x) " * 10_000] * 300, b"\nx\n(NN good)\n"])

        def read(self, size=-1):
            return next(self.parts, b"")

    errors = []
    tracemalloc.start()
    try:
        found = list(read_trees(Endless(), on_error="skip", on_skip=errors.append))
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()
    assert [tree.words for tree in found] == [("good",), ("good",)]
    reason = "a tree of more than 1,048,576 bytes; a closing bracket may be missing"
    assert [(error.line, error.column, error.reason) for error in errors] == [(2, 1, reason)]


def test_wrong_arguments_are_refused_at_once():
    for arguments in ({"spaces": "maybe"}, {"on_error": "ignore"}):
        with pytest.raises(UsageError):
            read_trees(DATA / "trees.mrg", **arguments)
