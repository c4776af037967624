"""Texts in, counts out."""

from __future__ import annotations

import gzip
import lzma
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.clustering import CorpusReader, corpus, count_bigrams
from treewright.errors import ClusterError, UsageError

TEXT = "a b a\n\nb a c  a\n"


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "é", "\u2028", "\xa0"]))), st.integers(1, 4))
def test_counts_are_those_of_a_counter(sentences, min_count):
    words = Counter(word for sentence in sentences for word in sentence)
    kept = {word for word, count in words.items() if count >= min_count}
    pairs = Counter(pair for sentence in sentences for pair in pairwise(sentence) if kept.issuperset(pair))
    bigrams = count_bigrams(sentences, min_count)
    assert bigrams.words == sorted(kept, key=lambda word: (-words[word], word))
    assert bigrams.frequencies.tolist() == [words[word] for word in bigrams.words]
    assert bigrams.total == sum(pairs.values())
    found = bigrams.pairs.tocoo()
    ends = zip(found.row, found.col, found.data, strict=True)
    assert {(bigrams.words[u], bigrams.words[v]): count for u, v, count in ends} == pairs


def test_pieces_make_no_difference(monkeypatch):
    sentences = ["a b c", "b c a b", "c", "a a b"]
    whole = count_bigrams(sentences).pairs.toarray().tolist()
    monkeypatch.setattr(corpus, "_CHUNK", 2)
    assert count_bigrams(sentences).pairs.toarray().tolist() == whole


@pytest.mark.parametrize(
    ("name", "pack"), [("t.txt", bytes), ("t.gz", gzip.compress), ("t.xz", lzma.compress), ("odd", lzma.compress)]
)
def test_files_plain_and_compressed(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()))
    reader = CorpusReader()
    reader.read(tmp_path / name)
    assert (reader.sentences, reader.words) == (3, 7)
    bigrams = reader.count()
    assert bigrams.words == ["a", "b", "c"]
    assert bigrams.pairs.toarray().tolist() == [[0, 1, 1], [2, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    ("name", "text", "line", "reason"),
    [
        ("latin.txt", b"a b\ncaf\xe9 c\n", 2, "not UTF-8"),
        ("cut.xz", lzma.compress(TEXT.encode())[:-9], 3, "cut short"),
        ("false.gz", TEXT.encode(), 1, "damaged"),
    ],
    ids=["not UTF-8", "cut", "not gzip"],
)
def test_bad_files_are_named(tmp_path, name, text, line, reason):
    (tmp_path / name).write_bytes(text)
    with pytest.raises(ClusterError) as caught:
        CorpusReader().read(tmp_path / name)
    assert (caught.value.path, caught.value.line) == (str(tmp_path / name), line)
    assert reason in str(caught.value)


def test_a_word_is_seen_at_least_once():
    with pytest.raises(UsageError, match="min_count is 0; it must be at least 1"):
        count_bigrams(["a"], min_count=0)
