"""Clusters in files: ours, others', and bad ones."""

from __future__ import annotations

import gzip
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.clustering import Clusters
from treewright.errors import ClusterError, UsageError

#: What Liang's wcluster writes for the example that comes with it (``--text input.txt --c 50``).
WCLUSTER = "0\tthe\t6\n10\tchased\t3\n110\tdog\t2\n1110\tmouse\t2\n1111\tcat\t2\n"

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r "), min_size=1)
BITS = st.text("01", min_size=1, max_size=5)


def test_what_wcluster_writes_is_read_and_written_again(tmp_path):
    path = tmp_path / "paths"
    path.write_text(WCLUSTER)
    clusters = Clusters.read(path)
    assert list(clusters) == ["the", "chased", "dog", "mouse", "cat"]
    assert (clusters["mouse"], clusters.count("mouse")) == ("1110", 2)
    assert clusters.groups(2) == {"0": ["the"], "10": ["chased"], "11": ["cat", "dog", "mouse"]}
    clusters.save(path)
    assert path.read_text() == WCLUSTER


def test_looking_up():
    clusters = Clusters(["the", "dog", "cat"], ["0", "110", "10"], [9, 3, 3])
    assert clusters.get("dog") == "110"
    assert clusters.get("cow") is None
    assert clusters.get("cow", "") == ""
    assert clusters.count("cow") == 0
    assert clusters.prefix("dog", 2) == "11"
    assert clusters.prefix("the", 6) == "0"
    assert clusters.prefix("cow", 2) is None
    assert clusters.most_frequent(2) == ["the", "cat"]
    assert clusters.most_frequent(800) == ["the", "cat", "dog"]
    assert repr(clusters) == "<Clusters: 3 words in 3 clusters>"
    with pytest.raises(KeyError):
        clusters["cow"]


@settings(deadline=None)
@given(st.dictionaries(WORDS, st.tuples(BITS, st.integers(0, 10**12)), min_size=1))
def test_round_trip(tmp_path_factory, entries):
    path = tmp_path_factory.mktemp("paths") / "any.paths.gz"
    clusters = Clusters(list(entries), *zip(*entries.values(), strict=True))
    clusters.save(path)
    assert Clusters.read(path) == clusters
    written = path.read_bytes()
    Clusters.read(path).save(path)
    assert path.read_bytes() == written


def test_lines_are_sorted_by_bits_then_count_then_word(tmp_path):
    Clusters(["d", "c", "b", "a"], ["1", "01", "1", "1"], [5, 1, 7, 5]).save(tmp_path / "paths")
    assert (tmp_path / "paths").read_text() == "01\tc\t1\n1\tb\t7\n1\ta\t5\n1\td\t5\n"


def test_line_ends_and_marks_of_others(tmp_path):
    (tmp_path / "paths").write_bytes(b"\xef\xbb\xbf0\tthe\t6\r\n10\tdog\t3")
    assert Clusters.read(tmp_path / "paths") == Clusters(["the", "dog"], ["0", "10"], [6, 3])


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (b"0\tthe\t6\n10\tdog\n", 2, "expected bits, word and count separated by tabs, not 2 columns ('10 dog')"),
        (b"0 the 6\n", 1, "expected bits, word and count separated by tabs, not 1 column ('0 the 6')"),
        (b"0\tthe\t6\t7\n", 1, "not 4 columns"),
        (b"0\tthe\t6\n\n1\ta\t2\n", 2, "not an empty line"),
        (b"0\tthe\t6\n12\tdog\t3\n", 2, "expected a string of 0 and 1, not '12'"),
        (b"\tthe\t6\n", 1, "expected a string of 0 and 1, not ''"),
        (b"0\t\t6\n", 1, "expected a word without white space, not ''"),
        (b"0\ta b\t6\n", 1, "expected a word without white space, not 'a b'"),
        (b"0\tthe\tsix\n", 1, "expected the count of the word, not 'six'"),
        (b"0\tthe\t-6\n", 1, "expected the count of the word, not '-6'"),
        ("0\tthe\t٦\n".encode(), 1, "expected the count of the word"),
        (b"0\tthe\t" + b"9" * 5_000 + b"\n", 1, f"expected the count of the word, not '{'9' * 40}'"),
        (b"0\tthe\t6\n10\tthe\t6\n", 2, "the word 'the' already has a cluster, 0"),
        (b"0\tthe\t6\n1\t\xff\t6\n", 2, "not UTF-8"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, line, reason):
    path = tmp_path / "bad.paths"
    path.write_bytes(text)
    with pytest.raises(ClusterError) as caught:
        Clusters.read(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert reason in str(caught.value)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        Clusters.read(tmp_path / "none.paths")
    (tmp_path / "empty.paths").write_bytes(b"")
    with pytest.raises(UsageError, match="has no clusters"):
        Clusters.read(tmp_path / "empty.paths")
    (tmp_path / "cut.paths.gz").write_bytes(gzip.compress(WCLUSTER.encode())[:-6])
    with pytest.raises(ClusterError, match="cut short"):
        Clusters.read(tmp_path / "cut.paths.gz")


def test_saving_is_whole_or_not_at_all(tmp_path):
    clusters = Clusters(["the", "\ud800"], ["0", "1"], [1, 1])
    path = tmp_path / "my.paths"
    path.write_text(WCLUSTER)
    with pytest.raises(UnicodeEncodeError):
        clusters.save(path)
    assert path.read_text() == WCLUSTER
    assert os.listdir(tmp_path) == ["my.paths"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((["a"], ["0"], []), "do not match"),
        ((["a", "a"], ["0", "1"], [1, 1]), "already has a cluster"),
        ((["a"], [""], [1]), "expected a string of 0 and 1"),
        ((["a b"], ["0"], [1]), "without white space"),
    ],
)
def test_bad_arguments(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        Clusters(*arguments)
