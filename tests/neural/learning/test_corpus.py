import numpy as np
import pytest

from treewright.errors import UsageError
from treewright.neural.learning import corpus as corpus_module
from treewright.neural.learning.corpus import Corpus

TEXT = [["the", "cat", "sat"], [], ["the", "end"], ["cat"]]


def test_types_are_numbered_by_frequency_and_sentences_marked():
    corpus = Corpus.of(TEXT)
    assert corpus.types == ["the", "cat", "sat", "end"]
    assert corpus.stream.tolist() == [0, 1, 2, 3, 0, 1, 4, 0, 2]
    assert len(corpus) == 6
    assert corpus.counts() == {"the": 2, "cat": 2, "sat": 1, "end": 1}


def test_a_corpus_comes_back_from_its_files(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_module, "_RARE", 3)  # so that some types are rare
    monkeypatch.setattr(corpus_module, "_PIECE", 4)  # so that there are several pieces
    corpus = Corpus.of(TEXT)
    corpus.save(tmp_path)
    again = Corpus.open(tmp_path)
    assert again.types == corpus.types
    assert np.array_equal(again.stream, corpus.stream)


def test_a_damaged_file_is_one_clear_line(tmp_path):
    Corpus.of(TEXT).save(tmp_path)
    (tmp_path / "words.u2.xz").write_bytes((tmp_path / "words.u2.xz").read_bytes()[:-8])
    with pytest.raises(UsageError, match="cut short"):
        Corpus.open(tmp_path)


def test_sentences_within_limits():
    starts, lengths = Corpus.of(TEXT).sentences(2, 3)
    assert starts.tolist() == [1, 5]
    assert lengths.tolist() == [3, 2]
